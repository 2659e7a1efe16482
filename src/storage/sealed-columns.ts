// Sealed secrets in rows (`auth/sealed-secrets.ts`), which are sealed again once the service's own secret was replaced.
import type { SealedSecrets } from '../auth/sealed-secrets.ts';
import type { Connection } from './connection.ts';

/** Names of a table and its columns, never text from a request. */
type SealedColumns = {
  readonly table: string;
  readonly key: string;
  readonly sealedUnder: string;
  readonly sealed: string;
  readonly additionalData: (key: number) => string;
  readonly rowsMax: number;
};

/** Seals with the first key what an older key has sealed. Returns the number of rows. */
export function reseal(
  db: Connection,
  secrets: SealedSecrets,
  { table, key, sealedUnder, sealed, additionalData, rowsMax }: SealedColumns,
): number {
  const sql = `SELECT ${key}, ${sealed} FROM ${table} WHERE ${sealedUnder} = ? LIMIT +?`;
  const replacement = `UPDATE ${table} SET ${sealedUnder} = ?, ${sealed} = ? WHERE ${key} = ?`;
  for (const older of secrets.olderKeyIds) {
    const rows = db.all<[number, Uint8Array]>(sql, older, rowsMax);
    for (const [id, bytes] of rows) {
      const secret = secrets.open({ sealedUnder: older, bytes }, additionalData(id));
      // a row that can't be opened is marked, so that it isn't tried again
      const resealed = secret && secrets.seal(secret, additionalData(id));
      db.run(replacement, resealed?.sealedUnder ?? '', resealed?.bytes ?? bytes, id);
    }
    if (rows.length > 0) return rows.length;
  }
  return 0;
}
