// One request and its answer while they are under way.
import { performance } from 'node:perf_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../auth/access.ts';
import type { Connection } from '../storage/connection.ts';
import type { SecurityEvent } from '../security-event.ts';
import type { Database } from '../storage/database.ts';
import { checkPrecondition } from './conditional.ts';
import { headersOf, type RequestHeaders } from './request-headers.ts';
import { addressBucket, clientAddress, isLocal, type Peer } from './peer.ts';
import { permitFor, type Permit } from '../storage/permit.ts';
import { quotaExceeded, type Limiter } from './rate-limit.ts';
import { takeApiKey, splitTarget, type Query } from './query.ts';
import type { Context } from './route.ts';
import type { Mounted } from './router.ts';

type AnyContext = Context<object, Query, unknown, Caller | undefined>;

type Given = {
  readonly peer: Peer;
  readonly now: number;
  readonly requestId: string;
  readonly db: Database;
  readonly isTrusted: (address: string) => boolean;
  /** The caller as a write sees them; throws where they may no longer do this. */
  readonly rightsIn: (exchange: Exchange, writer: Connection) => Caller | undefined;
};

/**
 * A class, so that every exchange has the same shape and handlers are given it as it is (typed as their
 * Context).
 */
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
  readonly startedAt = performance.now();
  readonly isTrusted: (address: string) => boolean;
  readonly rightsIn: Given['rightsIn'];
  requestId: string;
  mounted: Mounted | undefined = undefined;
  params: object = {};
  query: Query = {};
  body: unknown = undefined;
  caller: Caller | undefined = undefined;
  db: Pick<Database, 'read' | 'write' | 'readInWorker'>;
  mediaType = 'application/json';
  /** What the answer's head says of the buckets drawn on. */
  rateLines = '';
  /** What the log reports beside the request's own line. */
  securityEvents: readonly SecurityEvent[] = noEvents;
  expectsContinue = false;
  #clientAddress: string | undefined = undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    { peer, now, requestId, db, isTrusted, rightsIn }: Given,
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
    this.db = db;
    this.isTrusted = isTrusted;
    this.rightsIn = rightsIn;
  }

  /** Not a method, so that handlers can take it out of their context. */
  get precondition(): (etag: string) => void {
    return (etag) => checkPrecondition(this.headers, etag);
  }

  get authorizeWrite(): (writer: Connection) => Permit<Caller | undefined> {
    return (writer) => permitFor(writer, () => this.rightsIn(this, writer));
  }

  /** Takes one from the bucket; 429 when it is empty. */
  spend(limiter: Limiter, key: string): () => void {
    const allowance = limiter.spend(key, this.now);
    if (allowance === undefined) return nothingToPutBack;
    this.rateLines += allowance.lines;
    if (allowance.isSpent) throw quotaExceeded(allowance);
    return () => {
      limiter.putBack(key);
      this.rateLines = this.rateLines.replace(allowance.lines, '');
    };
  }

  report(event: SecurityEvent): void {
    this.securityEvents = [...this.securityEvents, event];
  }

  /** The client's own, beyond trusted proxies. */
  get clientAddress(): string {
    return (this.#clientAddress ??= clientAddress(this.peer, this.headers, this.isTrusted));
  }

  get address(): string {
    return addressBucket(this.clientAddress);
  }

  get isLoopback(): boolean {
    return isLocal(this.peer, this.headers);
  }

  get userAgent(): string | null {
    return this.headers['user-agent']?.slice(0, 300) ?? null;
  }
}

const noKeys: readonly string[] = [];
const noEvents: readonly SecurityEvent[] = [];

function nothingToPutBack(): void {}
