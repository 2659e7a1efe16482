// Requests that may be sent twice: Idempotency-Key, kept in the same transaction as the change.
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../auth/access.ts';
import { Problem } from '../errors.ts';
import { idempotencyKeyLengthMax } from '../limits.ts';
import type { Issue } from '../schema/schema.ts';
import type { Connection } from '../storage/connection.ts';
import type { createAnswerer, KeptAnswer } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { fieldsOf, timesSent } from './fields.ts';
import type { Representation } from './representation.ts';
import type { Route } from './route.ts';

/** Where first answers are kept. `request` names principal, method, path and key. */
export type KeptAnswers = {
  find(
    db: Connection,
    request: string,
    now: number,
  ): (KeptAnswer & { readonly fingerprint: string }) | undefined;
  keep(db: Connection, request: string, fingerprint: string, answer: KeptAnswer, now: number): void;
  /** A keyed digest: bodies may hold passwords. */
  fingerprint(body: Buffer): string;
};

export function createOnce(kept: KeptAnswers, { answer, repeat }: ReturnType<typeof createAnswerer>) {
  const running = new Set<string>();

  /**
   * While it runs, its key is held: so what is found kept is on disk, and what isn't found can't appear
   * meanwhile.
   */
  async function run(exchange: Exchange, route: Route, body: Buffer): Promise<void> {
    const request = nameOf(exchange, exchange.caller);
    if (running.has(request))
      throw new Problem(
        'idempotency-key-in-progress',
        'The first request with this Idempotency-Key is still running.',
        { retryAfterSeconds: 1 },
      );
    running.add(request);
    try {
      const fingerprint = kept.fingerprint(body);
      const found = kept.find(exchange.db.read, request, exchange.now);
      if (found === undefined) {
        keepWithChange(exchange, route, request, fingerprint);
        return answer(exchange, route, await route.handle(exchange));
      }
      if (found.fingerprint !== fingerprint)
        throw new Problem('idempotency-key-reused', 'This Idempotency-Key was used for another body.');
      repeat(exchange, route, found);
    } finally {
      running.delete(request);
    }
  }

  /** The handler's write, and in the same transaction the answer to it. */
  function keepWithChange(exchange: Exchange, route: Route, request: string, fingerprint: string): void {
    const { db, now } = exchange;
    exchange.db = {
      get read() {
        return db.read;
      },
      readSlowly: db.readSlowly,
      write: (work) =>
        db.write((connection) => {
          const made: unknown = work(connection);
          kept.keep(connection, request, fingerprint, answerOf(route, made as Representation<unknown>), now); // an idempotent route's write returns what it answers
          return made as never; // db.write's own type has refused a promise
        }),
    };
  }

  return { checkKey, run };
}

function answerOf({ reply }: Route, made: Representation<unknown>): KeptAnswer {
  return { status: reply.status, location: reply.location?.(made) ?? null, etag: made.etag, text: made.text };
}

function nameOf({ method, path, fields, address }: Exchange, caller: Caller | undefined): string {
  return `${caller?.principal ?? address} ${method} ${path} ${fields['idempotency-key']}`;
}

function checkKey(request: IncomingMessage, issues: Issue[]): void {
  const key = fieldsOf(request)['idempotency-key'] ?? '';
  if (
    timesSent(request, 'idempotency-key') === 1 &&
    key.length <= idempotencyKeyLengthMax &&
    /^[\x21-\x7e]+$/.test(key)
  )
    return;
  issues.push({
    header: 'Idempotency-Key',
    code: 'pattern',
    detail: `Idempotency-Key must be 1–${idempotencyKeyLengthMax} visible ASCII characters, once.`,
  });
}
