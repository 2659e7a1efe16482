// `orderly check`: whether the database is sound, from its pages to the sums of its orders.
import { migrations } from '../migrations/migrations.ts';
import { auditCustomerSearch } from '../features/customers/customer-search-store.ts';
import { customerAudit } from '../features/customers/customer-store.ts';
import { eventAudit } from '../features/events/event-store.ts';
import { auditEventIds, auditHistories, auditedHistories } from '../features/events/history-audit-store.ts';
import { keyAudit } from '../features/keys/key-store.ts';
import { orderAudit } from '../features/orders/order-store.ts';
import { productAudit } from '../features/products/product-store.ts';
import { sessionAudit } from '../features/sessions/session-store.ts';
import { webhookAudit } from '../features/webhooks/webhook-store.ts';
import { suspensionAudit } from '../features/users/suspension-store.ts';
import { totpAudit } from '../features/users/totp-store.ts';
import { hasAdmins, hasUsers, userAudit } from '../features/users/user-store.ts';
import { auditRows, type Audit } from '../storage/audit.ts';
import { integrityIssues, fromDatabase } from '../storage/backup.ts';
import { Connection } from '../storage/connection.ts';
import { databaseFile } from '../storage/database-file.ts';
import { StorageError } from '../storage/storage-error.ts';
import type { Command } from './commands.ts';
import { print, withProgress } from './terminal.ts';

const issuesShownMax = 100;
const audits: readonly Audit[] = [
  userAudit,
  suspensionAudit,
  totpAudit,
  sessionAudit,
  keyAudit,
  customerAudit,
  orderAudit,
  productAudit,
  eventAudit,
  webhookAudit,
];

export const check: Command = {
  summary: 'checks the database; the exit status is 1 if anything is wrong',
  operands: [],
  flags: [],
  async run({ config: { data } }) {
    const file = databaseFile(data);
    const issues: string[] = [];
    const counts = await fromDatabase(file, migrations.length, async (sqlite, version) => {
      if (version === migrations.length)
        return await auditAll(new Connection(sqlite), (issue) => issues.push(issue));
      throw new StorageError(
        `${file} was written by an older orderly: start the service once to migrate it, ` +
          'or check it with the older version.',
      );
    });
    if (issues.length === 0) return `${counts.join(', ')}\n${file} is sound.`;
    await print(issueText(file, issues));
    return 1;
  },
};

async function auditAll(db: Connection, report: (issue: string) => void): Promise<string[]> {
  await withProgress('Pages and indexes', (reportProgress) => {
    reportProgress(0); // SQLite reports no progress
    integrityIssues(db).forEach(report);
  });
  if (hasUsers(db) && !hasAdmins(db))
    report('There are users, but no administrator; "orderly admin create" creates one.');
  const counts: string[] = [];
  for (const audit of audits) {
    const rows = await withProgress(`${audit.thing}s`, (progress) =>
      auditRows(db, audit, { report, progress }),
    );
    counts.push(`${audit.thing}s: ${rows}`);
  }
  await withProgress('Search of customers', () => auditCustomerSearch(db, report));
  await withProgress('Ids of events', () => auditEventIds(db, report));
  for (const history of auditedHistories)
    await withProgress(`Events of ${history.table}`, (progress) =>
      auditHistories(db, history, { report, progress }),
    );
  return counts;
}

function issueText(file: string, issues: readonly string[]): string {
  const more = issues.length > issuesShownMax ? [`… and ${issues.length - issuesShownMax} more`] : [];
  return [
    ...issues.slice(0, issuesShownMax),
    ...more,
    `${file} is not sound. Restore a backup, or make a copy before you repair anything.`,
  ].join('\n');
}
