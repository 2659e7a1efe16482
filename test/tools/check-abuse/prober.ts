// The effect of an attack on other clients, measured on a thread of its own, so that the attacker's load doesn't
// distort it: one request after the other, on one connection or each on a new one.
import { setTimeout as pause } from 'node:timers/promises';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { createLoadClient } from '../../support/load-client.ts';

type Probe = {
  readonly port: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isAnew?: true;
};
type Probed = { readonly times: readonly number[]; readonly failures: number };

const everyMilliseconds = 10;
const replyMillisecondsMax = 30_000;

/** Returns figures of other clients while `work` runs: `others: median 1.0 ms, p99 4.0, max 12.1 of 812 requests`. */
export async function othersDuring(
  port: number,
  work: () => Promise<unknown>,
  options: Omit<Probe, 'port'> = {},
): Promise<string> {
  const worker = new Worker(import.meta.filename, { workerData: { ...options, port } satisfies Probe });
  await new Promise((resolve, reject) => worker.once('online', resolve).once('error', reject));
  const { promise, resolve, reject } = Promise.withResolvers<Probed>();
  worker.once('message', resolve).once('error', reject);
  await work().finally(() => worker.postMessage('stop'));
  const { times, failures } = await promise;
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
  const failed = failures === 0 ? '' : `, ${failures} without a 200`;
  return `others: median ${at(0.5)} ms, p99 ${at(0.99)}, max ${at(1)} of ${sorted.length} requests${failed}`;
}

async function probe({ port, headers = {}, isAnew }: Probe): Promise<never> {
  const times: number[] = [];
  let failures = 0;
  let askedAt: number | undefined;
  parentPort?.once('message', () => {
    if (askedAt !== undefined) times.push(performance.now() - askedAt); // it has taken at least that
    parentPort?.postMessage({ times, failures } satisfies Probed);
    process.exit();
  });
  const open = () => createLoadClient(port, { connections: 1, headers, replyMillisecondsMax });
  let client = open();
  for (;;) {
    askedAt = performance.now();
    const { status, milliseconds } = await client.attempt({ method: 'GET', path: '/health/live' });
    askedAt = undefined;
    times.push(milliseconds);
    if (status !== 200) failures += 1;
    if (isAnew === true) {
      client.close();
      client = open();
    }
    await pause(Math.max(1, everyMilliseconds - milliseconds));
  }
}

if (!isMainThread) await probe(workerData);
