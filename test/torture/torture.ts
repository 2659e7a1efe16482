// `npm run torture`: kills the service repeatedly, and compares what it then has with its responses.
import { parseArgs } from 'node:util';
import { progress, torture } from './torture-rounds.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  },
});
const start = performance.now();
console.log(`${values.rounds} rounds, seed ${values.seed}`);
const result = await torture({
  rounds: Number(values.rounds),
  seed: Number(values.seed),
  roundsInFolder: 10,
  loadMillisecondsMax: 1_200,
  checkpointShare: 0.15,
  print: (line) => console.log(line),
});
for (const violation of result.violations.slice(0, 50)) console.log(violation);
console.log(`${progress(result)}; ${Math.round((performance.now() - start) / 1000)} s`);
process.exitCode = result.violations.length === 0 ? 0 : 1;
