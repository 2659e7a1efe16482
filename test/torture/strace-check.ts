// `npm run check:sync`: strace shows that no response to a change, or to a read of it, leaves before the WAL
// was synced after its commit.
import { noStrace, traceWrites } from './traced-writes.ts';

const unable = noStrace();
if (unable !== false) throw new Error(unable);
const { violations, responses, expected, reads, expectedReads, commits, syncs } = await traceWrites(3_000);
for (const violation of violations.slice(0, 20)) console.log(violation);
const verdict =
  violations.length === 0
    ? 'each response came after a sync that began after its commit'
    : `${violations.length} violations`;
console.log(
  `${responses} of ${expected} responses to changes and ${reads} of ${expectedReads} to reads found in the ` +
    `trace, ${commits} commits and ${syncs} syncs of the WAL: ${verdict}`,
);
const isComplete = responses === expected && reads === expectedReads;
process.exitCode = isComplete && violations.length === 0 ? 0 : 1;
