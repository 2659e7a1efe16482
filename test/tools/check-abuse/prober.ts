// The effect of an attack on other clients, measured on a thread of its own, so that the attacker's load
// doesn't distort it.
import { Worker } from 'node:worker_threads';

export type ProbeOptions = {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly everyMilliseconds: number;
  /** Whether each request has a connection of its own. */
  readonly isAnew: boolean;
};

export type Probed = { readonly milliseconds: readonly number[]; readonly statuses: readonly number[] };

export type Prober = { stop(): Promise<Probed> };

const optionsDefault = { path: '/health/live', headers: {}, everyMilliseconds: 10, isAnew: false } as const;

/** Resolves once the thread runs. */
export async function startProber(
  port: number,
  options: Partial<Omit<ProbeOptions, 'port'>> = {},
): Promise<Prober> {
  const workerData: ProbeOptions = { ...optionsDefault, ...options, port };
  const worker = new Worker(new URL('./prober-thread.ts', import.meta.url), { workerData });
  await new Promise((resolve, reject) => worker.once('online', resolve).once('error', reject));
  return { stop: () => stop(worker) };
}

/** `others: median 1 ms, p99 4, max 12 of 812 (200)`. */
export function latencyOf({ milliseconds, statuses }: Probed): string {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
  const failed = statuses.filter((status) => status !== 200).length;
  const failures = failed === 0 ? '' : `, ${failed} without a 200`;
  const count = `${sorted.length} requests${failures}`;
  return `others: median ${at(0.5)} ms, p99 ${at(0.99)}, max ${at(1)} of ${count}`;
}

/** Figures of other clients while `work` runs. */
export async function probedDuring<T>(
  port: number,
  work: () => Promise<T>,
  options: Partial<Omit<ProbeOptions, 'port'>> = {},
): Promise<readonly [T, string]> {
  const prober = await startProber(port, options);
  const result = await work().catch(async (error: unknown) => {
    await prober.stop();
    throw error;
  });
  return [result, latencyOf(await prober.stop())];
}

function stop(worker: Worker): Promise<Probed> {
  const { promise, resolve, reject } = Promise.withResolvers<Probed>();
  worker.once('message', resolve).once('error', reject);
  worker.postMessage('stop');
  return promise;
}
