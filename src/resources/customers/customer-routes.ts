// Customers over HTTP: /customers.
import { isStaff, rowAccessOf, signedIn, type Caller, type RowAccess } from '../../auth/access.ts';
import { forbidden, throwIfInvalid } from '../../errors.ts';
import type { Cursors } from '../../http/cursor.ts';
import { listPage, listParameters } from '../../http/list.ts';
import { parseRepresentation, type Representation } from '../../http/representation.ts';
import {
  created,
  listOf,
  noContent,
  nothing,
  ok,
  route,
  type Context,
  type Route,
} from '../../http/route.ts';
import { id, mergePatch } from '../../schema/members.ts';
import { check, fits } from '../../schema/schema-check.ts';
import type { Connection } from '../../storage/connection.ts';
import { cached, requireVisible, type Cache } from '../users/owned.ts';
import { userIssues } from '../users/user-store.ts';
import {
  Customer,
  CustomerPatch,
  CustomerReplacement,
  NewCustomer,
  coreOf,
  customerFilters,
  ownerOf,
} from './customer.ts';
import {
  addCustomer,
  findCustomer,
  removeCustomer,
  replaceCustomer,
  customerListing,
} from './customer-store.ts';

export function customerRoutes({
  cursors,
  cache,
}: {
  readonly cursors: Cursors;
  readonly cache: Cache<Customer>;
}): Route[] {
  const load = cached(cache, findCustomer);

  const list = route({
    method: 'GET',
    path: '/customers',
    tag: 'Customers',
    summary: 'List customers',
    access: signedIn,
    scope: 'customers:read',
    description: 'Lists one’s own; staff see all.',
    query: { ...customerFilters, ...listParameters },
    reply: listOf(Customer),
    handle: (context) =>
      listPage(context, cursors, customerListing(rowAccessOf(context.caller), context.query), load),
  });

  const create = route({
    method: 'POST',
    path: '/customers',
    countsAsCreated: true,
    tag: 'Customers',
    summary: 'Create a customer',
    access: signedIn,
    scope: 'customers:write',
    isIdempotent: true,
    ownerOf: (db, id) => load(db, id)?.ownerId,
    body: NewCustomer,
    reply: created(Customer, ({ id }) => `/customers/${id}`, {
      links: { get: 'GET /customers/{id}', orders: 'GET /customers/{id}/orders' },
    }),
    problems: ['forbidden'],
    validateReferences: ({ userId }, { caller, db }) =>
      fits(id, userId) && isStaff(caller) ? userIssues(db.read, userId) : [],
    handle({ body, db, now, authorizeWrite }) {
      const core = coreOf(body);
      return db.write((writer) => {
        const { caller } = authorizeWrite(writer);
        const userId = body.userId ?? caller.userId;
        if (userId !== caller.userId && !isStaff(caller))
          throw forbidden('Only staff may create a customer for another user.');
        if (userId !== caller.userId) throwIfInvalid(userIssues(writer, userId));
        return existing(writer, addCustomer(writer, core, userId, now), 'everyone');
      });
    },
  });

  const read = route({
    method: 'GET',
    path: '/customers/{id}',
    tag: 'Customers',
    summary: 'Read a customer',
    access: signedIn,
    scope: 'customers:read',
    reply: ok(Customer),
    isConditional: true,
    problems: ['forbidden'],
    handle: ({ params, caller, db }) =>
      requireVisible(rowAccessOf(caller), load(db.read, params.id), 'customer', params.id),
  });

  const changing = {
    path: '/customers/{id}',
    tag: 'Customers',
    access: signedIn,
    scope: 'customers:write',
    reply: ok(Customer),
    isConditional: true,
    problems: ['forbidden'],
  } as const;
  const replace = route({
    ...changing,
    method: 'PUT',
    summary: 'Replace a customer',
    body: CustomerReplacement,
    handle: (context) => change(context, 'PUT'),
  });
  const update = route({
    ...changing,
    method: 'PATCH',
    summary: 'Change a customer',
    body: CustomerPatch,
    handle: (context) => change(context, 'PATCH'),
  });

  const remove = route({
    method: 'DELETE',
    path: '/customers/{id}',
    tag: 'Customers',
    summary: 'Delete a customer',
    access: signedIn,
    scope: 'customers:write',
    reply: noContent(),
    isConditional: true,
    problems: ['customer-has-orders', 'forbidden'],
    handle: ({ params, db, precondition, authorizeWrite }) =>
      db.write((writer) => {
        const { caller } = authorizeWrite(writer);
        precondition(existing(writer, params.id, rowAccessOf(caller)).etag);
        removeCustomer(writer, params.id);
        return nothing;
      }),
  });

  return [list, create, read, replace, update, remove];
}

type ChangeContext = Context<{ readonly id: number }, object, object, Caller>;

function change(
  { params, body, db, now, precondition, authorizeWrite }: ChangeContext,
  method: 'PUT' | 'PATCH',
): Promise<Representation<Customer>> {
  return db.write((writer) => {
    const { caller } = authorizeWrite(writer);
    const before = existing(writer, params.id, rowAccessOf(caller));
    const current = parseRepresentation(before);
    const { name, email, phone, address } = current;
    const wanted = (
      method === 'PUT' ? body : mergePatch({ name, email, phone, address }, body)
    ) as CustomerReplacement; // checked next
    throwIfInvalid(check(CustomerReplacement, wanted)); // an address may be patched to less than one
    const userId = ownerOf(current, wanted, caller);
    const core = coreOf(wanted);
    precondition(before.etag);
    if (JSON.stringify({ ...current, ...core, userId }) === JSON.stringify(current)) return before;
    if (userId !== null && userId !== current.userId) throwIfInvalid(userIssues(writer, userId));
    replaceCustomer(writer, params.id, core, userId, now);
    return existing(writer, params.id, 'everyone');
  });
}

function existing(db: Connection, id: number, reach: RowAccess): Representation<Customer> {
  return requireVisible(reach, findCustomer(db, 'everyone', id), 'customer', id);
}
