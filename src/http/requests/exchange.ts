// An exchange: one request and its response, from the check of its head to its line in the log. It knows the
// caller, the parameters and the body, and collects what the steps add to the response. Handlers see it as a
// `Call`.
import assert from 'node:assert';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { checkAccess, clientOf, isStaff, type Caller, type Requester } from '../../auth/access.ts';
import type { CallerLookups } from '../../auth/caller-cache.ts';
import type { Authenticator } from '../../auth/credentials.ts';
import { networkOf } from '../../base/addresses.ts';
import { fits } from '../../schema/schema-check.ts';
import { quotaExceeded, type Limiter } from '../../rates/limiter.ts';
import { noSecurityEvents, type SecurityEvent } from '../../security-event.ts';
import type { Connection as Db, Row, SqlValue, Synchronous } from '../../storage/connection.ts';
import type { Database } from '../../storage/database.ts';
import { callerPermit, type Permit } from '../../storage/permit.ts';
import type { StatementOptions } from '../../storage/sql-worker.ts';
import type { Connection } from '../connections/connection.ts';
import type { Expectation } from '../connections/http-server.ts';
import { clientAddress, isFromThisMachine } from '../connections/peer.ts';
import { headersOf, RequestId, type RequestHeaders } from '../connections/request-fields.ts';
import { json } from '../responses/media-types.ts';
import { splitTarget } from '../routing/request-target.ts';
import type { Call, Route } from '../routing/route.ts';
import type { Match, MountedRoute } from '../routing/router.ts';
import { checkConditions, isConditional } from './conditional.ts';
import { authorizationOf } from './credential.ts';
import { separateApiKeys, type QueryValues } from './query.ts';
import type { RequestBody } from './request-body.ts';

/** A request as it arrives. */
type IncomingRequest = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  readonly expectation: Expectation;
  readonly body: RequestBody | undefined;
};

/** What all exchanges share. */
export type ExchangeOptions = {
  readonly database: Database;
  readonly authenticator: Authenticator;
  /** Returns the sessions and keys that a running write sees. */
  readonly lookupsOf: (writer: Db) => CallerLookups;
  readonly isTrusted: (address: string) => boolean;
  readonly now: () => number;
};

type ResultStorer = (writer: Db, result: unknown) => void;

export class Exchange implements Call<object, QueryValues, unknown, Caller | undefined>, Requester {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  readonly expectation: Expectation;
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** The query without the parameters `api_key`, whose values are in `queryApiKeys`. */
  readonly queryString: string;
  readonly queryApiKeys: readonly string[];
  readonly headers: RequestHeaders;
  /** When the request began: milliseconds since 1970. */
  readonly beganAt: number;
  /** The same moment on the monotonic clock, for durations. */
  readonly startedAt = performance.now();
  /** The body as it arrives; undefined if the request has none. */
  readonly incomingBody: RequestBody | undefined;
  /** Sees only changes that are on disk. */
  readonly read: Db;
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
  /** The header fields that steps and the handler add to the response. */
  readonly fields: string[] = [];
  readonly #options: ExchangeOptions;
  #storeResult: ResultStorer | undefined = undefined;
  #isPreconditionChecked = false;
  #securityEvents: readonly SecurityEvent[] = noSecurityEvents;
  #hasContinued = false;

  constructor(incoming: IncomingRequest, options: ExchangeOptions, nextRequestId: () => string) {
    const { request } = incoming;
    const { path, query } = splitTarget(request.url ?? '/');
    const { rest, keys } = separateApiKeys(query);
    this.request = request;
    this.response = incoming.response;
    this.connection = incoming.connection;
    this.expectation = incoming.expectation;
    this.incomingBody = incoming.body;
    this.headers = headersOf(request);
    const { 'x-request-id': sentId } = this.headers;
    this.requestId = sentId !== undefined && fits(RequestId, sentId) ? sentId : nextRequestId();
    this.method = request.method ?? 'GET';
    this.path = path;
    this.queryString = rest;
    this.queryApiKeys = keys;
    this.beganAt = options.now();
    this.read = options.database.read;
    this.#options = options;
  }

  /** The route. Throws before it is found. */
  get route(): Route {
    if (this.mounted === undefined) throw new Error('The route has not been found.');
    return this.mounted.route;
  }

  get params(): object {
    return this.match?.params ?? noParams;
  }

  get streamedBody() {
    return this.incomingBody?.isStreamed === true ? this.incomingBody : undefined;
  }

  /**
   * The present time. Expiry is compared with it, not with the beginning of the request: a body or the check
   * of a password may have taken long.
   */
  get now(): number {
    return this.#options.now();
  }

  /** Sends 100 Continue if the client waits for it. */
  sendContinue(): void {
    if (this.expectation !== '100-continue' || this.#hasContinued) return;
    this.#hasContinued = true;
    this.response.writeContinue();
  }

  /** Runs a long query in the read worker, which callers share fairly. */
  readInWorker<R extends Row>(
    sql: string,
    params: readonly SqlValue[],
    options?: StatementOptions,
  ): Promise<R[]> {
    const { caller } = this;
    const place = { client: clientOf(this), isOfStaff: caller !== undefined && isStaff(caller) };
    return this.#options.database.readInWorker<R>(sql, params, { ...options, ...place });
  }

  /** Makes `write` store its result in the same transaction, for an Idempotency-Key. */
  storeResultWith(store: ResultStorer): void {
    this.#storeResult = store;
  }

  async write<T>(callback: (permit: Permit<Caller | undefined>) => Synchronous<T>): Promise<T> {
    const { database, lookupsOf } = this.#options;
    const eventsBefore = this.#securityEvents;
    try {
      return await database.write<T>((writer) => {
        const caller = this.#currentCaller(lookupsOf(writer));
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
    this.#options.database.detectExternalCommits();
    return this.#currentCaller();
  }

  hasExpired(): boolean {
    const { caller, now } = this;
    if (caller === undefined) return false;
    return this.#options.authenticator.hasExpired(caller, { authorization: authorizationOf(this), now });
  }

  /** Returns the caller with current rights. Throws if the caller has lost the right to this request. */
  #currentCaller(lookups?: CallerLookups): Caller | undefined {
    if (this.caller === undefined) return undefined;
    const sent = { authorization: authorizationOf(this), now: this.now };
    const current = this.#options.authenticator.requireCaller(this.caller, sent, lookups);
    checkAccess(this.route, current, this.params);
    return current;
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
    this.fields.push(...state.fields);
    if (state.isExceeded) throw quotaExceeded(state);
  }

  /**
   * Consumes a token of another bucket. Throws 429 if it is empty. Only then does the response show the
   * bucket's state, which could reveal from which addresses an account was used.
   */
  consumeToken(limiter: Limiter, key: string): void {
    const state = limiter.consumeToken(key, this.now);
    if (state?.isExceeded !== true) return;
    this.fields.push(...state.fields);
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
    this.fields.push('Set-Cookie', value);
  }

  get cookie(): string | undefined {
    const { method, path, sessionCookie } = this.route;
    assert(sessionCookie === 'read and set', `${method} ${path} is not declared to read a cookie`);
    return this.headers['cookie'];
  }

  get idempotencyKey(): string | undefined {
    return this.route.acceptsIdempotencyKey === true ? this.headers['idempotency-key'] : undefined;
  }

  get isHttp10(): boolean {
    return this.request.httpVersion === '1.0';
  }

  /** The client's own address, even behind trusted proxies. */
  get clientAddress(): string {
    return clientAddress(this.connection.peer, this.headers, this.#options.isTrusted);
  }

  /** The client's network: an IPv4 address, or an IPv6 /48. */
  get network(): string {
    return networkOf(this.clientAddress);
  }

  get isFromThisMachine(): boolean {
    return isFromThisMachine(this.connection.peer, this.headers);
  }
}

const noParams: QueryValues = {};
