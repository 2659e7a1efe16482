// A customer: what is sent and shown, and the rules of changing one.
import { isStaff, type Caller } from '../../auth/access.ts';
import { forbidden, invalid, throwIfInvalid } from '../../problem.ts';
import {
  email,
  id,
  mergePatch,
  phone,
  readOnlyIssues,
  sentTimestamp,
  singleLine,
  timestamp,
} from '../../schema/members.ts';
import { check, fits } from '../../schema/schema-check.ts';
import {
  named,
  nullable,
  object,
  oneOf,
  optional,
  partial,
  type Infer,
  type ObjectOf,
} from '../../schema/schema.ts';
import { Address, NewAddress, normalizeAddress } from './address.ts';

const name = singleLine(200, 'The customer’s name.', 'Grace Hopper');
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
      createdAt: optional(sentTimestamp),
      updatedAt: optional(sentTimestamp),
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
/** The parameters of a list of customers. */
export const customerFilters = {
  userId: optional(id),
  email: optional(email),
  name: optional(singleLine(200, 'A prefix of the name; case is ignored.', 'Gr')),
  sort: optional(oneOf(customerSorts, { description: 'A leading `-` means descending; `id` by default.' })),
};

export type CustomerFilter = ObjectOf<typeof customerFilters>;

/** The members that the service doesn't set. */
export type CustomerContent = Pick<Customer, 'name' | 'email' | 'phone' | 'address'>;

/** What is absent is null, and the postal code in its normal form. */
export function customerContentOf(body: Pick<CustomerReplacement, keyof CustomerContent>): CustomerContent {
  return {
    name: body.name,
    email: body.email ?? null,
    phone: body.phone ?? null,
    address: normalizeAddress(body.address ?? null),
  };
}

type WantedCustomer = CustomerContent & Pick<Customer, 'userId'>;

/** A patch, merged into what may be changed of the customer. */
export function mergedCustomer({ name, email, phone, address }: Customer, patch: object): unknown {
  return mergePatch({ name, email, phone, address }, patch);
}

/** Throws where the replacement is invalid, or not the caller's to make. */
export function wantedCustomer(current: Customer, replacement: unknown, caller: Caller): WantedCustomer {
  // a patch may have taken a member of the address that is required
  if (!fits(CustomerReplacement, replacement)) throw invalid(check(CustomerReplacement, replacement));
  return { ...customerContentOf(replacement), userId: wantedOwner(current, replacement, caller) };
}

/** Only staff may name another user; whether that user exists is for the store to check. */
function wantedOwner(current: Customer, wanted: CustomerReplacement, caller: Caller): number | null {
  const issues = readOnlyIssues(current, wanted, ['id', 'createdAt', 'updatedAt']);
  if (wanted.userId === null && current.userId !== null)
    issues.push({ pointer: '/userId', code: 'type', detail: 'userId must be the id of a user.' });
  throwIfInvalid(issues);
  const userId = wanted.userId === undefined ? current.userId : wanted.userId;
  if (userId !== current.userId && !isStaff(caller))
    throw forbidden('Only staff may give a customer to another user.');
  return userId;
}
