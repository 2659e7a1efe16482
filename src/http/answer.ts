// Answers: header fields, conditional requests, problems, CORS; and what log and metrics learn of them.
import { performance } from 'node:perf_hooks';
import { Problem } from '../errors.ts';
import { urlBytesMax } from '../limits.ts';
import type { Log } from '../log.ts';
import { isUnmodified } from './conditional.ts';
import type { Exchange } from './exchange.ts';
import type { Metrics } from './metrics.ts';
import { problemAnswer } from './problem.ts';
import { wireText, type Representation } from './representation.ts';
import type { Route } from './route.ts';
import { allowOf, type Mounted } from './router.ts';

export type AnswerOptions = {
  readonly publicUrl: string;
  readonly isTls: boolean;
  readonly corsOrigins: ReadonlySet<string>;
  readonly isStopping: () => boolean;
  readonly log: Log;
  readonly metrics: Metrics;
};

export type Answerer = {
  answer(exchange: Exchange, route: Route, made: Representation<unknown>): void;
  /** An answer given before, again. */
  repeat(exchange: Exchange, route: Route, kept: KeptAnswer): void;
  answerOptions(exchange: Exchange, methods: ReadonlyMap<string, Mounted>): undefined;
  answerProblem(exchange: Exchange, problem: Problem): void;
};
export type KeptAnswer = { readonly status: number; readonly location: string | null; readonly etag: string; readonly text: string };

export const jsonPolicy = "default-src 'none'; frame-ancestors 'none'";
const exposed = 'ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id, Idempotency-Replayed, Deprecation, Sunset';
const preflightSeconds = 600;

export function createAnswerer(options: AnswerOptions): Answerer {
  const { isTls, corsOrigins, isStopping, log, metrics } = options;
  const vary = corsOrigins.size > 0 ? 'Accept, Authorization, X-API-Key, Origin' : 'Accept, Authorization, X-API-Key';

  /** What every answer has. One flat array: `node:http` writes it without looking names up. */
  function head(exchange: Exchange): string[] {
    const fields = ['X-Request-Id', exchange.requestId];
    const { allowance, otherAllowances } = exchange;
    if (allowance !== undefined && otherAllowances === undefined) fields.push('RateLimit-Policy', allowance.policy, 'RateLimit', allowance.limit);
    else if (allowance !== undefined) addAllowances(fields, [allowance, ...(otherAllowances ?? [])]);
    if (isTls) fields.push('Strict-Transport-Security', 'max-age=31536000');
    if (isStopping()) fields.push('Connection', 'close');
    if (corsOrigins.size > 0) addCors(fields, exchange);
    const deprecated = exchange.mounted?.route.deprecated;
    if (deprecated !== undefined) addDeprecation(fields, deprecated);
    return fields;
  }

  function addCors(fields: string[], { fields: asked }: Exchange): void {
    if (asked.origin === undefined || !corsOrigins.has(asked.origin)) return;
    fields.push('Access-Control-Allow-Origin', asked.origin, 'Access-Control-Expose-Headers', exposed);
  }

  function answer(exchange: Exchange, route: Route, made: Representation<unknown>): void {
    const { reply } = route;
    if (reply.kind === 'none') return send(exchange, 204, head(exchange), '');
    const fields = head(exchange);
    fields.push('ETag', made.etag, 'Cache-Control', reply.cacheControl, 'Vary', vary);
    if (made.next !== undefined && made.next !== null) fields.push('Link', `<${made.next}>; rel="next"`);
    if (reply.status === 200 && route.method === 'GET' && isUnmodified(exchange.fields, made.etag)) return send(exchange, 304, fields, '');
    if (reply.location !== undefined) fields.push('Location', reply.location(made));
    if (made.fields === undefined) fields.push('Content-Security-Policy', jsonPolicy);
    else fields.push(...made.fields);
    sendBody(exchange, reply.status, fields, made.mediaType, made.text);
  }

  function repeat(exchange: Exchange, route: Route, kept: KeptAnswer): void {
    const fields = head(exchange);
    fields.push('ETag', kept.etag, 'Cache-Control', route.reply.cacheControl, 'Vary', vary, 'Idempotency-Replayed', 'true', 'Content-Security-Policy', jsonPolicy);
    if (kept.location !== null) fields.push('Location', kept.location);
    sendBody(exchange, kept.status, fields, 'application/json', kept.text);
  }

  function answerOptions(exchange: Exchange, methods: ReadonlyMap<string, Mounted>): undefined {
    const fields = head(exchange);
    const allow = allowOf(methods);
    fields.push('Allow', allow.join(', '));
    if (methods.has('PATCH')) fields.push('Accept-Patch', 'application/merge-patch+json, application/json');
    const { origin, requestMethod } = exchange.fields;
    if (origin !== undefined && corsOrigins.has(origin) && requestMethod !== undefined) {
      const asks = 'Authorization, Content-Type, X-API-Key, X-Request-Id, If-Match, If-None-Match, Idempotency-Key, Accept';
      fields.push('Access-Control-Allow-Methods', allow.join(', '), 'Access-Control-Allow-Headers', asks, 'Access-Control-Max-Age', String(preflightSeconds));
    }
    if (corsOrigins.size > 0) fields.push('Vary', 'Origin');
    send(exchange, 204, fields, '');
  }

  function answerProblem(exchange: Exchange, problem: Problem): void {
    const { publicUrl } = options;
    const invalidStatus = exchange.mounted?.invalidStatus ?? 400;
    const { status, fields: own, json } = problemAnswer(problem, { publicUrl, invalidStatus, path: exchange.path.slice(0, urlBytesMax), requestId: exchange.requestId });
    if (problem.kind === 'quota-exceeded') metrics.refusals.rate += 1;
    if (problem.kind === 'unavailable') metrics.refusals.unavailable += 1;
    const fields = head(exchange);
    fields.push(...own, 'Cache-Control', 'no-store', 'Content-Security-Policy', jsonPolicy);
    // A client that was to wait for 100 Continue may or may not send its body now: the connection can't go on.
    if (exchange.expectsContinue && !isStopping()) fields.push('Connection', 'close');
    sendBody(exchange, status, fields, 'application/problem+json', wireText(json));
  }

  function sendBody(exchange: Exchange, status: number, fields: string[], mediaType: string, text: string): void {
    fields.push('Content-Type', mediaType, 'Content-Length', String(text.length), 'X-Content-Type-Options', 'nosniff');
    send(exchange, status, fields, text);
  }

  /** `text` is latin1: each character a byte, so it leaves with the head in one write. */
  function send(exchange: Exchange, status: number, fields: string[], text: string): void {
    const { response } = exchange;
    if (response.headersSent || response.destroyed) return;
    response.writeHead(status, fields);
    response.end(text, 'latin1');
    finish(exchange, status);
  }

  function finish(exchange: Exchange, status: number): void {
    const { requestId, method, path, caller, fields } = exchange;
    const milliseconds = performance.now() - exchange.startedAt;
    metrics.observe(exchange.mounted?.index ?? -1, status, milliseconds);
    log.request({ requestId, method, path, status, milliseconds, principal: caller?.principal ?? null, traceparent: fields.traceparent }, exchange.now);
  }

  return { answer, repeat, answerOptions, answerProblem };
}

function addAllowances(fields: string[], allowances: readonly { readonly policy: string; readonly limit: string }[]): void {
  fields.push('RateLimit-Policy', allowances.map(({ policy }) => policy).join(', '), 'RateLimit', allowances.map(({ limit }) => limit).join(', '));
}

/** RFC 9745 and RFC 8594. */
function addDeprecation(fields: string[], { since, sunset, see }: NonNullable<Route['deprecated']>): void {
  fields.push('Deprecation', `@${Math.floor(since.getTime() / 1000)}`);
  if (sunset !== undefined) fields.push('Sunset', sunset.toUTCString());
  if (see !== undefined) fields.push('Link', `<${see}>; rel="deprecation"; type="text/html"`);
}
