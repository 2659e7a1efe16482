// `orderly check`: verifies the database, from its pages to the sums of its orders.
import { auditHistories } from '../features/events/history-audit-store.ts';
import type { CommandLine } from '../service/command-line.ts';
import { maintenance, migrations } from '../service/features.ts';
import { auditRows } from '../storage/audit.ts';
import { integrityIssues, fromDatabase } from '../storage/backup.ts';
import { Connection } from '../storage/connection.ts';
import { databaseFile } from '../storage/database-file.ts';
import { tableIssues, schemaState } from '../storage/migrations.ts';
import { StorageError } from '../storage/storage-error.ts';
import { print, withProgress } from './terminal.ts';

const issuesShownMax = 100;

export async function checkDatabase({ config: { dataFolder } }: CommandLine): Promise<string | number> {
  const file = databaseFile(dataFolder);
  const issues: string[] = [];
  const lines = await fromDatabase(file, async (sqlite) => {
    if (schemaState(file, migrations)?.pending.length === 0) {
      const db = new Connection(sqlite);
      issues.push(...tableIssues(db, migrations));
      // a view in place of a table may have no end
      if (issues.some((issue) => issue.startsWith('The table '))) return [];
      return await auditAll(db, (issue) => issues.push(issue));
    }
    throw new StorageError(
      `${file} was written by an older orderly: start the service once to migrate it, ` +
        'or check it with the older version.',
    );
  });
  if (issues.length === 0) return [...lines, `${file} is sound.`].join('\n');
  await print(issueText(file, issues));
  return 1;
}

async function auditAll(db: Connection, report: (issue: string) => void): Promise<string[]> {
  await withProgress('Pages and indexes', (reportProgress) => {
    reportProgress(0); // SQLite reports no progress
    integrityIssues(db).forEach(report);
  });
  const parts = await maintenance();
  const counts: string[] = [];
  const notes = parts.flatMap((part) => part.notes?.(db) ?? []);
  for (const audit of parts.flatMap(({ audits = [] }) => audits)) {
    const rows = await withProgress(`${audit.thing}s`, (progress) =>
      auditRows(db, audit, { report, progress }),
    );
    counts.push(`${audit.thing}s: ${rows}`);
  }
  for (const { title, run } of parts.flatMap(({ checks = [] }) => checks))
    await withProgress(title, () => run(db, report));
  for (const history of parts.flatMap(({ histories = [] }) => histories))
    await withProgress(`Events of ${history.table}`, (progress) =>
      auditHistories(db, history, { report, progress }),
    );
  return [counts.join(', '), ...notes];
}

function issueText(file: string, issues: readonly string[]): string {
  const more = issues.length > issuesShownMax ? [`… and ${issues.length - issuesShownMax} more`] : [];
  return [
    ...issues.slice(0, issuesShownMax),
    ...more,
    `${file} is not sound. Restore a backup, or make a copy before you repair anything.`,
  ].join('\n');
}
