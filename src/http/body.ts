// Reads a request's body, unless it is rejected before it arrives.
import type { Problem } from '../problem.ts';
import type { Exchange } from './exchange.ts';

/** Calls `take` with the whole body, or `reject`. Throws a problem that is known before the body arrives. */
export function readBody(
  exchange: Exchange,
  take: (body: Buffer) => void,
  reject: (problem: Problem) => void,
): void {
  const { incomingBody } = exchange;
  if (incomingBody?.problem !== undefined) throw incomingBody.problem;
  exchange.sendContinue();
  if (incomingBody === undefined) return take(Buffer.alloc(0));
  incomingBody.deliver(take, reject);
}
