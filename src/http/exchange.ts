// One request and its response, from the first look at its head to the log line.
import assert from 'node:assert';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Caller } from '../auth/access.ts';
import { addressBucket } from '../network/address-buckets.ts';
import type { Connection } from '../storage/connection.ts';
import type { SecurityEvent } from '../security-event.ts';
import type { Database } from '../storage/database.ts';
import { RequestDatabase } from './request-database.ts';
import { checkPrecondition } from './conditional.ts';
import { headersOf, type RequestHeaders } from './request-headers.ts';
import type { IncomingBody } from './incoming-body.ts';
import { clientAddress, isLocal, type Peer } from './peer.ts';
import { permitFor, type Permit } from '../storage/permit.ts';
import { quotaExceeded, type Allowance, type Limiter } from './rate-limit.ts';
import { takeApiKey, splitTarget, type Query } from './query.ts';
import type { Context, HandlerDatabase } from './route.ts';
import type { Mounted } from './router.ts';
import { StreamedBody } from './streamed-body.ts';

type AnyContext = Context<object, Query, unknown, Caller | undefined>;

/** What is particular to one request. */
type RequestParts = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly peer: Peer;
  readonly now: number;
  readonly requestId: string;
  /** Undefined where the request has no body. */
  readonly arriving: IncomingBody | StreamedBody | undefined;
};

/** What all exchanges share. */
export type ExchangeServices = {
  readonly db: Database;
  readonly isTrusted: (address: string) => boolean;
  /** The caller as a write sees them. Throws where they have lost the right to this request. */
  readonly callerInWrite: (exchange: Exchange, writer: Connection) => Caller | undefined;
  /** The caller as they are now, in what is committed. */
  readonly callerNow: (exchange: Exchange) => Caller | undefined;
  /** When the caller's credential expires. */
  readonly credentialEnd: (exchange: Exchange) => number;
};

/** Handlers receive it as their `Context`, which they may destructure. */
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
  readonly incomingBody: IncomingBody | undefined = undefined;
  /** Of a route that reads its body as it arrives. */
  readonly streamedBody: StreamedBody | undefined = undefined;
  readonly startedAt = performance.now();
  readonly #services: ExchangeServices;
  requestId: string;
  mounted: Mounted | undefined = undefined;
  params: object = {};
  query: Query = {};
  body: unknown = undefined;
  caller: Caller | undefined = undefined;
  /** Replaced where what each write returns is recorded beside it. */
  db: HandlerDatabase;
  mediaType = 'application/json';
  /** Of the buckets that the request has drawn on. */
  allowances: readonly Allowance[] = noAllowances;
  /** Logged beside the request's own line. */
  securityEvents: readonly SecurityEvent[] = noEvents;
  /** The value of the response's Set-Cookie field. */
  cookieToSet: string | undefined = undefined;
  expectsContinue = false;
  isPreconditionChecked = false;
  #clientAddress: string | undefined = undefined;

  constructor(
    { request, response, peer, now, requestId, arriving }: RequestParts,
    services: ExchangeServices,
  ) {
    this.request = request;
    this.response = response;
    this.method = request.method ?? 'GET';
    const { path, query } = splitTarget(request.url ?? '/');
    const { rest, keys } = query.includes('api_key') ? takeApiKey(query) : { rest: query, keys: noKeys };
    this.path = path;
    this.queryText = rest;
    this.queryKeys = keys;
    this.headers = headersOf(request);
    this.peer = peer;
    this.now = now;
    this.requestId = requestId;
    if (arriving instanceof StreamedBody) this.streamedBody = arriving;
    else this.incomingBody = arriving;
    this.db = new RequestDatabase(services.db, this);
    this.#services = services;
  }

  get checkPrecondition(): (etag: string | undefined) => void {
    return (etag) => {
      assert(this.mounted?.route.isConditional, `${this.method} ${this.path} is not declared conditional`);
      this.isPreconditionChecked = true;
      checkPrecondition(this.headers, etag);
    };
  }

  get authorizeWrite(): (writer: Connection) => Permit<Caller | undefined> {
    return (writer) =>
      permitFor(
        writer,
        () => this.#services.callerInWrite(this, writer),
        (caller) => ({ actor: caller ?? null, requestId: this.requestId, now: this.now }),
      );
  }

  get authorizeRead(): () => Caller | undefined {
    return () => this.#services.callerNow(this);
  }

  get credentialEnd(): () => number {
    return () => this.#services.credentialEnd(this);
  }

  get spend(): (limiter: Limiter, key: string) => () => void {
    return (limiter, key) => {
      const allowance = limiter.spend(key, this.now);
      if (allowance === undefined) return putNothingBack;
      this.allowances = [...this.allowances, allowance];
      if (allowance.isSpent) throw quotaExceeded(allowance);
      return () => {
        limiter.putBack(key);
        this.allowances = this.allowances.filter((each) => each !== allowance);
      };
    };
  }

  get report(): (event: SecurityEvent) => void {
    return (event) => {
      this.securityEvents = [...this.securityEvents, event];
    };
  }

  get setCookie(): (value: string) => void {
    return (value) => {
      assert(
        this.mounted?.route.sessionCookie,
        `${this.method} ${this.path} is not declared to set a cookie`,
      );
      this.cookieToSet = value;
    };
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

  get lastEventId(): string | undefined {
    return this.headers['last-event-id'];
  }

  get userAgent(): string | null {
    return this.headers['user-agent']?.slice(0, 300) ?? null;
  }
}

const noKeys: readonly string[] = [];
const noAllowances: readonly Allowance[] = [];
const noEvents: readonly SecurityEvent[] = [];

function putNothingBack(): void {}
