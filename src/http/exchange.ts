// One request and its response, from the first look at its head to the log line.
import assert from 'node:assert';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Caller } from '../auth/access.ts';
import { addressBucket } from '../network/address-buckets.ts';
import type { Connection, WriteCallback } from '../storage/connection.ts';
import { noSecurityEvents, type SecurityEvent } from '../security-event.ts';
import type { Database } from '../storage/database.ts';
import type { CallerChecks } from './caller-checks.ts';
import { RequestDatabase } from './request-database.ts';
import { checkPrecondition } from './conditional.ts';
import { headersOf, type RequestHeaders } from './request-headers.ts';
import type { IncomingBody } from './incoming-body.ts';
import { clientAddress, isLocal, type Peer } from './peer.ts';
import type { WriteOptions } from '../storage/write-transaction.ts';
import type { ObjectResult } from './handler-result.ts';
import { json } from './media-types.ts';
import { permitFor, type Permit } from '../storage/permit.ts';
import { quotaExceeded, type BucketState, type Limiter } from './rate-limit.ts';
import { takeApiKey, splitTarget, type Query } from './query.ts';
import type { Context, HandlerDatabase } from './route.ts';
import type { Mounted } from './router.ts';
import { StreamedBody } from './streamed-body.ts';

type AnyContext = Context<object, Query, unknown, Caller | undefined>;

/** A request as the server has received it. */
type ReceivedRequest = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly peer: Peer;
  /** Undefined if the request has no body. */
  readonly arriving: IncomingBody | StreamedBody | undefined;
};

/** What all exchanges share. */
export type ExchangeServices = {
  readonly db: Database;
  readonly isTrusted: (address: string) => boolean;
  readonly now: () => number;
  readonly nextRequestId: () => string;
  readonly callers: CallerChecks;
};

type ResultStorer = (writer: Connection, result: ObjectResult<unknown>) => void;

/** Handlers receive it as their `Context`. */
export class Exchange implements AnyContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly path: string;
  readonly queryText: string;
  readonly queryKeys: readonly string[];
  readonly headers: RequestHeaders;
  readonly peer: Peer;
  readonly now: number;
  readonly incomingBody: IncomingBody | undefined;
  /** Set for a route that reads its body as it arrives. */
  readonly streamedBody: StreamedBody | undefined;
  readonly startedAt = performance.now();
  readonly #services: ExchangeServices;
  requestId: string;
  mounted: Mounted | undefined = undefined;
  params: object = {};
  query: Query = {};
  body: unknown = undefined;
  caller: Caller | undefined = undefined;
  readonly db: HandlerDatabase;
  /** With an Idempotency-Key: stores the result of a write in the write's own transaction. */
  storeResult: ResultStorer | undefined = undefined;
  mediaType = json;
  /** The states of the buckets from which the request has consumed a token. */
  bucketStates: readonly BucketState[] = noBucketStates;
  /** Logged beside the request's own line. */
  securityEvents: readonly SecurityEvent[] = noSecurityEvents;
  /** The value of the response's Set-Cookie field. */
  cookieToSet: string | undefined = undefined;
  expectsContinue = false;
  isPreconditionChecked = false;
  /** Whether a rate bounds how many such requests there are, be it one that the settings turn off. */
  isRateLimited = false;
  #clientAddress: string | undefined = undefined;

  constructor({ request, response, peer, arriving }: ReceivedRequest, services: ExchangeServices) {
    const { path, query } = splitTarget(request.url ?? '/');
    const { rest, keys } = takeApiKey(query);
    this.request = request;
    this.response = response;
    this.method = request.method ?? 'GET';
    this.path = path;
    this.queryText = rest;
    this.queryKeys = keys;
    this.headers = headersOf(request);
    this.peer = peer;
    this.incomingBody = arriving instanceof StreamedBody ? undefined : arriving;
    this.streamedBody = arriving instanceof StreamedBody ? arriving : undefined;
    this.now = services.now();
    this.requestId = services.nextRequestId();
    this.db = new RequestDatabase(services.db, this);
    this.#services = services;
  }

  checkPrecondition(etag: string | undefined): void {
    assert(this.mounted?.route.isConditional, `${this.method} ${this.path} is not declared conditional`);
    this.isPreconditionChecked = true;
    checkPrecondition(this.headers, etag);
  }

  /** Storing throws only where the storage fails, so the write keeps its options. */
  writeResult<R extends ObjectResult<unknown>>(
    callback: WriteCallback<R>,
    options?: WriteOptions,
  ): Promise<R> {
    const store = this.storeResult;
    if (store === undefined) return this.db.write(callback, options);
    return this.db.write<R>((writer) => {
      const result = callback(writer);
      store(writer, result);
      return result;
    }, options);
  }

  authorizeWrite(writer: Connection): Permit<Caller | undefined> {
    return permitFor(
      writer,
      () => this.#services.callers.requireCallerInWrite(this, writer),
      (caller) => ({ actor: caller ?? null, requestId: this.requestId, now: this.now }),
    );
  }

  authorizeRead(): Caller | undefined {
    return this.#services.callers.requireCaller(this);
  }

  credentialExpiresAt(): number {
    return this.#services.callers.credentialExpiresAt(this);
  }

  drawOnRate(limiter: Limiter, key: string): () => void {
    this.isRateLimited = true;
    const state = limiter.consumeToken(key, this.now);
    if (state === undefined) return noRefund;
    this.bucketStates = [...this.bucketStates, state];
    if (state.isExceeded) throw quotaExceeded(state);
    return () => {
      limiter.refund(key);
      this.bucketStates = this.bucketStates.filter((each) => each !== state);
    };
  }

  report(event: SecurityEvent): void {
    this.securityEvents = [...this.securityEvents, event];
  }

  setCookie(value: string): void {
    assert(this.mounted?.route.sessionCookie, `${this.method} ${this.path} is not declared to set a cookie`);
    this.cookieToSet = value;
  }

  get cookie(): string | undefined {
    const mayRead = this.mounted?.route.sessionCookie === 'read and set';
    assert(mayRead, `${this.method} ${this.path} is not declared to read a cookie`);
    return this.headers['cookie'];
  }

  get fetchSite(): string | undefined {
    return this.headers['sec-fetch-site'];
  }

  /** The client's own address, beyond trusted proxies. */
  get clientAddress(): string {
    return (this.#clientAddress ??= clientAddress(this.peer, this.headers, this.#services.isTrusted));
  }

  get address(): string {
    return addressBucket(this.clientAddress);
  }

  get isLoopback(): boolean {
    return isLocal(this.peer, this.headers);
  }

  get isHttp10(): boolean {
    return this.request.httpVersion === '1.0';
  }

  get idempotencyKey(): string | undefined {
    return this.mounted?.route.isIdempotent === true ? this.headers['idempotency-key'] : undefined;
  }

  get lastEventId(): string | undefined {
    return this.headers['last-event-id'];
  }

  get userAgent(): string | null {
    return this.headers['user-agent']?.slice(0, 300) ?? null;
  }
}

const noBucketStates: readonly BucketState[] = [];

function noRefund(): void {}
