// `npm run check:sync`: no response to a change leaves before the log was synced after its commit, seen from
// outside.
import { noStrace, traceWrites } from './traced-writes.ts';

const unable = noStrace();
if (unable !== false) throw new Error(unable);
const { violations, responses, expected, commits, syncs } = await traceWrites(3_000);
for (const violation of violations.slice(0, 20)) console.log(violation);
const verdict =
  violations.length === 0
    ? 'each response came after a sync that began after its commit'
    : `${violations.length} FAULTS`;
console.log(
  `${responses} of ${expected} responses found in the trace, ${commits} commits and ${syncs} syncs of ` +
    `the log: ${verdict}`,
);
process.exitCode = violations.length === 0 && responses === expected ? 0 : 1;
