// Customers over HTTP: /customers.
import { isStaff, rowAccessOf, signedIn, type Caller } from '../../auth/access.ts';
import { forbidden, throwIfInvalid } from '../../problem.ts';
import { exportDescription } from '../../http/lists/export.ts';
import { listParameters, pageOrFileIssues, type Lists } from '../../http/lists/list.ts';
import { empty, exportable } from '../../http/routing/reply.ts';
import { representText, type Representation } from '../../http/responses/representation.ts';
import {
  cachedRepresentations,
  lookupOf,
  type Lookup,
  type RepresentationCache,
  type Representations,
} from '../../http/responses/representation-cache.ts';
import { route, type Call, type Route } from '../../http/routing/route.ts';
import type { Issue } from '../../schema/schema.ts';
import type { Selection } from '../../storage/keyset.ts';
import type { Permit } from '../../storage/permit.ts';
import { changesNothing, requireOwned, requireVisible } from '../../storage/object-access.ts';
import { userIssues } from '../users/user-store.ts';
import { customerTable } from './customer-csv.ts';
import {
  customerBodies,
  type CustomerBodies,
  type CustomerPatch,
  Customer,
  type CustomerRow,
} from './customer-members.ts';
import { checkMayGive, customerQuery, mergeCustomer } from './customer.ts';
import {
  addCustomer,
  customerSelection,
  customerSearch,
  customerSource,
  removeCustomer,
  replaceCustomer,
} from './customer-store.ts';

type CustomerServices = {
  readonly lists: Lists;
  readonly caches: { readonly customers: RepresentationCache<Customer> };
  /** Returns the country whose phone numbers may be sent in national form. */
  readonly shopCountry: () => string | undefined;
};

export function customerRoutes({ lists, caches, shopCountry }: CustomerServices): Route[] {
  const customers = customerRepresentations(caches.customers);
  const bodies = customerBodies(shopCountry);
  return [
    listCustomersRoute(lists, customers),
    createCustomerRoute(customers, bodies),
    readCustomerRoute(customers),
    putCustomerRoute(bodies),
    patchCustomerRoute(bodies),
    deleteCustomerRoute(),
  ];
}

/** Reads customers that are on disk, through the cache. */
export function customerRepresentations(cache: RepresentationCache<Customer>): Representations<Customer> {
  return cachedRepresentations('customer', cache, customerLookup);
}

const customerLookup = lookupOf({ find: customerSource.find, represent: representCustomer });
const customerFile = { name: 'customers', table: customerTable, source: customerSource };

export function representCustomer(customer: CustomerRow): Representation<Customer> {
  const { id, userId: ownerId } = customer;
  return representText(JSON.stringify(customer), { id, ownerId });
}

function listCustomersRoute(lists: Lists, elements: Lookup<Customer>): Route {
  return route({
    method: 'GET',
    path: '/customers',
    tag: 'Customers',
    summary: 'List customers',
    access: signedIn,
    scope: 'customers:read',
    description: `Lists one’s own; staff see all.\n\n${exportDescription}`,
    query: { ...customerQuery, ...listParameters },
    reply: { kind: 'list', schema: Customer, mediaTypes: exportable },
    problems: ['unavailable'],
    queryIssues: pageOrFileIssues,
    handle(call) {
      const { q, ...query } = call.query;
      const selectionFor = (caller: Caller): Selection => {
        const access = rowAccessOf(caller);
        return q === undefined ? customerSelection(access, query) : customerSearch(access, { ...query, q });
      };
      return lists.pageOrFile(call, { selectionFor, elements, file: customerFile });
    },
  });
}

function createCustomerRoute({ find }: Representations<Customer>, bodies: CustomerBodies): Route {
  return route({
    method: 'POST',
    path: '/customers',
    countsAgainstQuota: true,
    tag: 'Customers',
    summary: 'Create a customer',
    access: signedIn,
    scope: 'customers:write',
    acceptsIdempotencyKey: true,
    ownerOf: (db, id) => find(db, id)?.ownerId,
    body: bodies.NewCustomer,
    reply: { kind: 'object', schema: Customer, location: ({ id }) => `/customers/${id}` },
    problems: ['forbidden'],
    handle(call) {
      const { body } = call;
      const content = bodies.contentOf(body);
      return call.write((permit) => {
        const { caller, origin } = permit;
        const userId = body.userId ?? caller.userId;
        if (userId !== caller.userId && !isStaff(caller))
          throw forbidden('Only staff may create a customer for another user.');
        if (userId !== caller.userId) throwIfInvalid(userIssues(permit.writer, userId));
        return representCustomer(addCustomer(permit, { ...content, userId }, origin.now));
      });
    },
  });
}

function readCustomerRoute(customers: Representations<Customer>): Route {
  return route({
    method: 'GET',
    path: '/customers/{id}',
    tag: 'Customers',
    summary: 'Read a customer',
    access: signedIn,
    scope: 'customers:read',
    reply: { kind: 'object', schema: Customer },
    problems: ['forbidden'],
    handle: (call) => requireVisible(customers, call, call.params.id),
  });
}

const customerChangeRouteBase = {
  path: '/customers/{id}',
  tag: 'Customers',
  access: signedIn,
  scope: 'customers:write',
  reply: { kind: 'object', schema: Customer },
  problems: ['forbidden'],
} as const;

function putCustomerRoute(bodies: CustomerBodies): Route {
  return route({
    ...customerChangeRouteBase,
    method: 'PUT',
    summary: 'Replace a customer',
    body: bodies.CustomerReplacement,
    handle: (call) => changeCustomer(call, { method: 'PUT', bodies }),
  });
}

function patchCustomerRoute(bodies: CustomerBodies): Route {
  return route({
    ...customerChangeRouteBase,
    method: 'PATCH',
    summary: 'Change a customer',
    body: bodies.CustomerPatch,
    handle: (call) => changeCustomer(call, { method: 'PATCH', bodies }),
  });
}

function changeCustomer(
  call: Call<{ readonly id: number }, object, CustomerPatch, Caller>,
  change: { readonly method: 'PUT' | 'PATCH'; readonly bodies: CustomerBodies },
): Promise<Representation<Customer>> {
  return call.write((permit) => {
    const customer = requireOwned(customerSource, permit, call.params.id);
    call.checkPrecondition(() => representCustomer(customer).etag);
    const isAbsent = change.method === 'PUT' && call.body.userId === null;
    const ownerIssues = isAbsent ? [] : newOwnerIssues(call.body, customer, permit);
    const wanted = mergeCustomer(customer, call.body, { ...change, ownerIssues });
    checkMayGive(customer, wanted, permit.caller);
    if (changesNothing(customer, wanted)) return representCustomer(customer);
    return representCustomer(replaceCustomer(permit, customer, wanted));
  });
}

/** Returns the issues of another owner, if the caller may name one. */
function newOwnerIssues(
  { userId }: CustomerPatch,
  current: CustomerRow,
  { writer, caller }: Permit<Caller>,
): Issue[] {
  if (userId === undefined || userId === current.userId) return [];
  if (userId === null)
    return [{ pointer: '/userId', code: 'type', detail: 'userId must be the id of a user.' }];
  return isStaff(caller) ? userIssues(writer, userId) : [];
}

function deleteCustomerRoute(): Route {
  return route({
    method: 'DELETE',
    path: '/customers/{id}',
    tag: 'Customers',
    summary: 'Delete a customer',
    access: signedIn,
    scope: 'customers:write',
    reply: { kind: 'none' },
    problems: ['customer-has-orders', 'in-use', 'forbidden'],
    handle: (call) =>
      call.write((permit) => {
        const customer = requireOwned(customerSource, permit, call.params.id);
        call.checkPrecondition(() => representCustomer(customer).etag);
        removeCustomer(permit, customer);
        return empty;
      }),
  });
}
