// The rows of addresses from which accounts were used: failures at other addresses don't count against these.
import { knownAddressesPerUserMax, knownAddressSecondsMax } from '../../limits.ts';
import type { Connection } from '../../storage/connection.ts';
import type { Permit } from '../../storage/permit.ts';

export function isKnownAddress(db: Connection, userId: number, address: string, now: number): boolean {
  const sql = 'SELECT 1 FROM knownAddresses WHERE userId = ? AND address = ? AND usedAt > ?';
  return db.get(sql, userId, address, oldestOf(now)) !== undefined;
}

/**
 * Records that the account was used from there. Beyond the bound the least recently used address is removed.
 */
export function recordAddress({ writer: db }: Permit, userId: number, address: string, now: number): void {
  db.run(
    'DELETE FROM knownAddresses WHERE userId = ? AND address IN ' +
      '(SELECT address FROM knownAddresses WHERE userId = ? AND address <> ? ' +
      'ORDER BY usedAt DESC, address LIMIT -1 OFFSET ?)',
    userId,
    userId,
    address,
    knownAddressesPerUserMax - 1,
  );
  db.run(
    'INSERT INTO knownAddresses (userId, address, usedAt) VALUES (?, ?, ?) ' +
      'ON CONFLICT DO UPDATE SET usedAt = excluded.usedAt',
    userId,
    address,
    now,
  );
}

export function removeOldAddresses(db: Connection, rowsMax: number, now: number): number {
  const sql =
    'DELETE FROM knownAddresses WHERE (userId, address) IN ' +
    '(SELECT userId, address FROM knownAddresses WHERE usedAt <= ? LIMIT +?)';
  return db.run(sql, oldestOf(now), rowsMax).rowsChanged;
}

function oldestOf(now: number): number {
  return now - knownAddressSecondsMax * 1000;
}
