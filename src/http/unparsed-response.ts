// The last response on a connection whose bytes are no valid request, as one text.
import { headerLine } from '../header-lines.ts';
import type { Problem } from '../problem.ts';
import type { Logger } from '../logger.ts';
import { addressBucket } from '../network/address-buckets.ts';
import type { LogAllowance } from './log-allowance.ts';
import { problemJson } from './media-types.ts';
import type { Metrics } from './metrics.ts';
import { problemResponse } from './problem-response.ts';
import { toWireLatin1 } from './representation.ts';
import type { RequestStart } from './request-start.ts';
import { bodyLines, lastHeadText, problemLines, strictTransport } from './response-head.ts';

export type UnparsedRequest = {
  /** Undefined if the bytes don't begin like a request. */
  readonly start: RequestStart | undefined;
  /** The address at the other end; null once the connection is closed. */
  readonly address: string | null;
  /** Whether the connection itself is TLS. */
  readonly isEncrypted: boolean;
};

type UnparsedResponseOptions = {
  readonly publicUrl: string;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly logAllowance: LogAllowance;
  /** Used if the client sent no valid id. */
  readonly requestId: string;
  readonly now: number;
};

/** Counts and logs the request, and returns the response: one character a byte. */
export function unparsedResponse(
  problem: Problem,
  { start, address, isEncrypted }: UnparsedRequest,
  { publicUrl, metrics, log, logAllowance, requestId: ownId, now }: UnparsedResponseOptions,
): string {
  const { method = '-', path, requestId = ownId } = start ?? {};
  const context = { publicUrl, invalidStatus: 400, path: path ?? '/', requestId } as const;
  const { status, lines, json } = problemResponse(problem, context);
  const text = toWireLatin1(json);
  metrics.observe(undefined, status, 0);
  const line = { requestId, method, path: path ?? '-', status, address, milliseconds: 0 };
  if (logAllowance.takeLine(addressBucket(address ?? ''), status))
    log.request({ ...line, principal: null, traceparent: undefined }, now);
  const all =
    headerLine('X-Request-Id', requestId) +
    (isEncrypted ? strictTransport : '') +
    lines +
    problemLines +
    bodyLines(problemJson, text.length);
  const head = lastHeadText({ status, lines: all }, now);
  return method === 'HEAD' ? head : head + text;
}
