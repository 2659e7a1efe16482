// A customer: the schemas of responses and queries, and the rules of changes.
import { isStaff, type Caller } from '../../auth/access.ts';
import { forbidden, requireValid } from '../../problem.ts';
import { mergePatch } from '../../schema/json-objects.ts';
import { email, id, readOnlyIssues, singleLine, timestamp } from '../../schema/members.ts';
import { searchParameter } from '../../schema/searching.ts';
import { phone, toE164 } from '../../schema/phone.ts';
import { parse } from '../../schema/schema-check.ts';
import {
  named,
  nullable,
  object,
  oneOf,
  optional,
  type Infer,
  type Issue,
  type ObjectOf,
} from '../../schema/schema.ts';
import { Address, normalizeAddress } from './address.ts';
import {
  customerName,
  customerNote,
  customerOwner,
  type CustomerBodies,
  type CustomerPatch,
  type CustomerReplacement,
} from './customer-bodies.ts';

export const Customer = named(
  'Customer',
  object({
    id,
    userId: customerOwner,
    name: customerName,
    email: nullable(email),
    phone: nullable(phone),
    address: nullable(Address),
    note: optional(customerNote),
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);
export type Customer = Infer<typeof Customer>;
/** Responses leave a note out that is null. */
export type CustomerRow = Omit<Customer, 'note'> & { readonly note: string | null };

export const customerSorts = ['id', '-id', 'name', '-name', 'createdAt', '-createdAt'] as const;
/** The parameters of a list of customers. */
const customerListParameters = {
  userId: optional(id),
  email: optional(email),
  name: optional(singleLine(200, 'A prefix of the name; case is ignored.', 'Gr')),
  sort: optional(
    named(
      'CustomerSort',
      oneOf(customerSorts, { description: 'A leading `-` means descending; `id` by default.' }),
    ),
  ),
};

/** The parameters of a list that can also be searched. */
export const customerQuery = {
  q: searchParameter(
    'Every word must be in the name, the e-mail address or the phone number; or it is an id. Words of one ' +
      'or two characters are beginnings of words.',
  ),
  ...customerListParameters,
};

export type CustomerListQuery = ObjectOf<typeof customerQuery>;

/** The members that the service doesn't set. */
export type CustomerContent = Pick<CustomerRow, 'name' | 'email' | 'phone' | 'address' | 'note'>;

/** Sets absent members to null, and brings phone number and postal code into their normal forms. */
export function customerContentOf(
  { defaultCountry }: CustomerBodies,
  body: Pick<CustomerReplacement, keyof CustomerContent>,
): CustomerContent {
  const { phone: sentPhone = null } = body;
  return {
    name: body.name,
    email: body.email ?? null,
    phone: sentPhone === null ? null : toE164(sentPhone, defaultCountry),
    address: normalizeAddress(body.address ?? null),
    note: body.note ?? null,
  };
}

/** The members that a change may set. */
export type ChangedCustomer = CustomerContent & Pick<Customer, 'userId'>;

type Merging = {
  readonly bodies: CustomerBodies;
  readonly method: 'PUT' | 'PATCH';
  /** The issues of the owner that the body names. */
  readonly ownerIssues: readonly Issue[];
};

/** Merges a body into the current customer. The owner stays if the body names none. */
export function mergeCustomer(
  current: CustomerRow,
  body: CustomerPatch,
  { bodies, method, ownerIssues }: Merging,
): ChangedCustomer {
  const { name, email, phone, address, note } = current;
  const replacement = method === 'PUT' ? body : mergePatch({ name, email, phone, address, note }, body);
  const issues = readOnlyIssues(current, body, ['id', 'createdAt', 'updatedAt']);
  issues.push(...ownerIssues);
  const merged = requireValid(parse(bodies.CustomerReplacement, replacement, issues));
  return { ...customerContentOf(bodies, merged), userId: merged.userId ?? current.userId };
}

/** Throws if the caller may not give the customer to that owner. */
export function checkMayGive(current: CustomerRow, { userId }: ChangedCustomer, caller: Caller): void {
  if (userId !== current.userId && !isStaff(caller))
    throw forbidden('Only staff may give a customer to another user.');
}
