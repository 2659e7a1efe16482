// The rows of answers kept for Idempotency-Key.
import { hashOf } from '../../auth/credentials.ts';
import type { KeptAnswer } from '../../http/answer.ts';
import type { KeptAnswers } from '../../http/idempotency.ts';
import { idempotencySecondsMax } from '../../limits.ts';
import type { Connection } from '../../storage/connection.ts';

/** `seal` is a keyed digest: a plain one of a body with a password could be tried out. */
export function createKeptAnswers(seal: (text: string) => Buffer): KeptAnswers {
  return { find, keep, fingerprint: (body) => seal(body.toString('latin1')).toString('base64url') };
}

function find(
  db: Connection,
  request: string,
  now: number,
): (KeptAnswer & { fingerprint: string }) | undefined {
  const sql =
    'SELECT fingerprint, status, location, etag, text FROM keptAnswers WHERE request = ? AND createdAt > ?';
  const row = db.get<[string, number, string | null, string, string]>(
    sql,
    hashOf(request),
    now - idempotencySecondsMax * 1000,
  );
  if (row === undefined) return undefined;
  const [fingerprint, status, location, etag, text] = row;
  return { fingerprint, status, location, etag, text };
}

function keep(
  db: Connection,
  request: string,
  fingerprint: string,
  { status, location, etag, text }: KeptAnswer,
  now: number,
): void {
  const sql =
    'INSERT OR REPLACE INTO keptAnswers ' +
    '(request, fingerprint, status, location, etag, text, createdAt) ' +
    'VALUES (?, ?, ?, ?, ?, ?, ?)';
  db.run(sql, hashOf(request), fingerprint, status, location, etag, text, now);
}

export function removeOldAnswers(db: Connection, now: number): void {
  db.run('DELETE FROM keptAnswers WHERE createdAt <= ?', now - idempotencySecondsMax * 1000);
}
