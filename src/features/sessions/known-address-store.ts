// The rows of addresses from which accounts were used. Failures at other addresses don't lock these out.
import { daySeconds } from '../../base/durations.ts';
import type { Connection } from '../../storage/connection.ts';
import type { Permit } from '../../storage/permit.ts';
import type { AddressUse } from '../users/password-checks.ts';

/** Addresses from which a user has signed in, and the time for which they are kept. */
const knownAddressesPerUserMax = 8;
const knownAddressSecondsMax = 30 * daySeconds;

export function isKnownAddress(db: Connection, { userId, addressBucket, now }: AddressUse): boolean {
  const sql = 'SELECT 1 FROM knownAddresses WHERE userId = ? AND addressBucket = ? AND usedAt > ?';
  return db.get(sql, userId, addressBucket, oldestKept(now)) !== undefined;
}

/** Records a use of the account; beyond the bound, the row that was used longest ago is deleted. */
export function recordAddress({ writer: db, origin }: Permit, userId: number, addressBucket: string): void {
  db.run(
    'DELETE FROM knownAddresses WHERE userId = ? AND addressBucket IN ' +
      '(SELECT addressBucket FROM knownAddresses WHERE userId = ? AND addressBucket <> ? ' +
      'ORDER BY usedAt DESC, addressBucket LIMIT -1 OFFSET ?)',
    userId,
    userId,
    addressBucket,
    knownAddressesPerUserMax - 1,
  );
  db.run(
    'INSERT INTO knownAddresses (userId, addressBucket, usedAt) VALUES (?, ?, ?) ' +
      'ON CONFLICT DO UPDATE SET usedAt = excluded.usedAt',
    userId,
    addressBucket,
    origin.now,
  );
}

export function removeOldAddresses(db: Connection, rowsMax: number, now: number): number {
  const sql =
    'DELETE FROM knownAddresses WHERE (userId, addressBucket) IN ' +
    '(SELECT userId, addressBucket FROM knownAddresses WHERE usedAt <= ? LIMIT +?)';
  return db.run(sql, oldestKept(now), rowsMax).rowsChanged;
}

function oldestKept(now: number): number {
  return now - knownAddressSecondsMax * 1000;
}
