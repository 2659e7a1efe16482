// The call of a route's handler, which handlers see as a `Call`: who calls, what with, and how it changes something.
import assert from 'node:assert';
import { checkAccess, clientOf, isStaff, type Caller, type Requester } from '../../auth/access.ts';
import type { CallerLookups } from '../../auth/caller-cache.ts';
import type { Authenticator } from '../../auth/credentials.ts';
import { rateExceeded, type Limiter } from '../../rates/limiter.ts';
import { schemaIssues } from '../../schema/schema-check.ts';
import type { Issue } from '../../schema/schema.ts';
import type { SecurityEvent } from '../../security-event.ts';
import type { Connection, Row, SqlValue, Synchronous } from '../../storage/connection.ts';
import type { Database } from '../../storage/database.ts';
import { callerPermit, type Permit } from '../../storage/permit.ts';
import type { StatementOptions } from '../../storage/sql-worker.ts';
import { isFromThisMachine } from '../connections/peer.ts';
import type { RequestHeaders } from '../connections/request-fields.ts';
import type { Call, Route } from '../routing/route.ts';
import { checkConditions, isConditional } from './conditional.ts';
import { authorizationOf } from './credential.ts';
import { readQuery, type QueryValues } from './query.ts';
import type { RequestBody } from './request-body.ts';
import type { RequestHead } from './request-head.ts';
import type { Responder } from './responder.ts';
import { parseJson } from './strict-json.ts';

/** What all calls share. */
export type CallServices = {
  readonly database: Database;
  readonly authenticator: Authenticator;
  /** Returns the sessions and keys that a running write sees. */
  readonly lookupsOf: (writer: Connection) => CallerLookups;
  readonly now: () => number;
};

/** What the steps before the handler have found. */
type CheckedRequest = {
  readonly head: RequestHead;
  readonly route: Route;
  readonly params: object;
  readonly mediaType: string;
  readonly caller: Caller | undefined;
  readonly body: RequestBody | undefined;
};

export class RouteCall implements Call<object, QueryValues, unknown, Caller | undefined>, Requester {
  readonly head: RequestHead;
  readonly route: Route;
  readonly params: object;
  readonly mediaType: string;
  readonly streamedBody: RequestBody | undefined;
  readonly path: string;
  readonly requestId: string;
  readonly headers: RequestHeaders;
  readonly network: string;
  /** Sees only changes that are on disk. */
  readonly read: Connection;
  /** Set anew when a body came after its head: the caller may have lost rights meanwhile. */
  caller: Caller | undefined;
  /** The parameters of the query; `readContent` sets these and the body, before the handler is called. */
  query: QueryValues = {};
  body: unknown = undefined;
  /** Stores the result of `write` in the same transaction, for an Idempotency-Key. */
  storeResult: ((writer: Connection, result: unknown) => void) | undefined = undefined;
  readonly #responder: Responder;
  readonly #services: CallServices;
  #isPreconditionChecked = false;

  constructor(
    { head, route, params, mediaType, caller, body }: CheckedRequest,
    responder: Responder,
    services: CallServices,
  ) {
    this.head = head;
    this.route = route;
    this.params = params;
    this.mediaType = mediaType;
    this.streamedBody = body?.isStreamed === true ? body : undefined;
    this.path = head.path;
    this.requestId = head.requestId;
    this.headers = head.headers;
    this.network = head.network;
    this.read = services.database.read;
    this.caller = caller;
    this.#responder = responder;
    this.#services = services;
  }

  /**
   * The present time. Expiry is compared with it, not with the beginning of the request: a body or the check
   * of a password may have taken long.
   */
  get now(): number {
    return this.#services.now();
  }

  get isHttp10(): boolean {
    return this.head.request.httpVersion === '1.0';
  }

  get isFromThisMachine(): boolean {
    return isFromThisMachine(this.head.peer, this.headers);
  }

  get cookie(): string | undefined {
    const { method, path, sessionCookie } = this.route;
    assert(sessionCookie === 'read and set', `${method} ${path} is not declared to read a cookie`);
    return this.headers['cookie'];
  }

  setCookie(value: string): void {
    const { method, path, sessionCookie } = this.route;
    assert(sessionCookie, `${method} ${path} is not declared to set a cookie`);
    this.#responder.fields.push('Set-Cookie', value);
  }

  /** Runs a long query in the read worker, which callers share fairly. */
  readInWorker<R extends Row>(
    sql: string,
    params: readonly SqlValue[],
    options?: StatementOptions,
  ): Promise<R[]> {
    const isOfStaff = this.caller !== undefined && isStaff(this.caller);
    return this.#services.database.readInWorker<R>(sql, params, {
      ...options,
      client: clientOf(this),
      isOfStaff,
    });
  }

  async write<T>(callback: (permit: Permit<Caller | undefined>) => Synchronous<T>): Promise<T> {
    const { database, lookupsOf } = this.#services;
    const eventsBefore = this.#responder.securityEvents;
    try {
      return await database.write<T>((writer) => {
        const caller = this.#currentCaller(lookupsOf(writer));
        const origin = { actor: caller ?? null, requestId: this.requestId, now: this.now };
        const result = callback(callerPermit(writer, caller, origin));
        this.assertPreconditionChecked(); // before anything is committed
        this.storeResult?.(writer, result);
        return result;
      });
    } catch (error) {
      this.#responder.securityEvents = eventsBefore;
      throw error;
    }
  }

  /** Reads query and body by the route's schemas, and returns the issues of both. */
  readContent(bytes: Buffer): Issue[] {
    const { route } = this;
    const { query, issues: queryIssues } = readQuery(this.head.queryString, route.query);
    this.query = query;
    const issues = [...queryIssues];
    if (route.queryIssues !== undefined) issues.push(...route.queryIssues(query, this));
    if (route.body === undefined) return issues;
    this.body = parseJson(bytes);
    issues.push(...schemaIssues(route.body, this.body));
    return issues;
  }

  recheckCaller(): Caller | undefined {
    this.#services.database.detectExternalCommits();
    return this.#currentCaller();
  }

  hasExpired(): boolean {
    if (this.caller === undefined) return false;
    return this.#services.authenticator.hasExpired(this.caller, this.#credential);
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

  /**
   * Consumes a token of a bucket that isn't the client's own. Throws 429 if it is empty. Only the 429
   * shows the bucket's state: at other times it could reveal from which addresses an account was used.
   */
  consumeToken(limiter: Limiter, key: string): void {
    const state = limiter.consumeToken(key, this.now);
    if (state?.isExceeded !== true) return;
    this.#responder.fields.push(...state.fields);
    throw rateExceeded(state);
  }

  reportSecurityEvent(event: SecurityEvent): void {
    this.#responder.securityEvents = [...this.#responder.securityEvents, event];
  }

  get #credential() {
    return { authorization: authorizationOf(this.head), now: this.now };
  }

  /** Returns the caller with current rights. Throws if the caller has lost the right to this request. */
  #currentCaller(lookups?: CallerLookups): Caller | undefined {
    if (this.caller === undefined) return undefined;
    const current = this.#services.authenticator.requireCaller(this.caller, this.#credential, lookups);
    checkAccess(this.route, current, this.params);
    return current;
  }
}
