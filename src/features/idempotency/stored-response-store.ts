// The rows of responses that are stored for Idempotency-Key.
import { hash } from 'node:crypto';
import type { Mac } from '../../auth/mac.ts';
import { idempotencySecondsMax } from '../../http/connections/request-fields.ts';
import { type ResponseStore, type StoredResponse } from '../../http/requests/idempotency.ts';
import type { Connection } from '../../storage/connection.ts';

/**
 * Takes a MAC for each secret: from a plain digest of a body, its password could be guessed. The first MAC
 * creates fingerprints, and any MAC may match, so that a secret can be replaced while clients repeat
 * requests.
 */
export function createStoredResponses(macs: readonly Mac[]): ResponseStore {
  const fingerprints = (body: Buffer): string[] => {
    const text = body.toString('latin1');
    return macs.map((mac) => mac(text).toString('base64url'));
  };
  return { find, save, fingerprints };
}

function find(db: Connection, storageKey: string, now: number): StoredResponse | undefined {
  const sql =
    'SELECT fingerprint, objectId, ownerId, status, location, etag, body FROM storedResponses ' +
    `WHERE request = ? AND createdAt > ? AND NOT (${isErasedSql})`;
  const row = db.get<[string, number, number | null, number, string | null, string, Uint8Array]>(
    sql,
    digestOf(storageKey),
    now - idempotencySecondsMax * 1000,
  );
  if (row === undefined) return undefined;
  const [fingerprint, objectId, ownerId, status, location, etag, bytes] = row;
  const text = Buffer.from(bytes).toString('latin1');
  return { fingerprint, objectId, ownerId, status, location, etag, text };
}

/** Whether the response shows an order that is still to be erased; only changes of orders have no location. */
const isErasedSql =
  "ifnull(location GLOB '/orders/*', TRUE) AND " +
  'EXISTS (SELECT 1 FROM orders JOIN erasures USING (customerId) ' +
  'WHERE orders.id = objectId AND orders.id <= lastOrderId)';

function save(
  db: Connection,
  { fingerprint, objectId, ownerId, status, location, etag, text }: StoredResponse,
  { storageKey, now }: { readonly storageKey: string; readonly now: number },
): void {
  const sql =
    'INSERT OR REPLACE INTO storedResponses ' +
    '(request, fingerprint, objectId, ownerId, status, location, etag, body, createdAt) ' +
    'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)';
  const bytes = Buffer.from(text, 'latin1'); // as TEXT, all but ASCII characters would take twice their bytes
  db.run(sql, digestOf(storageKey), fingerprint, objectId, ownerId, status, location, etag, bytes, now);
}

/** Returns a digest, since path and Idempotency-Key may be long. */
function digestOf(storageKey: string): Buffer {
  return hash('sha256', storageKey, 'buffer');
}

export function removeExpiredResponses(db: Connection, rowsMax: number, now: number): number {
  const sql =
    'DELETE FROM storedResponses WHERE rowid IN ' +
    '(SELECT rowid FROM storedResponses WHERE createdAt <= ? LIMIT +?)';
  return db.run(sql, now - idempotencySecondsMax * 1000, rowsMax).rowsChanged;
}
