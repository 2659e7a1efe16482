// The context that a handler receives, created from the exchange once the request has been read.
import assert from 'node:assert';
import type { Caller } from '../auth/access.ts';
import type { SecurityEvent } from '../security-event.ts';
import type { Connection, WriteCallback } from '../storage/connection.ts';
import type { Database } from '../storage/database.ts';
import { permitFor, type Permit } from '../storage/permit.ts';
import type { CallerChecks } from './caller-checks.ts';
import { checkConditions, isConditional } from './conditional.ts';
import type { Exchange } from './exchange.ts';
import type { ObjectResult } from './handler-result.ts';
import { mediaTypeOf } from './negotiate.ts';
import type { QueryValues } from './query.ts';
import type { Limiter } from '../rates/limiter.ts';
import type { BodySource } from './request-body.ts';
import { RequestDatabase } from './request-database.ts';
import type { Context, HandlerDatabase, Route } from './route.ts';

/** The route, and the parts of the request that were read by its schemas. */
export type ParsedRequest = {
  readonly route: Route;
  readonly mediaType: string;
  readonly query: QueryValues;
  readonly body: unknown;
};

export type HandlerDependencies = { readonly database: Database; readonly callers: CallerChecks };

type ResultStorer = (writer: Connection, result: ObjectResult<unknown>) => void;

export class HandlerContext implements Context<object, QueryValues, unknown, Caller | undefined> {
  readonly exchange: Exchange;
  readonly route: Route;
  readonly params: object;
  readonly query: QueryValues;
  readonly body: unknown;
  readonly mediaType: string;
  readonly caller: Caller | undefined;
  readonly database: HandlerDatabase;
  readonly #callers: CallerChecks;
  #storeResult: ResultStorer | undefined = undefined;
  #isPreconditionChecked = false;

  constructor(
    exchange: Exchange,
    { route, mediaType, query, body }: ParsedRequest,
    { database, callers }: HandlerDependencies,
  ) {
    this.exchange = exchange;
    this.route = route;
    this.params = exchange.match?.params ?? noParams;
    this.query = query;
    this.body = body;
    this.mediaType = mediaType;
    this.caller = exchange.caller;
    this.database = new RequestDatabase(database, exchange);
    this.#callers = callers;
  }

  /** Has the result of `writeResult` stored in the same transaction, for an Idempotency-Key. */
  storeResultWith(store: ResultStorer): void {
    this.#storeResult = store;
  }

  /** Storing the result throws only if the storage fails, which no savepoint could undo. */
  writeResult<R extends ObjectResult<unknown>>(callback: WriteCallback<R>): Promise<R> {
    const store = this.#storeResult;
    if (store === undefined) return this.database.write(callback);
    return this.database.write<R>((writer) => {
      const result = callback(writer);
      store(writer, result);
      return result;
    });
  }

  checkPrecondition(etag: string | undefined | (() => string)): void {
    this.#isPreconditionChecked = true;
    const { headers } = this.exchange;
    if (isConditional(headers)) checkConditions(headers, typeof etag === 'function' ? etag() : etag);
  }

  /** Asserts that the handler of a PUT, PATCH or DELETE has called `checkPrecondition`. */
  assertPreconditionChecked(): void {
    const { method, path } = this.route;
    const isMissing = method !== 'GET' && method !== 'POST' && !this.#isPreconditionChecked;
    assert(!isMissing, `${method} ${path} checks no precondition`);
  }

  authorizeWrite(writer: Connection): Permit<Caller | undefined> {
    return permitFor(
      writer,
      () => this.#callers.recheckCallerInWrite(this.exchange, writer),
      (caller) => ({ actor: caller ?? null, requestId: this.requestId, now: this.now }),
    );
  }

  authorizeRead(): Caller | undefined {
    return this.#callers.recheckCaller(this.exchange);
  }

  hasExpired(): boolean {
    return this.#callers.hasExpired(this.exchange);
  }

  consumeToken(limiter: Limiter, key: string): void {
    this.exchange.consumeToken(limiter, key);
  }

  reportSecurityEvent(event: SecurityEvent): void {
    this.exchange.draft.addSecurityEvent(event);
  }

  setCookie(value: string): void {
    const { method, path, sessionCookie } = this.route;
    assert(sessionCookie, `${method} ${path} is not declared to set a cookie`);
    this.exchange.draft.setCookie(value);
  }

  get cookie(): string | undefined {
    const { method, path, sessionCookie } = this.route;
    assert(sessionCookie === 'read and set', `${method} ${path} is not declared to read a cookie`);
    return this.exchange.headers['cookie'];
  }

  get idempotencyKey(): string | undefined {
    return this.route.acceptsIdempotencyKey === true ? this.exchange.headers['idempotency-key'] : undefined;
  }

  get fetchSite(): string | undefined {
    return this.exchange.headers['sec-fetch-site'];
  }

  get lastEventId(): string | undefined {
    return this.exchange.headers['last-event-id'];
  }

  get userAgent(): string | null {
    const userAgent = this.exchange.headers['user-agent'] ?? null;
    return userAgent && userAgent.replaceAll(controls, '').slice(0, 300);
  }

  get isHttp10(): boolean {
    return this.exchange.request.httpVersion === '1.0';
  }

  get path(): string {
    return this.exchange.path;
  }

  get requestId(): string {
    return this.exchange.requestId;
  }

  get now(): number {
    return this.exchange.now;
  }

  get addressBucket(): string {
    return this.exchange.addressBucket;
  }

  get isFromThisMachine(): boolean {
    return this.exchange.isFromThisMachine;
  }

  get streamedBody(): BodySource | undefined {
    return this.exchange.body;
  }

  get bodyType(): string | undefined {
    return mediaTypeOf(this.exchange.headers['content-type']);
  }
}

const noParams = {};
const controls = /[\u0000-\u001f\u007f-\u009f]/g;
