// How an import finds the customer that it means.
import { emailKey } from '../../schema/email.ts';
import { sameNameRange } from '../../schema/members.ts';
import type { Connection } from '../../storage/connection.ts';
import type { CustomerContent } from '../customers/customers.ts';

type Identity = Pick<CustomerContent, 'name' | 'email' | 'phone' | 'reference'>;

/**
 * Returns the customer that is meant: who alone has this reference; or else this e-mail address; or else this phone
 * number together with the name; or else the reference as the key of an earlier import, when customers had no place for
 * references. Nobody who has another reference is meant.
 */
export function findKnownCustomer(
  db: Connection,
  { name, email, phone, reference }: Identity,
): number | undefined {
  const found = [
    db.all<KnownRow>(knownReferenceSql, reference),
    db.all<KnownRow>(knownEmailSql, email === null ? null : emailKey(email)),
    db.all<KnownRow>(knownPhoneSql, phone, ...sameNameRange(name)),
    db.all<KnownRow>(knownKeySql, reference),
  ];
  for (const [known, other] of found)
    if (known !== undefined && other === undefined && isNoOther(known[1], reference)) return known[0];
  return undefined;
}

type KnownRow = [id: number, reference: string | null];

const knownReferenceSql = 'SELECT id, reference FROM customers WHERE reference = ? LIMIT 2';
const knownEmailSql = 'SELECT id, reference FROM customers WHERE emailKey = ? LIMIT 2';
const knownPhoneSql =
  'SELECT id, reference FROM customers WHERE phone = ? AND nameKey >= ? AND nameKey < ? LIMIT 2';

const knownKeySql =
  'SELECT id, reference FROM importedCustomers JOIN customers ON id = customerId WHERE key = ? AND reference IS NULL';

function isNoOther(known: string | null, reference: string | null): boolean {
  return known === null || reference === null || known === reference;
}

/** Returns a customer who has the same reference, e-mail address or phone number as another one. */
export function findSameCustomer(db: Connection, { email, phone, reference }: Identity): number | undefined {
  const row =
    db.get<[id: number]>('SELECT id FROM customers WHERE reference = ? LIMIT 1', reference) ??
    db.get<[id: number]>(sameEmailSql, email === null ? null : emailKey(email)) ??
    db.get<[id: number]>(samePhoneSql, phone);
  return row?.[0];
}

const sameEmailSql = 'SELECT id FROM customers WHERE emailKey = ? ORDER BY id LIMIT 1';
const samePhoneSql = 'SELECT id FROM customers WHERE phone = ? ORDER BY nameKey, id LIMIT 1';
