// `orderly check`: whether the database is sound, from its pages to the sums of its orders.
import type { CommandLine } from '../config.ts';
import { migrations } from '../migrations/migrations.ts';
import { customerAudit } from '../resources/customers/customer-store.ts';
import { keyAudit } from '../resources/keys/key-store.ts';
import { orderAudit } from '../resources/orders/order-store.ts';
import { sessionAudit } from '../resources/sessions/session-store.ts';
import { hasAdmins, hasUsers, userAudit } from '../resources/users/user-store.ts';
import { auditRows, type Audit } from '../storage/audit.ts';
import { checkIntegrity } from '../storage/backup.ts';
import { Connection } from '../storage/connection.ts';
import { databaseFile, explained, openSqlite, schemaVersion, StorageError } from '../storage/data-folder.ts';
import type { Command } from './commands.ts';
import { print, withProgress } from './terminal.ts';

export const check: Command = { summary: 'says whether the database is sound, by its exit status, too', operands: [], flags: [], run };

const faultsShownMax = 100;
const audits: readonly Audit[] = [userAudit, sessionAudit, keyAudit, customerAudit, orderAudit];

async function run({ config: { data } }: CommandLine): Promise<number> {
  const file = databaseFile(data);
  checkVersion(file);
  const sqlite = openSqlite(file);
  const faults: string[] = [];
  try {
    const counts = await checkAll(new Connection(sqlite), (fault) => faults.push(fault));
    await print(faults.length === 0 ? `${counts.join(', ')}\n${file} is sound.` : faultText(file, faults));
  } catch (error) {
    throw explained(error, file);
  } finally {
    sqlite.close();
  }
  return faults.length === 0 ? 0 : 1;
}

function checkVersion(file: string): void {
  const version = schemaVersion(file, migrations.length);
  if (version === undefined) throw new StorageError(`There is no database of orderly at ${file}.`);
  if (version < migrations.length) throw new StorageError(`${file} is of an older orderly: start the service once to bring it up to date, or check it with the older one.`);
}

async function checkAll(db: Connection, tell: (fault: string) => void): Promise<string[]> {
  await withProgress('Pages and indexes', () => checkIntegrity(db).forEach(tell));
  if (hasUsers(db) && !hasAdmins(db)) tell('There are users, but no administrator: "orderly admin create" makes one.');
  const counts: string[] = [];
  for (const audit of audits) {
    const rows = await withProgress(`${audit.thing}s`, (at) => auditRows(audit, db, tell, at));
    counts.push(`${audit.thing}s: ${rows}`);
  }
  return counts;
}

function faultText(file: string, faults: readonly string[]): string {
  const more = faults.length > faultsShownMax ? [`… and ${faults.length - faultsShownMax} more`] : [];
  return [...faults.slice(0, faultsShownMax), ...more, `${file} is not sound. Restore a backup, or keep a copy before you repair anything.`].join('\n');
}
