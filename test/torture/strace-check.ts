// `npm run check:sync`: no answer to a change leaves before the log was synced after its commit, seen from
// outside.
import { noStrace, traceWrites } from './traced-writes.ts';

const unable = noStrace();
if (unable !== false) throw new Error(unable);
const { faults, answers, expected, commits, syncs } = await traceWrites(3_000);
for (const fault of faults.slice(0, 20)) console.log(fault);
const verdict =
  faults.length === 0
    ? 'each answer came after a sync that began after its commit'
    : `${faults.length} FAULTS`;
console.log(
  `${answers} of ${expected} answers found in the trace, ${commits} commits and ${syncs} syncs of ` +
    `the log: ${verdict}`,
);
process.exitCode = faults.length === 0 && answers === expected ? 0 : 1;
