// A customer and their address: what is sent and shown, and the rules of changing one.
import { isStaff, type Caller } from '../../auth/access.ts';
import { forbidden, throwIfInvalid } from '../../errors.ts';
import { country, email, id, singleLine, phone, readOnlyIssues, timestamp } from '../../schema/members.ts';
import {
  named,
  nullable,
  object,
  oneOf,
  optional,
  partial,
  string,
  type Infer,
  type Issue,
} from '../../schema/schema.ts';
import { normalPostalCode, postalCodeIssue } from './address.ts';

const name = singleLine(200, 'The customer’s name.', 'Grace Hopper');
const part = (description: string, example: string) => nullable(singleLine(200, description, example));
const postalCode = string({
  minLength: 1,
  maxLength: 32,
  pattern: '^[A-Za-z0-9 \\t-]+$',
  mustBe: 'a postal code such as 26133',
  examples: ['26133'],
  description:
    'In its country’s format; required where the country has postal codes. Trimmed and upper-cased.',
});
const addressMembers = {
  name: part('The recipient, if that is not the customer.', 'c/o Sea & Sand'),
  line1: singleLine(200, 'Street and number.', 'Ammerländer Heerstraße 114'),
  line2: part('Second line of the street address.', '2nd floor'),
  city: singleLine(200, 'Town.', 'Oldenburg'),
  region: part('State, province or county.', 'Niedersachsen'),
  postalCode: nullable(postalCode),
  country,
};

export const Address = named('Address', object(addressMembers));
export type Address = Infer<typeof Address>;

export const NewAddress = named(
  'NewAddress',
  object(
    {
      ...addressMembers,
      name: optional(addressMembers.name),
      line2: optional(addressMembers.line2),
      region: optional(addressMembers.region),
      postalCode: optional(addressMembers.postalCode),
    },
    {},
    postalCodeIssues,
  ),
);
export type NewAddress = Infer<typeof NewAddress>;

const owner = nullable(id, {
  description: 'The user who owns the customer; null once that user is deleted.',
});

export const Customer = named(
  'Customer',
  object({
    id,
    userId: owner,
    name,
    email: nullable(email),
    phone: nullable(phone),
    address: nullable(Address),
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);
export type Customer = Infer<typeof Customer>;

const sent = {
  name,
  email: optional(nullable(email)),
  phone: optional(nullable(phone)),
  address: optional(nullable(NewAddress)),
};

const example = {
  name: 'Grace Hopper',
  email: 'grace@example.com',
  phone: '+4944112345678',
  address: { line1: 'Ammerländer Heerstraße 114', city: 'Oldenburg', postalCode: '26133', country: 'DE' },
};

export const NewCustomer = named(
  'NewCustomer',
  object(
    {
      ...sent,
      userId: optional(id, { description: 'The owner, if that is another user; only staff may set it.' }),
    },
    { examples: [example] },
  ),
);
export const CustomerReplacement = named(
  'CustomerReplacement',
  object(
    {
      ...sent,
      userId: optional(owner),
      id: optional(id),
      createdAt: optional(timestamp),
      updatedAt: optional(timestamp),
    },
    {
      description:
        'The whole customer: omitted members become null, but the owner stays. ' +
        'Read-only members may be sent with their current values.',
      examples: [example],
    },
  ),
);
export const CustomerPatch = named(
  'CustomerPatch',
  partial(CustomerReplacement, {
    description: 'A JSON Merge Patch (RFC 7396).',
    examples: [{ phone: '+4944112345678' }],
  }),
);
export type CustomerReplacement = Infer<typeof CustomerReplacement>;

export const customerSorts = ['id', '-id', 'name', '-name', 'createdAt', '-createdAt'] as const;
/** What a list of customers can be asked for. */
export const customerFilters = {
  userId: optional(id),
  email: optional(email),
  name: optional(singleLine(200, 'A prefix of the name; case is ignored.', 'Gr')),
  sort: optional(oneOf(customerSorts, { description: 'A leading `-` means descending; `id` by default.' })),
};

/** What a customer is made of, beside what the service sets. */
export type CustomerCore = Pick<Customer, 'name' | 'email' | 'phone' | 'address'>;

/** Absent is null, the postal code in its normal form. */
export function coreOf(body: Pick<CustomerReplacement, keyof CustomerCore>): CustomerCore {
  return {
    name: body.name,
    email: body.email ?? null,
    phone: body.phone ?? null,
    address: normalAddress(body.address ?? null),
  };
}

export function normalAddress(address: NewAddress | null): Address | null {
  if (address === null) return null;
  const { name = null, line1, line2 = null, city, region = null, postalCode = null, country } = address;
  return {
    name,
    line1,
    line2,
    city,
    region,
    postalCode: postalCode === null ? null : normalPostalCode(postalCode),
    country,
  };
}

function postalCodeIssues({
  country,
  postalCode,
}: {
  readonly country: string;
  readonly postalCode?: string | null;
}): Issue[] {
  const fault = postalCodeIssue(
    country,
    typeof postalCode === 'string' ? normalPostalCode(postalCode) : null,
  );
  return fault === undefined ? [] : [{ pointer: '/postalCode', code: 'postal-code', detail: fault }];
}

/** Whose the customer becomes. Only staff may name another user, who has to exist. */
export function ownerOf(current: Customer, wanted: CustomerReplacement, caller: Caller): number | null {
  const issues = readOnlyIssues(current, wanted, ['id', 'createdAt', 'updatedAt']);
  if (wanted.userId === null && current.userId !== null)
    issues.push({ pointer: '/userId', code: 'type', detail: 'userId must be the id of a user.' });
  throwIfInvalid(issues);
  const userId = wanted.userId === undefined ? current.userId : wanted.userId;
  if (userId !== current.userId && !isStaff(caller))
    throw forbidden('Only staff may give a customer to another user.');
  return userId;
}
