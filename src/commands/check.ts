// `orderly check`: whether the database is sound, from its pages to the sums of its orders.
import { migrations } from '../migrations/migrations.ts';
import { customerAudit } from '../resources/customers/customer-store.ts';
import { keyAudit } from '../resources/keys/key-store.ts';
import { orderAudit } from '../resources/orders/order-store.ts';
import { sessionAudit } from '../resources/sessions/session-store.ts';
import { hasAdmins, hasUsers, userAudit } from '../resources/users/user-store.ts';
import { auditRows, type Audit } from '../storage/audit.ts';
import { checkIntegrity, fromDatabase } from '../storage/backup.ts';
import { Connection } from '../storage/connection.ts';
import { databaseFile, StorageError } from '../storage/data-folder.ts';
import type { Command } from './commands.ts';
import { print, withProgress } from './terminal.ts';

const faultsShownMax = 100;
const audits: readonly Audit[] = [userAudit, sessionAudit, keyAudit, customerAudit, orderAudit];

export const check: Command = {
  summary: 'checks the database; the exit status is 1 if anything is wrong',
  operands: [],
  flags: [],
  async run({ config: { data } }) {
    const file = databaseFile(data);
    const faults: string[] = [];
    const counts = await fromDatabase(file, migrations.length, async (sqlite, version) => {
      if (version === migrations.length)
        return await checkAll(new Connection(sqlite), (fault) => faults.push(fault));
      throw new StorageError(
        `${file} was written by an older orderly: start the service once to migrate it, ` +
          'or check it with the older version.',
      );
    });
    if (faults.length === 0) return `${counts.join(', ')}\n${file} is sound.`;
    await print(faultText(file, faults));
    return 1;
  },
};

async function checkAll(db: Connection, tell: (fault: string) => void): Promise<string[]> {
  await withProgress('Pages and indexes', () => checkIntegrity(db).forEach(tell));
  if (hasUsers(db) && !hasAdmins(db))
    tell('There are users, but no administrator; "orderly admin create" creates one.');
  const counts: string[] = [];
  for (const audit of audits) {
    const rows = await withProgress(`${audit.thing}s`, (at) => auditRows(audit, db, tell, at));
    counts.push(`${audit.thing}s: ${rows}`);
  }
  return counts;
}

function faultText(file: string, faults: readonly string[]): string {
  const more = faults.length > faultsShownMax ? [`… and ${faults.length - faultsShownMax} more`] : [];
  return [
    ...faults.slice(0, faultsShownMax),
    ...more,
    `${file} is not sound. Restore a backup, or make a copy before you repair anything.`,
  ].join('\n');
}
