// Secrets that rows have sealed (`auth/sealed-secrets.ts`): encrypted again once the service's own was replaced.
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

/** Seals secrets under the current secret that are still sealed under an older one. Returns their number. */
export function reseal(
  db: Connection,
  secrets: SealedSecrets,
  { table, key, sealedUnder, sealed, additionalData, rowsMax }: SealedColumns,
): number {
  const sql = `SELECT ${key}, ${sealed} FROM ${table} WHERE ${sealedUnder} = ? LIMIT +?`;
  const replacement = `UPDATE ${table} SET ${sealedUnder} = ?, ${sealed} = ? WHERE ${key} = ?`;
  for (const older of secrets.secretIds.slice(1)) {
    const rows = db.all<[number, Uint8Array]>(sql, older, rowsMax);
    for (const [id, bytes] of rows) {
      const resealed = secrets.reseal({ sealedUnder: older, bytes }, additionalData(id));
      // marks a row that can't be decrypted, so that it isn't tried again
      const replaced = resealed ?? { sealedUnder: '', bytes };
      db.run(replacement, replaced.sealedUnder, replaced.bytes, id);
    }
    if (rows.length > 0) return rows.length;
  }
  return 0;
}
