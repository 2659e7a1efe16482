// One-time codes, a user's second factor: the schemas of requests and responses, and the rows, which every sign-in reads:
// sealed secrets, the last step used, and hashes of recovery codes.
import { accountAccessOf } from '../../auth/access.ts';
import { recoveryCodeHash, stepOfCode } from '../../auth/one-time-codes.ts';
import { hasSealedLength, type Sealed, type SealedSecrets } from '../../auth/sealed-secrets.ts';
import { id, timestamp } from '../../schema/members.ts';
import { schemaIssues } from '../../schema/schema-check.ts';
import { array, boolean, integer, named, object, string, type Infer } from '../../schema/schema.ts';
import { issueUnless } from '../../storage/audit.ts';
import type { Connection } from '../../storage/connection.ts';
import type { ObjectSource, Owned } from '../../storage/object-access.ts';
import type { Permit } from '../../storage/permit.ts';
import { reseal } from '../../storage/sealed-columns.ts';
import * as column from '../../storage/table.ts';
import { table } from '../../storage/table.ts';
import { recordEvent } from '../events/event-store.ts';
import type { StoredUser } from './user-store.ts';

export const recoveryCodesMax = 8;

export const code = string({
  minLength: 6,
  maxLength: 40,
  pattern: '^[0-9A-Za-z -]+$',
  mustBe: 'a one-time code or a recovery code',
  writeOnly: true,
  description: 'The six digits that an authenticator app shows, or a recovery code.',
  examples: ['287082'],
});

export const Totp = named(
  'Totp',
  object({
    userId: id,
    isOn: boolean({ description: 'Whether signing in needs a code; false until a code has confirmed it.' }),
    recoveryCodesLeft: integer({ minimum: 0, maximum: recoveryCodesMax, examples: [recoveryCodesMax] }),
    createdAt: timestamp,
  }),
);
export type Totp = Infer<typeof Totp>;

export const NewTotp = named(
  'NewTotp',
  object({
    secret: string({
      maxLength: 32,
      pattern: '^[A-Z2-7]+$',
      description: 'In base32, to be typed into an authenticator app; shown only this once.',
      examples: ['GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'],
    }),
    uri: string({
      maxLength: 1_000,
      pattern: '^otpauth://totp/',
      description: 'The same for a QR code.',
      examples: [
        'otpauth://totp/orderly:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=orderly',
      ],
    }),
  }),
);

export const TotpConfirmation = named('TotpConfirmation', object({ code }));

export const RecoveryCodes = named(
  'RecoveryCodes',
  object({
    recoveryCodes: array(
      string({ maxLength: 32, pattern: '^[a-z2-7-]+$', examples: ['k5qj-7m2c-xw4d-ta3n'] }),
      {
        minItems: recoveryCodesMax,
        maxItems: recoveryCodesMax,
        description: 'Each takes the place of one code, once; shown only now.',
        examples: [Array.from('abcdefgh', (last) => `k5qj-7m2c-xw4d-ta3${last}`)],
      },
    ),
  }),
);

const totpSecrets = table('totpSecrets', {
  userId: column.integerColumn,
  sealedUnder: column.textColumn(),
  sealed: column.blobColumn,
  lastStep: column.integerColumn,
  createdAt: column.timeColumn,
  confirmedAt: column.nullableColumn(column.timeColumn),
});
const replaceStep = totpSecrets.update(['lastStep']);
const codesSql = 'SELECT count(*) FROM recoveryCodes WHERE userId = totpSecrets.userId';
const shown = {
  userId: column.integerColumn,
  isOn: column.computedColumn('confirmedAt IS NOT NULL', column.booleanColumn),
  recoveryCodesLeft: column.computedColumn(`(${codesSql})`, column.integerColumn),
  createdAt: column.timeColumn,
};
const rows = totpSecrets.select(shown);

export const findTotp = rows.find;

/** One-time codes by the ids of their users. */
export const totpSource: ObjectSource<Totp> = {
  name: 'one-time code set-up of user',
  find: findTotp,
  ownerIdOf: ({ userId }) => userId,
  accessOf: accountAccessOf,
};

/** Replaces a set-up that was never confirmed. No event is recorded, since no sign-in needs a code yet. */
export function addTotp(
  { writer: db, origin }: Permit,
  { id }: Owned<StoredUser>,
  { sealedUnder, bytes }: Sealed,
): Totp {
  removeTotpRows(db, id);
  const createdAt = origin.now;
  totpSecrets.insert(db, { userId: id, sealedUnder, sealed: bytes, lastStep: 0, createdAt });
  return rows.written({ userId: id, isOn: false, recoveryCodesLeft: 0, createdAt });
}

/** Turns codes on: from now on each sign-in needs a code. Replaces any earlier recovery codes. */
export function confirmTotp(permit: Permit, { userId }: Owned<Totp>, recoveryCodes: readonly string[]): void {
  const { writer: db, origin } = permit;
  const sql = 'UPDATE totpSecrets SET confirmedAt = coalesce(confirmedAt, ?) WHERE userId = ?';
  db.run(sql, origin.now, userId);
  db.run('DELETE FROM recoveryCodes WHERE userId = ?', userId);
  const insertion = 'INSERT INTO recoveryCodes (userId, hash) VALUES (?, ?)';
  for (const code of recoveryCodes) db.run(insertion, userId, recoveryCodeHash(code));
  recordTotpChange(permit, userId);
}

export function removeTotp(permit: Permit, { userId }: Owned<Totp>): void {
  removeTotpRows(permit.writer, userId);
  recordTotpChange(permit, userId);
}

/** Removes the set-up, if there is one, and returns whether sign-ins needed its codes. */
export function removeUserTotp(permit: Permit, { id }: Owned<StoredUser>): boolean {
  const wasOn = findTotp(permit.writer, id)?.isOn === true;
  removeTotpRows(permit.writer, id);
  if (wasOn) recordTotpChange(permit, id);
  return wasOn;
}

function removeTotpRows(db: Connection, userId: number): void {
  db.run('DELETE FROM recoveryCodes WHERE userId = ?', userId);
  totpSecrets.remove(db, userId);
}

function recordTotpChange(permit: Permit, userId: number): void {
  const changes = { totp: null };
  recordEvent(permit, { type: 'user.changed', subjectId: userId, ownerId: userId, changes });
}

type CodeUse = { readonly userId: number; readonly code: string };

/**
 * Uses up a right code, since each code works once. Returns the kind of the code; undefined for a wrong code.
 */
export function useCode(
  permit: Permit,
  secrets: SealedSecrets,
  use: CodeUse,
): 'one-time code' | 'recovery code' | undefined {
  if (useOneTimeCode(permit, secrets, use)) return 'one-time code';
  const { rowsChanged } = permit.writer.run(
    'DELETE FROM recoveryCodes WHERE userId = ? AND hash = ?',
    use.userId,
    recoveryCodeHash(use.code),
  );
  return rowsChanged === 1 ? 'recovery code' : undefined;
}

/** Returns whether the code is a right one-time code. If so, it is used up. */
export function useOneTimeCode(
  { writer: db, origin }: Permit,
  secrets: SealedSecrets,
  { userId, code }: CodeUse,
): boolean {
  const digits = code.replaceAll(' ', '');
  if (!/^\d{6}$/.test(digits)) return false;
  const row = db.get<[string, Uint8Array, number]>(
    'SELECT sealedUnder, sealed, lastStep FROM totpSecrets WHERE userId = ?',
    userId,
  );
  if (row === undefined) return false;
  const [sealedUnder, bytes, lastStep] = row;
  const secret = secrets.open({ sealedUnder, bytes }, totpAdditionalData(userId));
  const step = secret && stepOfCode(secret, digits, origin.now);
  if (step === undefined || step <= lastStep) return false;
  replaceStep(db, { lastStep: step }, userId);
  return true;
}

/** The additional data (AEAD) of a user's sealed secret, so that a row can't replace another user's. */
export function totpAdditionalData(userId: number): string {
  return `totp of user ${userId}`;
}

/** Encrypts secrets again after the service's own secret was replaced. */
export function resealTotp(db: Connection, secrets: SealedSecrets, rowsMax: number): number {
  const columns = { table: 'totpSecrets', key: 'userId', sealedUnder: 'sealedUnder', sealed: 'sealed' };
  return reseal(db, secrets, { ...columns, additionalData: totpAdditionalData, rowsMax });
}

/** The audit doesn't decrypt secrets, since `orderly check` doesn't read secret.key. */
export const totpAudit = totpSecrets.audit({
  thing: 'one-time code set-up',
  columns: {
    ...shown,
    lastStep: column.integerColumn,
    sealed: column.blobColumn,
    wrongHashes: column.computedColumn(`(${codesSql} AND length(hash) <> 32)`, column.integerColumn),
  },
  issues({ lastStep, sealed, wrongHashes, ...totp }) {
    const wasUsed = totp.recoveryCodesLeft > 0 || lastStep > 0;
    return [
      ...schemaIssues(Totp, totp),
      ...issueUnless(totp.isOn || !wasUsed, '/isOn', 'is false, but a code has confirmed it.'),
      ...issueUnless(hasSealedLength(sealed), '/sealed', 'there is no secret.'),
      ...issueUnless(wrongHashes === 0, '/recoveryCodes', 'a hash is not a SHA-256 hash.'),
    ];
  },
});
