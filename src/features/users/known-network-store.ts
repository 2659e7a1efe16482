// The rows of the networks from which accounts were used: failed sign-ins from other networks don't lock these out. The
// table calls them addresses, since released migrations are never edited.
import { daySeconds } from '../../base/durations.ts';
import type { Connection } from '../../storage/connection.ts';
import type { Permit } from '../../storage/permit.ts';

/** The networks kept for each user, and for how long. */
const knownNetworksPerUserMax = 8;
const knownNetworkSecondsMax = 30 * daySeconds;

/** An account, a network from which the account is used, and the time in milliseconds since 1970. */
type NetworkUse = { readonly userId: number; readonly network: string; readonly now: number };

/** Whether the account was recently used from this network. */
export function isKnownNetwork(db: Connection, { userId, network, now }: NetworkUse): boolean {
  const sql = 'SELECT 1 FROM knownAddresses WHERE userId = ? AND addressBucket = ? AND usedAt > ?';
  return db.get(sql, userId, network, oldestKept(now)) !== undefined;
}

/** Records a use of the account; beyond the bound, the row that was used longest ago is deleted. */
export function recordNetwork({ writer: db, origin }: Permit, userId: number, network: string): void {
  const removal =
    'DELETE FROM knownAddresses WHERE userId = ? AND addressBucket IN ' +
    '(SELECT addressBucket FROM knownAddresses WHERE userId = ? AND addressBucket <> ? ' +
    'ORDER BY usedAt DESC, addressBucket LIMIT -1 OFFSET ?)';
  db.run(removal, userId, userId, network, knownNetworksPerUserMax - 1);
  const insertion =
    'INSERT INTO knownAddresses (userId, addressBucket, usedAt) VALUES (?, ?, ?) ' +
    'ON CONFLICT DO UPDATE SET usedAt = excluded.usedAt';
  db.run(insertion, userId, network, origin.now);
}

export function removeOldNetworks(db: Connection, rowsMax: number, now: number): number {
  const sql =
    'DELETE FROM knownAddresses WHERE (userId, addressBucket) IN ' +
    '(SELECT userId, addressBucket FROM knownAddresses WHERE usedAt <= ? LIMIT +?)';
  return db.run(sql, oldestKept(now), rowsMax).rowsChanged;
}

function oldestKept(now: number): number {
  return now - knownNetworkSecondsMax * 1000;
}
