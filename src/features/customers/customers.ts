// Customers: the people and companies that order. Each belongs to a user, and staff see all.
import { trimmedCell, type CsvConversion } from '../../base/csv.ts';
import { invalidAt, Problem } from '../../problem.ts';
import { resource, type RowMatch } from '../../resource/declared-resource.ts';
import { ownedBy } from '../../resource/owner-store.ts';
import * as member from '../../resource/usual-members.ts';
import type { ContentOf } from '../../resource/resource-members.ts';
import { countryNamed } from '../../schema/country-names.ts';
import { emailKey } from '../../schema/email.ts';
import { directionIssue, email, id, sentEmail, singleLine, multiLine } from '../../schema/members.ts';
import { namePrefix, sameNameRange } from '../../schema/name-key.ts';
import { phone, sentPhone, toE164 } from '../../schema/phone.ts';
import { nullable, optional, type Infer } from '../../schema/schema.ts';
import { parseSearch } from '../../schema/search-text.ts';
import type { Connection } from '../../storage/connection.ts';
import { beginsWith, equals } from '../../storage/keyset.ts';
import { metadataMember, noMetadata } from '../../storage/metadata.ts';
import { changesNothing, type Owned } from '../../storage/object-access.ts';
import type { Permit } from '../../storage/permit.ts';
import * as column from '../../storage/table.ts';
import { addressMember } from './address.ts';
import { auditCustomerSearch, changeInSearch, matchingCustomers } from './customer-search-store.ts';

const name = singleLine(200, 'The customer’s name.', 'Grace Hopper');
const sentName = singleLine(200, 'The customer’s name.', 'Grace Hopper', directionIssue);
const note = multiLine(2000, 'What the shop should know about the customer.', 'Rings twice.');
const reference = singleLine(64, 'The number of the customer in the shop’s own records.', 'K-1042');
const owner = nullable(id, {
  description: 'The user who owns the customer; null once that user is deleted.',
});

function membersFor(countryOf: () => string | undefined) {
  return {
    ...member.identity,
    userId: { ...member.ownership.userId, shown: owner, sent: optional(owner) },
    name: { ...member.requiredText(name), sent: sentName },
    email: { ...member.optionalText(email), sent: optional(nullable(sentEmail)), cell: trimmedCell },
    phone: {
      ...member.optionalText(phone),
      sent: optional(nullable(sentPhone(countryOf))),
      normal: (sent: string) => normalizedPhone(sent, countryOf()),
    },
    address: addressMember,
    note: member.optionalText(note),
    reference: { ...member.optionalText(reference), cell: trimmedCell },
    metadata: metadataMember,
    ...member.times,
  };
}

/** Throws if the shop has moved to another country since the number was checked. */
function normalizedPhone(sent: string, country: string | undefined): string {
  const number = toE164(sent, country);
  if (number !== undefined) return number;
  const detail = 'The shop’s country has just changed: send the number with + and its calling code.';
  throw invalidAt('/phone', 'format', detail);
}

/** How an import finds customers. Before they had references, the shop's own number was the key of an import. */
const by = {
  reference: { sql: 'reference = ?', valuesOf: ({ reference }) => [reference] },
  email: {
    sql: 'emailKey = ? ORDER BY id',
    valuesOf: ({ email }) => [email === null ? null : emailKey(email)],
  },
  phone: { sql: 'phone = ? ORDER BY nameKey, id', valuesOf: ({ phone }) => [phone] },
  phoneAndName: {
    sql: 'phone = ? AND nameKey >= ? AND nameKey < ?',
    valuesOf: ({ phone, name }) => [phone, ...sameNameRange(name)],
  },
  formerKey: {
    sql: 'reference IS NULL AND id = (SELECT customerId FROM importedCustomers WHERE key = ?)',
    valuesOf: ({ reference }) => [reference],
  },
} satisfies Record<string, RowMatch<CustomerContent>>;

/** Phone numbers are sent in E.164, or in the national form of the country that `countryOf` returns (ISO 3166-1). */
export function customersIn(countryOf: () => string | undefined) {
  return resource({
    name: 'customer',
    plural: 'customers',
    rights: { owner: 'user' },
    members: membersFor(countryOf),
    keys: {
      nameKey: member.nameKey,
      emailKey: column.nullableColumn(column.derivedColumn('email', emailKey)),
    },
    examples: {
      whole: {
        name: 'Grace Hopper',
        email: 'grace@example.com',
        phone: '+4944112345678',
        address: {
          line1: 'Ammerländer Heerstraße 114',
          city: 'Oldenburg',
          postalCode: '26133',
          country: 'DE',
        },
      },
      patch: { phone: '+4944112345678' },
    },
    replacement:
      'The whole customer: omitted members become null, but owner and metadata stay. ' +
      'Read-only members may be sent with their current values.',
    sorts: { id: 'id', name: 'nameKey', createdAt: 'createdAt' },
    filters: {
      userId: {
        schema: optional(id),
        column: 'userId',
        matches: ownedBy,
        ordered: ['id', 'nameKey', 'createdAt'],
      },
      email: {
        schema: optional(email),
        column: 'emailKey',
        matches: equals,
        columnValueOf: emailKey,
        ordered: ['id'],
      },
      name: {
        schema: optional(singleLine(200, 'A prefix of the name; case is ignored.', 'Gr')),
        column: 'nameKey',
        matches: beginsWith,
        columnValueOf: namePrefix,
        isRange: true,
      },
    },
    search: {
      description:
        'Every word must be in the name, the e-mail address, the phone number, the street, the city or the reference; ' +
        'or it is an id. Words of one or two characters are beginnings of words.',
      matching: (scope, q) => matchingCustomers(scope, parseSearch(q, countryOf())),
      indexCheck: { title: 'Search of customers', run: auditCustomerSearch },
    },
    imports: {
      description: 'A new customer, or the members to change of one who is known.',
      knownBy: [by.reference, by.email, by.phoneAndName, by.formerKey],
      distinguishedBy: 'reference',
      alike: [by.reference, by.email, by.phone],
    },
    deletion: { problems: ['customer-has-orders'], checkAllowed: checkHasNoOrders },
    onWrite(db, id, change) {
      changeInSearch(db, id, change);
      db.invalidate({ table: 'customers', id });
    },
  });
}

export const customerResource = customersIn(() => undefined);

export type Customer = Infer<typeof customerResource.Shown>;
/** The members that a change may set. */
export type CustomerContent = ContentOf<ReturnType<typeof membersFor>>;

function checkHasNoOrders(db: Connection, id: number): void {
  if (db.get('SELECT 1 FROM orders WHERE customerId = ? LIMIT 1', id) !== undefined)
    throw new Problem('customer-has-orders', `Customer ${id} has orders and can’t be deleted.`);
}

/** The content of an erased customer. */
const erased: Omit<CustomerContent, 'userId'> = {
  name: 'erased',
  email: null,
  phone: null,
  address: null,
  note: null,
  reference: null,
  metadata: noMetadata,
};

/** Erases the personal data in the customer's row; `customer-erasure-store.ts` erases the rest. */
export function eraseContent(permit: Permit, customer: Owned<Customer>): void {
  if (changesNothing(customer, erased)) return;
  const wanted = { ...erased, userId: customer.userId };
  customerResource.overwrite(permit, customer, { wanted, verb: 'erased' });
}

const { columns, mustBe, objectOf } = customerResource.conversion;
const addressColumns = columns.filter((name) => name.startsWith('address.'));

/** Reads the rows of an export. An address without a street goes to the note, so that its row isn't lost. */
export const customerRows: CsvConversion = {
  columns,
  mustBe,
  objectOf(cells, country) {
    const customer: Readonly<Record<string, unknown>> = { ...objectOf(cells, country) };
    const address: Record<string, string> = {};
    for (const name of addressColumns) {
      const cell = cells.get(name);
      if (cell !== undefined) address[name.slice('address.'.length)] = cell;
    }
    const parts = Object.values(address);
    if (parts.length === 0) return customer;
    if (address['line1'] === undefined) {
      const place = parts.join(', ');
      return { ...customer, note: 'note' in customer ? `${String(customer['note'])}\n${place}` : place };
    }
    const { country: named } = address;
    if (named !== undefined) address['country'] = countryNamed(named) ?? named;
    return { ...customer, address: country === undefined ? address : { country, ...address } };
  },
};
