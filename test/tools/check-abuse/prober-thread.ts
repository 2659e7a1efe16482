// The thread of `prober.ts`: requests one path repeatedly, on one connection or on new ones, and records how
// long each response took.
import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import type { ProbeOptions, Probed } from './prober.ts';

const { port, path, headers, everyMilliseconds, isAnew } = workerData as ProbeOptions; // made by prober.ts
const answerMillisecondsMax = 30_000;
const agent = new Agent({ keepAlive: !isAnew, maxSockets: 1 });
const milliseconds: number[] = [];
const statuses: number[] = [];
let isStopped = false;
let askedAt: number | undefined;

parentPort?.on('message', () => {
  isStopped = true;
  if (askedAt !== undefined) {
    milliseconds.push(performance.now() - askedAt); // what is outstanding has taken at least that
    statuses.push(200);
  }
  parentPort?.postMessage({ milliseconds, statuses } satisfies Probed);
  agent.destroy();
  parentPort?.close();
});

while (!isStopped) {
  const start = performance.now();
  askedAt = start;
  const status = await statusOnce();
  if (isStopped) break;
  askedAt = undefined;
  const took = performance.now() - start;
  milliseconds.push(took);
  statuses.push(status);
  await new Promise((resolve) => setTimeout(resolve, Math.max(1, everyMilliseconds - took)));
}

function statusOnce(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const sent = request({ host: '127.0.0.1', port, path, headers, agent });
  sent.setTimeout(answerMillisecondsMax, () => sent.destroy());
  sent.on('response', (response) => {
    response.resume();
    response.on('close', () => resolve(response.statusCode ?? 0));
  });
  sent.on('error', () => resolve(0));
  sent.end();
  return promise;
}
