// Requests that may be sent twice: Idempotency-Key, kept in the same transaction as the change.
import type { IncomingMessage } from 'node:http';
import { allows, rowAccessOf, type Caller } from '../auth/access.ts';
import { Problem, forbidden } from '../errors.ts';
import { idempotencyKeyLengthMax } from '../limits.ts';
import type { Issue } from '../schema/schema.ts';
import type { Connection } from '../storage/connection.ts';
import type { createResponder, RepeatedAnswer } from './responder.ts';
import type { Exchange } from './exchange.ts';
import { headersOf, countOccurrences } from './request-headers.ts';
import type { Representation } from './representation.ts';
import type { Route } from './route.ts';

/** Where first answers are kept. `request` names principal, method, path and key. */
export type StoredResponses = {
  find(db: Connection, request: string, now: number): KeptAnswer | undefined;
  keep(db: Connection, request: string, answer: KeptAnswer, now: number): void;
  /** Keyed digests, since bodies may hold passwords: one a secret, the current one first. */
  fingerprints(body: Buffer): readonly string[];
};

export type KeptAnswer = RepeatedAnswer & {
  readonly fingerprint: string;
  /** What the answer is about, and whose it was; null where the caller needed no right to see it. */
  readonly objectId: number;
  readonly ownerId: number | null;
};

/** No user has this id. */
const nobodyId = 0;

export function createIdempotency(
  kept: StoredResponses,
  { answer, repeat }: ReturnType<typeof createResponder>,
) {
  const running = new Set<string>();

  /**
   * While it runs, its key is held: so what is found kept is on disk, and what isn't found can't appear
   * meanwhile.
   */
  async function run(exchange: Exchange, route: Route, body: Buffer): Promise<void> {
    const request = storageKeyOf(exchange, exchange.caller);
    if (running.has(request))
      throw new Problem(
        'idempotency-key-in-progress',
        'The first request with this Idempotency-Key is still running; retry in a moment.',
        { retryAfterSeconds: 1 },
      );
    running.add(request);
    try {
      const fingerprints = kept.fingerprints(body);
      const found = kept.find(exchange.db.read, request, exchange.now);
      if (found === undefined) {
        storeWithChange(exchange, route, { request, fingerprint: fingerprints[0] ?? '' });
        return answer(exchange, route, await route.handle(exchange));
      }
      if (!fingerprints.includes(found.fingerprint))
        throw new Problem(
          'idempotency-key-reused',
          'This Idempotency-Key was used with a different body; use a new key.',
        );
      checkOwner(exchange, route, found);
      repeat(exchange, route, found);
    } finally {
      running.delete(request);
    }
  }

  /** The handler's write, and in the same transaction the answer to it. */
  function storeWithChange(exchange: Exchange, route: Route, named: Named): void {
    const { db, now, caller } = exchange;
    exchange.db = {
      get read() {
        return db.read;
      },
      readInWorker: db.readInWorker,
      write: (work) =>
        db.write((connection) => {
          const made: unknown = work(connection);
          const answer = answerOf(route, made as Representation<unknown>, caller); // an idempotent route's write returns what it answers
          kept.keep(connection, named.request, { ...answer, fingerprint: named.fingerprint }, now);
          return made as never; // db.write's own type has refused a promise
        }),
    };
  }

  return { checkKey, run };
}

type Named = Pick<KeptAnswer, 'fingerprint'> & { readonly request: string };

function answerOf(
  { reply }: Route,
  made: Representation<unknown>,
  caller: Caller | undefined,
): Omit<KeptAnswer, 'fingerprint'> {
  const ownerId = made.ownerId ?? nobodyId;
  return {
    objectId: made.id,
    ownerId: mayRead(caller, ownerId) ? ownerId : null, // whoever signs up another user can't read them
    status: reply.status,
    location: reply.location?.(made) ?? null,
    etag: made.etag,
    text: made.text,
  };
}

/** Whoever lost the right to read the object isn't shown it by an answer of before. */
function checkOwner({ caller, db }: Exchange, { ownerOf }: Route, { objectId, ownerId }: KeptAnswer): void {
  if (ownerId === null) return;
  const current = ownerOf?.(db.read, objectId);
  if (mayRead(caller, current === undefined ? ownerId : (current ?? nobodyId))) return;
  throw forbidden('You may no longer read what the first response shows.');
}

function mayRead(caller: Caller | undefined, ownerId: number): boolean {
  return caller !== undefined && allows(rowAccessOf(caller), ownerId);
}

function storageKeyOf(
  { method, path, headers: fields, address }: Exchange,
  caller: Caller | undefined,
): string {
  return `${caller?.principal ?? address} ${method} ${path} ${fields['idempotency-key']}`;
}

function checkKey(request: IncomingMessage, issues: Issue[]): void {
  const key = headersOf(request)['idempotency-key'] ?? '';
  if (
    countOccurrences(request, 'idempotency-key') === 1 &&
    key.length <= idempotencyKeyLengthMax &&
    /^[\x21-\x7e]+$/.test(key)
  )
    return;
  issues.push({
    header: 'Idempotency-Key',
    code: 'pattern',
    detail: `Idempotency-Key must be sent once, as 1 to ${idempotencyKeyLengthMax} visible ASCII characters.`,
  });
}
