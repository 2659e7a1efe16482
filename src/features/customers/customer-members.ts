// The members of a customer, each declared once (`storage/resource.ts`), and the schemas made of them.
import { idCell, textCell, timeCell, trimmedCell } from '../../base/csv.ts';
import { invalidAt } from '../../problem.ts';
import {
  directionIssue,
  email,
  sentEmail,
  id,
  sentTimestamp,
  singleLine,
  text,
  timestamp,
} from '../../schema/members.ts';
import { phone, sentPhone, toE164 } from '../../schema/phone.ts';
import { named, nullable, object, optional, partial, type Infer } from '../../schema/schema.ts';
import {
  contentReader,
  postedIn,
  sentIn,
  shownIn,
  type ContentOf,
  type RowOf,
} from '../../storage/resource.ts';
import { metadataMember } from '../../storage/metadata.ts';
import * as column from '../../storage/table.ts';
import { addressCells } from './address-csv.ts';
import { Address, NewAddress, normalizeAddress } from './address.ts';

const name = singleLine(200, 'The customer’s name.', 'Grace Hopper');
const sentName = singleLine(200, 'The customer’s name.', 'Grace Hopper', directionIssue);
const note = text(2000, 'What the shop should know about the customer.', 'Rings twice.');
const reference = singleLine(64, 'The number of the customer in the shop’s own records.', 'K-1042');
const owner = nullable(id, {
  description: 'The user who owns the customer; null once that user is deleted.',
});
const newOwner = optional(id, { description: 'The owner, if that is another user; only staff may set it.' });

/** Phone numbers are sent in E.164, or in the national form of the country that `countryOf` returns (ISO 3166-1). */
function membersFor(countryOf: () => string | undefined) {
  const optionalText = column.nullable(column.text());
  return {
    id: { shown: id, readOnly: optional(id), column: column.assigned, cell: idCell },
    userId: {
      shown: owner,
      posted: newOwner,
      sent: optional(owner),
      column: column.nullable(column.integer),
      cell: idCell,
    },
    name: { shown: name, sent: sentName, column: column.text(), cell: textCell },
    email: {
      shown: nullable(email),
      sent: optional(nullable(sentEmail)),
      column: optionalText,
      cell: trimmedCell,
    },
    phone: {
      shown: nullable(phone),
      sent: optional(nullable(sentPhone(countryOf))),
      normal: (sent: string) => keptPhone(sent, countryOf()),
      column: optionalText,
      cell: textCell,
    },
    address: {
      shown: nullable(Address),
      sent: optional(nullable(NewAddress)),
      normal: normalizeAddress,
      column: column.nullable(column.json<Address>()),
      cell: addressCells,
    },
    note: { shown: nullable(note), sent: optional(nullable(note)), column: optionalText, cell: textCell },
    reference: {
      shown: nullable(reference),
      sent: optional(nullable(reference)),
      column: optionalText,
      cell: trimmedCell,
    },
    metadata: metadataMember,
    createdAt: {
      shown: timestamp,
      readOnly: optional(sentTimestamp),
      column: column.time,
      cell: timeCell,
    },
    updatedAt: {
      shown: timestamp,
      readOnly: optional(sentTimestamp),
      column: column.time,
      cell: timeCell,
    },
  };
}

/** Throws if the shop has moved to another country since the number was checked. */
function keptPhone(sent: string, country: string | undefined): string {
  const number = toE164(sent, country);
  if (number === undefined)
    throw invalidAt(
      '/phone',
      'format',
      'The shop’s country has just changed: send the number with + and its calling code.',
    );
  return number;
}

export const customerMembers = membersFor(() => undefined);

export const Customer = named('Customer', object(shownIn(customerMembers)));
export type Customer = Infer<typeof Customer>;
export type CustomerRow = RowOf<typeof customerMembers>;

/** The members that a change may set. */
export type CustomerContent = ContentOf<typeof customerMembers>;

const example = {
  name: 'Grace Hopper',
  email: 'grace@example.com',
  phone: '+4944112345678',
  address: { line1: 'Ammerländer Heerstraße 114', city: 'Oldenburg', postalCode: '26133', country: 'DE' },
};

export type CustomerBodies = ReturnType<typeof customerBodies>;
export type CustomerPatch = Infer<CustomerBodies['CustomerPatch']>;

/** Returns the schemas of bodies. */
export function customerBodies(countryOf: () => string | undefined) {
  const members = membersFor(countryOf);
  const NewCustomer = named('NewCustomer', object(postedIn(members), { examples: [example] }));
  const CustomerReplacement = named(
    'CustomerReplacement',
    object(sentIn(members), {
      description:
        'The whole customer: omitted members become null, but owner and metadata stay. ' +
        'Read-only members may be sent with their current values.',
      examples: [example],
    }),
  );
  const CustomerPatch = named(
    'CustomerPatch',
    partial(CustomerReplacement, {
      description: 'A JSON Merge Patch (RFC 7396).',
      examples: [{ phone: '+4944112345678' }],
    }),
  );
  return { contentOf: contentReader(members), NewCustomer, CustomerReplacement, CustomerPatch };
}
