// The process whose power is cut: writes notes over and over, recording what was answered, until the log was
// folded in some times.
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../src/storage/database.ts';

const [, , folder = '', folds = '3'] = process.argv;
const notes = 2_000;
const text = 'x'.repeat(6_000);

const database = await openDatabase({
  folder,
  migrations: [
    {
      name: 'notes',
      sql: 'CREATE TABLE notes (id INTEGER PRIMARY KEY, version INTEGER NOT NULL, text TEXT NOT NULL) STRICT',
    },
  ],
  onSync() {},
  onForeignChange() {},
  onFatal(error) {
    throw error;
  },
});
const answered = openSync(join(folder, 'orderly.answered'), 'w');
let at = 0;

async function write(id: number): Promise<void> {
  for (let version = 1; database.stats.checkpoints < Number(folds); version += 1) {
    await database.write((db) =>
      db.run(
        'INSERT INTO notes VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET version = excluded.version',
        id,
        version,
        text,
      ),
    );
    const line = `${id} ${version}\n`;
    at += writeSync(answered, line, at);
    if (id % 16 === 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
  }
}

await Promise.all(Array.from({ length: notes }, (_, id) => write(id)));
process.exit(); // not closed, which would put everything on disk
