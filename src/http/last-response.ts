// The whole response to what never became a request: its connection ends after it.
import type { Problem } from '../problem.ts';
import type { Logger } from '../logger.ts';
import { addressBucket } from '../network/address-buckets.ts';
import type { LogAllowance } from './log-allowance.ts';
import { problemJson } from './media-types.ts';
import type { Metrics } from './metrics.ts';
import { problemResponse } from './problem-response.ts';
import { toWireLatin1 } from './representation.ts';
import type { RequestStart } from './request-start.ts';
import { addBodyFields, lastHeadText, problemFields, strictTransport } from './response-head.ts';

/** What is known of it. */
export type UnparsedRequest = {
  /** Undefined if its bytes don't show any. */
  readonly start: RequestStart | undefined;
  /** The other end of the connection; null once it has gone. */
  readonly address: string | null;
  /** Whether the connection itself is TLS. */
  readonly isEncrypted: boolean;
};

type Options = {
  readonly publicUrl: string;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly logAllowance: LogAllowance;
  /** If the client sent no valid one. */
  readonly requestId: string;
  readonly now: number;
};

/** Counts and logs it, and returns the bytes of the response. */
export function rejectUnparsedRequest(
  problem: Problem,
  { start, address, isEncrypted }: UnparsedRequest,
  { publicUrl, metrics, log, logAllowance, requestId: ownId, now }: Options,
): string {
  const { method = '-', path, requestId = ownId } = start ?? {};
  const context = { publicUrl, invalidStatus: 400, path: path ?? '/', requestId } as const;
  const { status, fields, json } = problemResponse(problem, context);
  const text = toWireLatin1(json);
  metrics.observe(-1, status, 0);
  const line = { requestId, method, path: path ?? '-', status, address, milliseconds: 0 };
  if (logAllowance.permits(addressBucket(address ?? ''), status))
    log.request({ ...line, principal: null, traceparent: undefined }, now);
  const all = ['X-Request-Id', requestId];
  if (isEncrypted) all.push(...strictTransport);
  all.push(...fields, ...problemFields);
  addBodyFields(all, problemJson, text.length);
  const head = lastHeadText({ status, fields: all }, now);
  return method === 'HEAD' ? head : head + text;
}
