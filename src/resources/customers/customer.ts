// A customer: what is sent and shown, and the rules of changing one.
import { isStaff, type Caller } from '../../auth/access.ts';
import { forbidden } from '../../problem.ts';
import { email, id, mergePatch, readOnlyIssues, singleLine, timestamp } from '../../schema/members.ts';
import { searchParameter } from '../flows/searching.ts';
import { phone, phoneOf } from '../../schema/phone.ts';
import { check } from '../../schema/schema-check.ts';
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
  customerOwner,
  type CustomerBodies,
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
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
);
export type Customer = Infer<typeof Customer>;

export const customerSorts = ['id', '-id', 'name', '-name', 'createdAt', '-createdAt'] as const;
/** The parameters of a list of customers. */
export const customerFilters = {
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
  ...customerFilters,
};

export type CustomerListQuery = ObjectOf<typeof customerQuery>;

/** The members that the service doesn't set. */
export type CustomerContent = Pick<Customer, 'name' | 'email' | 'phone' | 'address'>;

/** Absent members become null, the phone number E.164, and the postal code gets its normal form. */
export function customerContentOf(
  { defaultCountry }: CustomerBodies,
  body: Pick<CustomerReplacement, keyof CustomerContent>,
): CustomerContent {
  const { phone: sentPhone = null } = body;
  return {
    name: body.name,
    email: body.email ?? null,
    phone: sentPhone === null ? null : phoneOf(sentPhone, defaultCountry),
    address: normalizeAddress(body.address ?? null),
  };
}

type WantedCustomer = CustomerContent & Pick<Customer, 'userId'>;

/** A patch, merged into the members of the customer that may change. */
export function mergedCustomer({ name, email, phone, address }: Customer, patch: object): unknown {
  return mergePatch({ name, email, phone, address }, patch);
}

/** What is invalid of a body, and of the customer that it makes of the current one. */
export function replacementIssues(
  { CustomerReplacement }: CustomerBodies,
  current: Customer,
  { body, replacement }: { readonly body: Readonly<Record<string, unknown>>; readonly replacement: unknown },
): Issue[] {
  // a patch may have taken a member of the address that is required
  const issues = check(CustomerReplacement, replacement);
  issues.push(...readOnlyIssues(current, body, ['id', 'createdAt', 'updatedAt']));
  if (body['userId'] === null && current.userId !== null)
    issues.push({ pointer: '/userId', code: 'type', detail: 'userId must be the id of a user.' });
  return issues;
}

/** The replacement, which has no issues. Throws if the caller may not make it. */
export function wantedCustomer(
  bodies: CustomerBodies,
  current: Customer,
  { replacement, caller }: { readonly replacement: CustomerReplacement; readonly caller: Caller },
): WantedCustomer {
  const { userId = current.userId } = replacement;
  if (userId !== current.userId && !isStaff(caller))
    throw forbidden('Only staff may give a customer to another user.');
  return { ...customerContentOf(bodies, replacement), userId };
}
