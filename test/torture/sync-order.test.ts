// No response leaves before the sync that makes it true; and the judge of that detects wrong orders.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from './sync-order.ts';
import { noStrace, traceWrites } from './traced-writes.ts';

const header = (databasePages: string): string =>
  '7 pwrite64(21</d/orderly.db-wal>, ' +
  `"\\0\\0\\0\\t${databasePages}\\1\\2\\3\\4\\5\\6\\7\\10abcdefgh", 24, 32) = 24`;
const page = '7 pwrite64(21</d/orderly.db-wal>, "\\r\\0\\0many-000001", 4096, 56) = 4096';
const commit = [header('\\0\\0\\0\\31'), page];
const response =
  '7 write(30<socket:[99]>, "HTTP/1.1 201 Created\\r\\nX-Request-Id: many-000001\\r\\n\\r\\n{}", 60) = 60';
const alone = response.replace('many-000001', 'solo-1');
const read = response.replace('many-000001', 'read-1').replace('{}', '{\\"note\\":\\"many-000001\\"}');
const sync = '8 fdatasync(22</d/orderly.db-wal>) = 0';
const syncBegins = '8 fdatasync(22</d/orderly.db-wal> <unfinished ...>';
const syncEnds = '8 <... fdatasync resumed>) = 0';

const right: readonly (readonly [name: string, trace: readonly string[]])[] = [
  ['commit, sync, response', [...commit, sync, response]],
  ['commit, a sync in two lines, response', [...commit, syncBegins, syncEnds, response]],
  ['a sync that was too early, and one that was not', [syncBegins, ...commit, syncEnds, sync, response]],
  ['a request alone', [...commit, sync, alone]],
  ['a read after the sync, beside its change', [...commit, sync, read, response]],
];
const wrong: readonly (readonly [name: string, trace: readonly string[]])[] = [
  ['no sync', [...commit, response]],
  ['no commit', [sync, response]],
  ['a sync before the commit', [sync, ...commit, response]],
  ['a sync that began before the commit', [syncBegins, ...commit, syncEnds, response]],
  ['a sync that ended after the response', [...commit, syncBegins, response, syncEnds]],
  ['a sync of another file', [...commit, sync.replace('orderly.db-wal', 'orderly.db'), response]],
  ['a sync that failed', [...commit, sync.replace('= 0', '= -1 EIO (Input/output error)'), response]],
  ['a commit that was only begun', [header('\\0\\0\\0\\0'), page, sync, response]],
  ['a request alone, after another’s commit', [...commit, sync, alone, alone.replace('solo-1', 'solo-2')]],
];

const wrongReads: readonly (readonly [name: string, trace: readonly string[]])[] = [
  ['a read between the commit and its sync', [...commit, read, sync, response]],
  ['a read while the sync runs', [...commit, syncBegins, read, syncEnds, response]],
  ['a read of what no commit has', [read]],
];

for (const [name, trace] of right) {
  test(`in a trace this is right: ${name}`, () => {
    const { violations, responses } = judge(trace.join('\n'));
    assert.deepEqual({ violations, responses }, { violations: [], responses: 1 });
  });
}
for (const [name, trace] of [...wrong, ...wrongReads])
  test(`in a trace this is wrong: ${name}`, () => assert.equal(judge(trace.join('\n')).violations.length, 1));

test(
  'no response to a change or a read of it leaves before a sync of the log that began after its commit',
  { skip: noStrace() },
  async () => {
    const { violations, responses, expected, reads, expectedReads } = await traceWrites(300);
    assert.deepEqual(violations, []);
    assert.equal(responses, expected);
    assert.equal(reads, expectedReads);
    assert(responses > 300);
  },
);
