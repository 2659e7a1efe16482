// What backups leave: the time of the last one, and no files of those that were killed.
import { sampleOf } from '../support/http-support.ts';
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { backup, lastBackupAt } from '../../src/storage/backup.ts';
import { keepBackup } from '../../src/storage/kept-backups.ts';
import { serviceFor } from '../support/service.ts';
import { newFolder } from '../support/command-support.ts';
import { openNotes } from '../support/storage-support.ts';

test('a kept backup removes the old files of killed ones, and nothing else', async (t) => {
  const folder = join(newFolder(t), 'of.db.partial'); // only the names in the folder count
  mkdirSync(folder);
  await openNotes(t, { folder });
  const kept = join(folder, 'backups');
  mkdirSync(kept);
  const longAgo = new Date(Date.now() - 2 * 3_600_000);
  const left = (name: string, time = new Date()): void => {
    writeFileSync(join(kept, name), '');
    utimesSync(join(kept, name), time, time);
  };
  for (const end of ['', '-journal']) left(`20260301T093000000Z.db.partial${end}`, longAgo);
  const others = ['20260301T093000001Z.db.partial', 'download.partial'];
  left('20260301T093000001Z.db.partial');
  left('download.partial', longAgo);
  const file = await keepBackup(folder, Date.now());
  assert.deepEqual(readdirSync(kept).toSorted(), [...others, basename(file)].toSorted());
});

test('the metrics show when the last backup was made, once there is one', async (t) => {
  const service = await serviceFor(t);
  const lastBackup = (): Promise<number> => sampleOf(service, 'orderly_last_backup_timestamp_seconds');
  assert.equal(await lastBackup(), Number.NaN);
  const before = Math.floor(Date.now() / 1000);
  const copy = join(service.folder, 'copy.db');
  await backup(service.folder, copy);
  const seconds = await lastBackup();
  assert.ok(seconds >= before && seconds <= Date.now() / 1000, `${seconds}`);
  assert.equal(Math.floor((lastBackupAt(service.folder) ?? 0) / 1000), seconds);
  rmSync(copy);
});

test('the metrics show when the certificate in use expires', async (t) => {
  const service = await serviceFor(t, { settings: { tls: 'self-signed' } });
  const expected = Math.floor(service.clock.now / 1000) + 396 * 86_400;
  assert.equal(service.inside?.metricsText().includes(`_end_timestamp_seconds ${expected}\n`), true);
});
