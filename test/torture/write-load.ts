// A thread that writes at a steady rate, so that its requests aren't in step with those of the thread that
// reads.
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { openLanes, pace } from './lanes.ts';

type Load = {
  readonly port: number;
  readonly request: string;
  readonly perSecond: number;
  readonly seconds: number;
};

/** Milliseconds of each write, sorted. */
export function writeBeside(load: Load): Promise<number[]> {
  const { promise, resolve, reject } = Promise.withResolvers<number[]>();
  new Worker(import.meta.filename, { workerData: load }).on('message', resolve).on('error', reject);
  return promise;
}

if (!isMainThread && parentPort !== null) {
  const { port, request, ...load }: Load = workerData;
  const lanes = await openLanes(port, 64);
  parentPort.postMessage(await pace(lanes, { ...load, status: 201, next: () => request }));
  for (const lane of lanes) lane.close();
}
