// One request and its response, from the check of its head to its line in the log.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Caller, Requester } from '../auth/access.ts';
import { addressBucket } from '../addresses.ts';
import { clientAddress, isFromThisMachine, type Peer } from './peer.ts';
import { separateApiKeys, splitTarget } from './query.ts';
import { quotaExceeded, type Limiter } from '../rates/limiter.ts';
import type { RequestBody } from './request-body.ts';
import { headersOf, type RequestHeaders } from './request-headers.ts';
import { requestIdFrom } from './request-id.ts';
import { ResponseDraft } from './response-draft.ts';
import type { Match, MountedRoute } from './router.ts';

/** A request as the server has received it. */
export type ReceivedRequest = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether the client waits for 100 Continue before it sends the body. */
  readonly expectsContinue: boolean;
};

/** A received request, with the peer that sent it and its body. */
type IncomingRequest = ReceivedRequest & {
  readonly peer: Peer;
  /** Undefined if the request has no body. */
  readonly body: RequestBody | undefined;
};

/** The functions that all exchanges share. */
export type ExchangeDependencies = {
  readonly isTrusted: (address: string) => boolean;
  readonly now: () => number;
  readonly nextRequestId: () => string;
};

export class Exchange implements Requester {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether the client still waits for 100 Continue before it sends the body. */
  awaitsContinue: boolean;
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** The query without the parameters `api_key`, whose values are in `queryApiKeys`. */
  readonly queryText: string;
  readonly queryApiKeys: readonly string[];
  readonly headers: RequestHeaders;
  readonly peer: Peer;
  /** When the request began: milliseconds since 1970. */
  readonly beganAt: number;
  /** The same moment on the clock that durations are measured with. */
  readonly startedAt = performance.now();
  readonly body: RequestBody | undefined;
  readonly draft = new ResponseDraft();
  readonly #isTrusted: (address: string) => boolean;
  readonly #now: () => number;
  /** The methods and parameters of the path; undefined if no route has it. */
  match: Match | undefined = undefined;
  /** The route of the path and the method; undefined if there is none. */
  mounted: MountedRoute | undefined = undefined;
  /** The caller, with the rights that they had when these were last checked. */
  caller: Caller | undefined = undefined;
  /** Whether the request draws on a rate, even if the settings turn that rate off. */
  drawsOnRate = false;
  #clientAddress: string | undefined = undefined;

  constructor(
    { request, response, expectsContinue, peer, body }: IncomingRequest,
    { isTrusted, now, nextRequestId }: ExchangeDependencies,
  ) {
    const { path, query } = splitTarget(request.url ?? '/');
    const { rest, keys } = separateApiKeys(query);
    const headers = headersOf(request);
    this.request = request;
    this.response = response;
    this.awaitsContinue = expectsContinue;
    this.requestId = requestIdFrom(headers['x-request-id']) ?? nextRequestId();
    this.method = request.method ?? 'GET';
    this.path = path;
    this.queryText = rest;
    this.queryApiKeys = keys;
    this.headers = headers;
    this.peer = peer;
    this.body = body;
    this.beganAt = now();
    this.#now = now;
    this.#isTrusted = isTrusted;
  }

  /**
   * The time of the call. What expires is compared with this, since a body may arrive, and a password be
   * verified, long after the request began.
   */
  get now(): number {
    return this.#now();
  }

  /** Asks for the body, if the client waits for that. */
  sendContinue(): void {
    if (this.awaitsContinue) this.response.writeContinue();
    this.awaitsContinue = false;
  }

  /** Consumes a token of the client's own bucket, whose state each response shows. Throws 429 if it is empty. */
  consumeClientToken(limiter: Limiter, key: string): void {
    this.drawsOnRate = true;
    const state = limiter.consumeToken(key, this.now);
    if (state === undefined) return;
    this.draft.addRateLines(state.lines);
    if (state.isExceeded) throw quotaExceeded(state);
  }

  /**
   * Consumes a token of another bucket. Throws 429 if it is empty, and only then shows its state, which could
   * reveal from which addresses an account was used.
   */
  consumeToken(limiter: Limiter, key: string): void {
    const state = limiter.consumeToken(key, this.now);
    if (state?.isExceeded !== true) return;
    this.draft.addRateLines(state.lines);
    throw quotaExceeded(state);
  }

  /** The client's own address, even behind trusted proxies. */
  get clientAddress(): string {
    return (this.#clientAddress ??= clientAddress(this.peer, this.headers, this.#isTrusted));
  }

  /** The client's address as buckets count it. */
  get addressBucket(): string {
    return addressBucket(this.clientAddress);
  }

  get isFromThisMachine(): boolean {
    return isFromThisMachine(this.peer, this.headers);
  }
}
