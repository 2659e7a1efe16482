// What backups leave: the time of the last one, and no files of those that were killed.
import assert from 'node:assert/strict';
import { existsSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { backup } from '../../src/storage/backup.ts';
import { lastBackupAt } from '../../src/storage/backup-traces.ts';
import { serviceFor } from '../support/service.ts';
import { newFolder } from '../support/command-support.ts';
import { openNotes } from '../support/storage-support.ts';

test('a backup removes the old files of killed backups beside it, and nothing else', async (t) => {
  const folder = newFolder(t);
  await openNotes(t, { folder });
  const longAgo = new Date(Date.now() - 2 * 3_600_000);
  const left = (name: string, time = new Date()): string => {
    const file = join(folder, name);
    writeFileSync(file, '');
    utimesSync(file, time, time);
    return file;
  };
  const stale = [left('old.db.partial', longAgo), left('old.db.partial-journal', longAgo)];
  const others = [
    left('running.db.partial'),
    left('running.db.partial-journal'),
    left('download.partial', longAgo),
    left('old.db', longAgo),
  ];
  await backup(folder, join(folder, 'copy.db'));
  assert.deepEqual(
    stale.filter((file) => existsSync(file)),
    [],
  );
  assert.deepEqual(
    others.filter((file) => existsSync(file)),
    others,
  );
});

test('the metrics show when the last backup was made, once there is one', async (t) => {
  const service = await serviceFor(t);
  const line = /^orderly_last_backup_timestamp_seconds (\d+)$/m;
  assert.doesNotMatch((await service.get('/metrics')).text, line);
  const before = Math.floor(Date.now() / 1000);
  const copy = join(service.folder, 'copy.db');
  await backup(service.folder, copy);
  const [, seconds = ''] = line.exec((await service.get('/metrics')).text) ?? [];
  assert.ok(Number(seconds) >= before && Number(seconds) <= Date.now() / 1000, seconds);
  assert.equal(Math.floor((lastBackupAt(service.folder) ?? 0) / 1000), Number(seconds));
  rmSync(copy);
});

test('the metrics show when the certificate in use expires', async (t) => {
  const service = await serviceFor(t, { settings: { tls: 'self-signed' } });
  const expected = Math.floor(service.clock.now / 1000) + 396 * 86_400;
  assert.equal(service.inside?.app.metricsText().includes(`_end_timestamp_seconds ${expected}\n`), true);
});
