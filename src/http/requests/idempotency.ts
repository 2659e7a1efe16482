// Idempotency-Key: stores the first response in the transaction of its change, and sends it again to repeats.
import assert from 'node:assert';
import { allows, rowAccessOf, type Caller } from '../../auth/access.ts';
import { Problem, forbidden } from '../../problem.ts';
import type { Issue } from '../../schema/schema.ts';
import type { Connection } from '../../storage/connection.ts';
import { isRepresentation, type Representation } from '../responses/representation.ts';
import { statusAndLocationOf, type HandlerResult } from '../routing/reply.ts';
import type { Route } from '../routing/route.ts';
import { fieldValues } from './request-head.ts';
import type { ReplayableResponse } from './responder.ts';
import type { RouteCall } from './route-call.ts';

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

export class Idempotency {
  readonly #store: ResponseStore;
  /** The keys of running requests, so that no second request with a key starts before the first is stored. */
  readonly #running = new Set<string>();

  constructor(store: ResponseStore) {
    this.#store = store;
  }

  /**
   * Returns the first response to the request's key; undefined for a first request, or without a key. Adds the issue of
   * an invalid key. Throws if the key was used with another body, even a body with issues. A request without issues also
   * throws while the first one is still running, or if the caller may no longer read what the response shows.
   */
  findFirstResponse(call: RouteCall, body: Buffer, issues: Issue[]): StoredResponse | undefined {
    const storageKey = storageKeyOf(call);
    if (storageKey === undefined) return undefined;
    if (!isValidKey(call)) return void issues.push(invalidKey);
    const isValid = issues.length === 0;
    if (isValid && this.#running.has(storageKey))
      throw new Problem('idempotency-key-in-progress', keyInProgress, { retryAfterSeconds: 1 });
    const stored = this.#store.find(call.read, storageKey, call.now);
    if (stored === undefined) return undefined;
    if (!this.#store.fingerprints(body).includes(stored.fingerprint))
      throw new Problem('idempotency-key-reused', keyReused);
    if (isValid) checkOwner(call, stored);
    return stored;
  }

  /** Calls the handler of a first request, and stores the response to its key, if any, inside of its write. */
  handle(call: RouteCall, body: Buffer): HandlerResult | Promise<HandlerResult> {
    const storageKey = storageKeyOf(call);
    return storageKey === undefined ? call.route.handle(call) : this.#handleFirst(call, body, storageKey);
  }

  async #handleFirst(call: RouteCall, body: Buffer, storageKey: string): Promise<HandlerResult> {
    const { route } = call;
    const [fingerprint = ''] = this.#store.fingerprints(body);
    let stored: unknown;
    call.storeResult = (writer, result) => {
      assert(isRepresentation(result), 'the result of a write with an Idempotency-Key is the object');
      this.#store.save(
        writer,
        { ...storedResponseOf(call, result), fingerprint },
        { storageKey, now: call.now },
      );
      stored = result;
    };
    this.#running.add(storageKey);
    try {
      const result = await route.handle(call);
      assert(
        result === stored,
        `${route.method} ${route.path} responds with another result than its write returned`,
      );
      return result;
    } finally {
      this.#running.delete(storageKey);
    }
  }
}

/** Throws unless the caller may still read what the stored response shows. */
function checkOwner({ caller, read, route }: RouteCall, stored: StoredResponse): void {
  if (stored.ownerId === null) return;
  const owner = route.findOwnerId?.(read, stored.objectId);
  if (mayRead(route, caller, owner === undefined ? stored.ownerId : (owner ?? nobodyId))) return;
  throw forbidden('You may no longer read what the first response shows.');
}

/** Whether there is one valid Idempotency-Key. */
function isValidKey({ headers, head }: RouteCall): boolean {
  const key = headers['idempotency-key'] ?? '';
  const isSingle = fieldValues(head, 'idempotency-key').length === 1;
  return isSingle && key.length <= idempotencyKeyLengthMax && /^[\x21-\x7e]+$/.test(key);
}

const invalidKey: Issue = {
  header: 'Idempotency-Key',
  code: 'pattern',
  detail: `Idempotency-Key must be sent once, as 1 to ${idempotencyKeyLengthMax} visible ASCII characters.`,
};

function storedResponseOf(
  { route, caller }: RouteCall,
  result: Representation<unknown>,
): Omit<StoredResponse, 'fingerprint'> {
  const { id: objectId, text, etag } = result;
  const { status, location = null } = statusAndLocationOf(route.reply, result);
  const owner = result.ownerId ?? nobodyId;
  // a caller who signs up another user has no right to read that user
  const ownerId = mayRead(route, caller, owner) ? owner : null;
  return { objectId, ownerId, status, location, etag, text };
}

function mayRead(route: Route, caller: Caller | undefined, ownerId: number): boolean {
  const { objectAccessOf = rowAccessOf } = route;
  return caller !== undefined && allows(objectAccessOf(caller), ownerId);
}

/** Undefined if the route takes no Idempotency-Key, or the request has none. */
function storageKeyOf({ route, path, network, caller, headers }: RouteCall): string | undefined {
  const { 'idempotency-key': key } = headers;
  if (route.acceptsIdempotencyKey !== true || key === undefined) return undefined;
  return `${caller?.principal ?? network} ${route.method} ${path} ${key}`;
}

const keyReused = 'This Idempotency-Key was used with a different body; use a new key.';
const keyInProgress = 'The first request with this Idempotency-Key is still running; retry in a moment.';
