// A customer: the schemas of queries, and the rules of changes.
import { isStaff, type Caller } from '../../auth/access.ts';
import { forbidden, requireValid } from '../../problem.ts';
import { mergePatch } from '../../schema/json-objects.ts';
import { email, id, readOnlyIssues, singleLine } from '../../schema/members.ts';
import { searchParameter } from '../../schema/searching.ts';
import { parseMerged } from '../../schema/schema-check.ts';
import { named, oneOf, optional, type Issue, type ObjectOf } from '../../schema/schema.ts';
import { metadataParameter } from '../../storage/metadata.ts';
import { contentIn, readOnlyNames, withStaying } from '../../storage/resource.ts';
import {
  customerMembers,
  type CustomerContent,
  type CustomerBodies,
  type CustomerPatch,
  type CustomerRow,
} from './customer-members.ts';

export const customerSorts = ['id', '-id', 'name', '-name', 'createdAt', '-createdAt'] as const;
/** The parameters of a list of customers. */
const customerListParameters = {
  userId: optional(id),
  email: optional(email),
  name: optional(singleLine(200, 'A prefix of the name; case is ignored.', 'Gr')),
  metadata: metadataParameter,
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
    'Every word must be in the name, the e-mail address, the phone number, the city or the reference; or it is ' +
      'an id. Words of one or two characters are beginnings of words.',
  ),
  ...customerListParameters,
};

export type CustomerListQuery = ObjectOf<typeof customerQuery>;

type Merging = {
  readonly bodies: CustomerBodies;
  readonly method: 'PUT' | 'PATCH';
  /** The issues of the owner that the body names. */
  readonly ownerIssues: readonly Issue[];
};

const currentContent = contentIn(customerMembers);
const readOnly = readOnlyNames(customerMembers);

/** Merges a body into the current customer. The owner stays if the body names none. */
export function mergeCustomer(
  current: CustomerRow,
  body: CustomerPatch,
  { bodies, method, ownerIssues }: Merging,
): CustomerContent {
  const replacement =
    method === 'PUT'
      ? withStaying(customerMembers, current, body)
      : mergePatch(currentContent(current), body);
  const issues = readOnlyIssues(current, body, readOnly);
  issues.push(...ownerIssues);
  const merged = requireValid(parseMerged(bodies.CustomerReplacement, replacement, issues));
  return { ...bodies.contentOf(merged), userId: merged.userId ?? current.userId };
}

/** Throws if the caller may not give the customer to that owner. */
export function checkMayGive(current: CustomerRow, { userId }: CustomerContent, caller: Caller): void {
  if (userId !== current.userId && !isStaff(caller))
    throw forbidden('Only staff may give a customer to another user.');
}
