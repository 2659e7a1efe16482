// Idempotency-Key: stores the first response in the transaction of its change, and sends it again to repeats.
import assert from 'node:assert';
import type { IncomingMessage } from 'node:http';
import { allows, rowAccessOf, type Caller } from '../../auth/access.ts';
import { Problem, forbidden } from '../../problem.ts';
import type { Issue } from '../../schema/schema.ts';
import type { Connection } from '../../storage/connection.ts';
import type { Exchange } from './exchange.ts';
import { type HandlerResult, headOf } from '../routing/reply.ts';
import { isRepresentation, type Representation } from '../responses/representation.ts';
import { valuesOf } from './request-headers.ts';
import { headersOf } from '../connections/request-fields.ts';
import type { ReplayableResponse, Responder } from './responder.ts';
import type { Route } from '../routing/route.ts';

const idempotencyKeyLengthMax = 255;

/** The stored responses. A `storageKey` consists of principal, method, path and key. */
export type ResponseStore = {
  find(db: Connection, storageKey: string, now: number): StoredResponse | undefined;
  save(
    db: Connection,
    response: StoredResponse,
    at: { readonly storageKey: string; readonly now: number },
  ): void;
  /** Returns a MAC for each secret, the current one first; a plain digest could reveal a body's password. */
  fingerprints(body: Buffer): readonly string[];
};

export type StoredResponse = ReplayableResponse & {
  readonly fingerprint: string;
  /** The object that the response shows. */
  readonly objectId: number;
  /** The object's owner; 0 if it has no owner; null if the caller needed no right to see the response. */
  readonly ownerId: number | null;
};

/** Stands for the owner of an object that has none: no user has this id. */
const nobodyId = 0;

type KeyedRequest = {
  readonly body: Buffer;
  /** Calls the handler, for a request that is no repeat. */
  readonly handle: () => HandlerResult | Promise<HandlerResult>;
  /** Responds as for a request without a key. */
  readonly respond: (result: Promise<HandlerResult>) => Promise<void> | void;
};

type FirstRequest = Pick<KeyedRequest, 'handle'> & {
  readonly storageKey: string;
  readonly fingerprints: readonly string[];
};

export class Idempotency {
  readonly #store: ResponseStore;
  readonly #responder: Responder;
  /** The keys of running requests, so that no second request with a key starts before the first is stored. */
  readonly #running = new Set<string>();

  constructor(store: ResponseStore, responder: Responder) {
    this.#store = store;
    this.#responder = responder;
  }

  async handleOrReplay(exchange: Exchange, { body, handle, respond }: KeyedRequest): Promise<void> {
    const storageKey = storageKeyOf(exchange);
    if (this.#running.has(storageKey)) throw inProgress();
    this.#running.add(storageKey);
    try {
      const fingerprints = this.#store.fingerprints(body);
      const stored = this.#store.find(exchange.read, storageKey, exchange.now);
      if (stored === undefined)
        await respond(this.#handleFirst(exchange, { storageKey, fingerprints, handle }));
      else this.#replay(exchange, { stored, fingerprints });
    } finally {
      this.#running.delete(storageKey);
    }
  }

  /** Throws if the key was used with another body, even if this body is invalid. */
  checkNotReused(exchange: Exchange, body: Buffer): void {
    const stored = this.#store.find(exchange.read, storageKeyOf(exchange), exchange.now);
    if (stored !== undefined) checkBody(stored, this.#store.fingerprints(body));
  }

  async #handleFirst(
    exchange: Exchange,
    { storageKey, fingerprints: [fingerprint = ''], handle }: FirstRequest,
  ): Promise<HandlerResult> {
    const { route, caller } = exchange;
    let stored: unknown;
    exchange.storeResultWith((writer, result) => {
      assert(isRepresentation(result), 'the result of a write with an Idempotency-Key is the object');
      const response = storedResponseOf(route, result, caller);
      this.#store.save(writer, { ...response, fingerprint }, { storageKey, now: exchange.now });
      stored = result;
    });
    const result = await handle();
    assert(
      result === stored,
      `${route.method} ${route.path} responds with another result than that of its write`,
    );
    return result;
  }

  #replay(
    exchange: Exchange,
    { stored, fingerprints }: { stored: StoredResponse; fingerprints: readonly string[] },
  ): void {
    checkBody(stored, fingerprints);
    checkOwner(exchange, stored);
    this.#responder.replay(exchange, stored);
  }
}

function checkBody({ fingerprint }: StoredResponse, fingerprints: readonly string[]): void {
  if (fingerprints.includes(fingerprint)) return;
  const detail = 'This Idempotency-Key was used with a different body; use a new key.';
  throw new Problem('idempotency-key-reused', detail);
}

/** Returns no issue if there is one valid Idempotency-Key. */
export function idempotencyKeyIssues(request: IncomingMessage): Issue[] {
  const key = headersOf(request)['idempotency-key'] ?? '';
  const isSingle = valuesOf(request, 'idempotency-key').length === 1;
  if (isSingle && key.length <= idempotencyKeyLengthMax && /^[\x21-\x7e]+$/.test(key)) return [];
  return [invalidKey];
}

const invalidKey: Issue = {
  header: 'Idempotency-Key',
  code: 'pattern',
  detail: `Idempotency-Key must be sent once, as 1 to ${idempotencyKeyLengthMax} visible ASCII characters.`,
};

function storedResponseOf(
  route: Route,
  result: Representation<unknown>,
  caller: Caller | undefined,
): Omit<StoredResponse, 'fingerprint'> {
  const { id, text, etag, ownerId: owner } = result;
  const { status, location = null } = headOf(route.reply, result);
  const ownerId = owner ?? nobodyId;
  return {
    objectId: id,
    // a caller who signs up another user has no right to read that user
    ownerId: mayRead(route, caller, ownerId) ? ownerId : null,
    status,
    location,
    etag,
    text,
  };
}

/** A stored response is shown only to a caller who may still read its object. */
function checkOwner({ caller, read, route }: Exchange, stored: StoredResponse): void {
  if (stored.ownerId === null) return;
  const owner = route.ownerOf?.(read, stored.objectId);
  if (mayRead(route, caller, owner === undefined ? stored.ownerId : (owner ?? nobodyId))) return;
  throw forbidden('You may no longer read what the first response shows.');
}

function mayRead(route: Route, caller: Caller | undefined, ownerId: number): boolean {
  const { objectAccessOf = rowAccessOf } = route;
  return caller !== undefined && allows(objectAccessOf(caller), ownerId);
}

function storageKeyOf({ route, path, network, caller, idempotencyKey }: Exchange): string {
  return `${caller?.principal ?? network} ${route.method} ${path} ${idempotencyKey}`;
}

function inProgress(): Problem {
  const detail = 'The first request with this Idempotency-Key is still running; retry in a moment.';
  return new Problem('idempotency-key-in-progress', detail, { retryAfterSeconds: 1 });
}
