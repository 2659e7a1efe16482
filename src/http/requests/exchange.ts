// An exchange: one request and its response, from the check of its head to its line in the log. It knows the
// caller, the parameters and the body, and collects what the steps add to the response. Handlers see it as a
// `Call`.
import assert from 'node:assert';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { networkOf } from '../../base/addresses.ts';
import { clientOf, isStaff, type Caller, type Requester } from '../../auth/access.ts';
import { headerLine, type HeaderLines } from '../../base/header-lines.ts';
import { quotaExceeded, type Limiter } from '../../rates/limiter.ts';
import { noSecurityEvents, type SecurityEvent } from '../../security-event.ts';
import type { Connection, Row, SqlValue, Synchronous } from '../../storage/connection.ts';
import type { Database } from '../../storage/database.ts';
import { callerPermit, type Permit } from '../../storage/permit.ts';
import type { StatementOptions } from '../../storage/sql-worker.ts';
import { checkConditions, isConditional } from './conditional.ts';
import { json } from '../responses/media-types.ts';
import { clientAddress, isFromThisMachine, type Peer } from '../connections/peer.ts';
import { separateApiKeys, type QueryValues } from './query.ts';
import { splitTarget } from '../routing/request-target.ts';
import type { RequestBody } from './request-body.ts';
import { requestIdFrom } from './request-headers.ts';
import { headersOf, type RequestHeaders } from '../connections/request-fields.ts';
import type { Call, Route } from '../routing/route.ts';
import type { Match, MountedRoute } from '../routing/router.ts';

/** A request, the peer that sent it, and its body if it has one. */
type IncomingRequest = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly peer: Peer;
  readonly sentBody: RequestBody | undefined;
};

/** Checks the rights of an exchange's caller again (`caller-checks.ts`). */
type CallerRechecks = {
  readonly recheckCaller: (exchange: Exchange) => Caller | undefined;
  readonly recheckCallerInWrite: (exchange: Exchange, writer: Connection) => Caller | undefined;
  readonly hasExpired: (exchange: Exchange) => boolean;
};

/** What all exchanges share. */
export type ExchangeDependencies = {
  readonly database: Database;
  readonly callers: CallerRechecks;
  readonly isTrusted: (address: string) => boolean;
  readonly now: () => number;
  readonly nextRequestId: () => string;
};

type ResultStorer = (writer: Connection, result: unknown) => void;

export class Exchange implements Call<object, QueryValues, unknown, Caller | undefined>, Requester {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether the client still waits for 100 Continue before it sends the body. */
  awaitsContinue = false;
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** The query without the parameters `api_key`, whose values are in `queryApiKeys`. */
  readonly queryString: string;
  readonly queryApiKeys: readonly string[];
  readonly headers: RequestHeaders;
  readonly peer: Peer;
  /** When the request began: milliseconds since 1970. */
  readonly beganAt: number;
  /** The same moment on the monotonic clock, for durations. */
  readonly startedAt = performance.now();
  /** The body as it arrives; undefined if the request has none. */
  readonly sentBody: RequestBody | undefined;
  /** Sees only changes that are on disk. */
  readonly read: Connection;
  /** The methods and parameters of the path; undefined if no route has the path. */
  match: Match | undefined = undefined;
  /** The route of the path and the method; undefined if there is none. */
  mounted: MountedRoute | undefined = undefined;
  /** The negotiated media type of the response. */
  mediaType = json;
  /** The parameters of the query; these and the body are set once the route's schemas have accepted them. */
  query: QueryValues = noParams;
  body: unknown = undefined;
  /** The caller, with the rights found by the last check. */
  caller: Caller | undefined = undefined;
  /** Whether the request draws on a rate, even if the settings turn that rate off. */
  drawsOnRate = false;
  readonly #dependencies: ExchangeDependencies;
  #clientAddress: string | undefined = undefined;
  #storeResult: ResultStorer | undefined = undefined;
  #isPreconditionChecked = false;
  #rateLines: HeaderLines = '';
  #securityEvents: readonly SecurityEvent[] = noSecurityEvents;
  #cookie: string | undefined = undefined;

  constructor({ request, response, peer, sentBody }: IncomingRequest, dependencies: ExchangeDependencies) {
    const { path, query } = splitTarget(request.url ?? '/');
    const { rest, keys } = separateApiKeys(query);
    const headers = headersOf(request);
    this.request = request;
    this.response = response;
    this.requestId = requestIdFrom(headers['x-request-id']) ?? dependencies.nextRequestId();
    this.method = request.method ?? 'GET';
    this.path = path;
    this.queryString = rest;
    this.queryApiKeys = keys;
    this.headers = headers;
    this.peer = peer;
    this.beganAt = dependencies.now();
    this.sentBody = sentBody;
    this.read = dependencies.database.read;
    this.#dependencies = dependencies;
  }

  /** The route. Throws before it is found. */
  get route(): Route {
    if (this.mounted === undefined) throw new Error('The route has not been found.');
    return this.mounted.route;
  }

  get params(): object {
    return this.match?.params ?? noParams;
  }

  /**
   * The present time. Expiry is compared with it, not with the beginning of the request: a body or the check
   * of a password may have taken long.
   */
  get now(): number {
    return this.#dependencies.now();
  }

  /** Sends 100 Continue if the client waits for it. */
  sendContinue(): void {
    if (this.awaitsContinue) this.response.writeContinue();
    this.awaitsContinue = false;
  }

  /** Runs a long query in the read worker, which callers share fairly. */
  readInWorker<R extends Row>(
    sql: string,
    params: readonly SqlValue[],
    options?: StatementOptions,
  ): Promise<R[]> {
    const { caller } = this;
    const client = clientOf(this);
    const isOfStaff = caller !== undefined && isStaff(caller);
    return this.#dependencies.database.readInWorker<R>(sql, params, { ...options, client, isOfStaff });
  }

  /** Makes `write` store its result in the same transaction, for an Idempotency-Key. */
  storeResultWith(store: ResultStorer): void {
    this.#storeResult = store;
  }

  async write<T>(callback: (permit: Permit<Caller | undefined>) => Synchronous<T>): Promise<T> {
    const { database, callers } = this.#dependencies;
    const eventsBefore = this.#securityEvents;
    try {
      return await database.write<T>((writer) => {
        const caller = callers.recheckCallerInWrite(this, writer);
        const origin = { actor: caller ?? null, requestId: this.requestId, now: this.now };
        const result = callback(callerPermit(writer, caller, origin));
        this.#storeResult?.(writer, result);
        return result;
      });
    } catch (error) {
      this.#securityEvents = eventsBefore;
      throw error;
    }
  }

  recheckCaller(): Caller | undefined {
    return this.#dependencies.callers.recheckCaller(this);
  }

  hasExpired(): boolean {
    return this.#dependencies.callers.hasExpired(this);
  }

  checkPrecondition(etagOf: () => string | undefined): void {
    this.#isPreconditionChecked = true;
    if (isConditional(this.headers)) checkConditions(this.headers, etagOf());
  }

  /** Asserts that the handler of a PUT, PATCH or DELETE has called `checkPrecondition`. */
  assertPreconditionChecked(): void {
    const { method, path } = this.route;
    const isMissing = method !== 'GET' && method !== 'POST' && !this.#isPreconditionChecked;
    assert(!isMissing, `${method} ${path} checks no precondition`);
  }

  /** Consumes a token of the client's own bucket, whose state each response shows. Throws 429 if it is empty. */
  consumeClientToken(limiter: Limiter, key: string): void {
    this.drawsOnRate = true;
    const state = limiter.consumeToken(key, this.now);
    if (state === undefined) return;
    this.#rateLines += state.lines;
    if (state.isExceeded) throw quotaExceeded(state);
  }

  /**
   * Consumes a token of another bucket. Throws 429 if it is empty. Only then does the response show the
   * bucket's state, which could reveal from which addresses an account was used.
   */
  consumeToken(limiter: Limiter, key: string): void {
    const state = limiter.consumeToken(key, this.now);
    if (state?.isExceeded !== true) return;
    this.#rateLines += state.lines;
    throw quotaExceeded(state);
  }

  reportSecurityEvent(event: SecurityEvent): void {
    this.#securityEvents = [...this.#securityEvents, event];
  }

  get hasSecurityEvents(): boolean {
    return this.#securityEvents.length > 0;
  }

  /** Returns the events that were reported since the last call. */
  takeSecurityEvents(): readonly SecurityEvent[] {
    const events = this.#securityEvents;
    this.#securityEvents = noSecurityEvents;
    return events;
  }

  setCookie(value: string): void {
    const { method, path, sessionCookie } = this.route;
    assert(sessionCookie, `${method} ${path} is not declared to set a cookie`);
    this.#cookie = value;
  }

  get cookie(): string | undefined {
    const { method, path, sessionCookie } = this.route;
    assert(sessionCookie === 'read and set', `${method} ${path} is not declared to read a cookie`);
    return this.headers['cookie'];
  }

  /** The header lines that steps and the handler have added to the response. */
  get addedLines(): HeaderLines {
    if (this.#cookie === undefined) return this.#rateLines;
    return this.#rateLines + headerLine('Set-Cookie', this.#cookie);
  }

  get idempotencyKey(): string | undefined {
    return this.route.acceptsIdempotencyKey === true ? this.headers['idempotency-key'] : undefined;
  }

  get isHttp10(): boolean {
    return this.request.httpVersion === '1.0';
  }

  /** The client's own address, even behind trusted proxies. */
  get clientAddress(): string {
    return (this.#clientAddress ??= clientAddress(this.peer, this.headers, this.#dependencies.isTrusted));
  }

  /** The client's network: an IPv4 address, or an IPv6 /48. */
  get network(): string {
    return networkOf(this.clientAddress);
  }

  get isFromThisMachine(): boolean {
    return isFromThisMachine(this.peer, this.headers);
  }
}

const noParams: QueryValues = {};
