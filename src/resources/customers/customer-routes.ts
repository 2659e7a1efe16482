// Customers over HTTP: /customers.
import { isStaff, rowAccessOf, readerKeyOf, signedIn, type Caller } from '../../auth/access.ts';
import { forbidden, throwIfInvalid } from '../../problem.ts';
import type { Cursors } from '../../http/cursor.ts';
import {
  exportDescription,
  exportIssues,
  isExport,
  listElements,
  type HandlerExports,
} from '../../http/export.ts';
import { listPage, listParameters } from '../../http/list.ts';
import type { PageCache } from '../../http/page-cache.ts';
import type { Change } from '../../http/handler-result.ts';
import { represent, type Representation } from '../../http/representation.ts';
import { cachedFinder, createFinder, type RepresentationCache } from '../../http/representation-cache.ts';
import { created, listOrExportOf, noContent, ok } from '../../http/reply.ts';
import { route, type Context, type Route } from '../../http/route.ts';
import type { Issue } from '../../schema/schema.ts';
import { historyRoute } from '../events/history-routes.ts';
import {
  changeObject,
  removeObject,
  type Changeable,
  type CheckContext,
  type Resource,
} from '../flows/change.ts';
import { searchIssues } from '../flows/searching.ts';
import { readBack, requireVisible, type ObjectSource } from '../flows/visible.ts';
import { userIssues } from '../users/user-store.ts';
import { customerTable } from './customer-csv.ts';
import {
  customerBodies,
  type CustomerBodies,
  type CustomerPatch,
  type NewCustomer,
} from './customer-bodies.ts';
import {
  Customer,
  customerContentOf,
  customerQuery,
  checkMayGive,
  mergeCustomer,
  type ChangedCustomer,
} from './customer.ts';
import {
  addCustomer,
  customerSelection,
  customerSearch,
  customerSource,
  removeCustomer,
  replaceCustomer,
} from './customer-store.ts';

type CustomerServices = {
  readonly cursors: Cursors;
  readonly exports: HandlerExports;
  readonly caches: { readonly customers: RepresentationCache<Customer>; readonly pages: PageCache };
  /** The country whose phone numbers may be sent in national form. */
  readonly defaultCountry: string | undefined;
};

export function customerRoutes({ cursors, exports, caches, defaultCountry }: CustomerServices): Route[] {
  const customers = customerRepresentations(caches.customers);
  const bodies = customerBodies(defaultCountry);
  return [
    listCustomersRoute({ cursors, exports, caches }, customers),
    createCustomerRoute(customers, bodies),
    readCustomerRoute(customers),
    putCustomerRoute(bodies),
    patchCustomerRoute(bodies),
    deleteCustomerRoute(),
    customerHistoryRoute(cursors, customers),
  ];
}

type CustomerRepresentations = ObjectSource<Representation<Customer>>;

/** Reads customers that are on disk, through the cache. */
export function customerRepresentations(cache: RepresentationCache<Customer>): CustomerRepresentations {
  return {
    name: 'customer',
    find: cachedFinder(cache, createFinder(customerResource)),
    ownerOf: ({ ownerId }) => ownerId,
  };
}

const customerFile = { name: 'customers', table: customerTable };

function representCustomer(customer: Customer): Representation<Customer> {
  return represent(customer, { id: customer.id, ownerId: customer.userId });
}

const customerResource: Resource<Customer, Customer> = {
  ...customerSource,
  accessOf: rowAccessOf,
  represent: representCustomer,
};

type ListServices = Pick<CustomerServices, 'cursors' | 'exports' | 'caches'>;

function listCustomersRoute(
  { cursors, exports, caches }: ListServices,
  { find }: CustomerRepresentations,
): Route {
  return route({
    method: 'GET',
    path: '/customers',
    tag: 'Customers',
    summary: 'List customers',
    access: signedIn,
    scope: 'customers:read',
    description: `Lists one’s own; staff see all.\n\n${exportDescription}`,
    query: { ...customerQuery, ...listParameters },
    reply: listOrExportOf(Customer),
    problems: ['unavailable'],
    queryIssues: (query, { mediaType }) => [
      ...searchIssues(query),
      ...exportIssues(query, { mediaType, acceptsCursor: false }),
    ],
    handle(context) {
      const { q, ...query } = context.query;
      const selectionFor = (reader: Caller) => customerSelection(rowAccessOf(reader), query);
      if (isExport(context)) {
        const list = { selectionFor, find: createFinder(customerResource) };
        const elements = listElements(context.database, list, context.caller);
        return exports.createResult(context, customerFile, elements);
      }
      const cached = { cursors, find, cache: { pages: caches.pages, readerKeyOf } };
      if (q === undefined) return listPage(context, { ...cached, selectionFor });
      const searchFor = (reader: Caller) => customerSearch(rowAccessOf(reader), { ...query, q });
      return listPage(context, { ...cached, selectionFor: searchFor });
    },
  });
}

function customerHistoryRoute(cursors: Cursors, source: CustomerRepresentations): Route {
  const path = '/customers/{id}/events';
  const summary = 'List what happened to a customer';
  return historyRoute({
    path,
    summary,
    topic: 'customer',
    access: signedIn,
    source,
    accessOf: rowAccessOf,
    cursors,
  });
}

function createCustomerRoute({ find }: CustomerRepresentations, bodies: CustomerBodies): Route {
  return route({
    method: 'POST',
    path: '/customers',
    countsAsCreated: true,
    tag: 'Customers',
    summary: 'Create a customer',
    access: signedIn,
    scope: 'customers:write',
    acceptsIdempotencyKey: true,
    ownerOf: (db, id) => find(db, id)?.ownerId,
    body: bodies.NewCustomer,
    reply: created(Customer, ({ id }) => `/customers/${id}`),
    problems: ['forbidden'],
    handle: (context) => createCustomer(context, bodies),
  });
}

type CreationContext = Context<object, object, NewCustomer, Caller>;

function createCustomer(context: CreationContext, bodies: CustomerBodies): Promise<Representation<Customer>> {
  const { body } = context;
  const content = customerContentOf(bodies, body);
  return context.writeResult((writer) => {
    const permit = context.authorizeWrite(writer);
    const { caller } = permit;
    const userId = body.userId ?? caller.userId;
    if (userId !== caller.userId && !isStaff(caller))
      throw forbidden('Only staff may create a customer for another user.');
    if (userId !== caller.userId) throwIfInvalid(userIssues(writer, userId));
    const id = addCustomer(permit, { ...content, userId }, permit.origin.now);
    return representCustomer(readBack(customerSource, writer, id));
  });
}

function readCustomerRoute(customers: CustomerRepresentations): Route {
  return route({
    method: 'GET',
    path: '/customers/{id}',
    tag: 'Customers',
    summary: 'Read a customer',
    access: signedIn,
    scope: 'customers:read',
    reply: ok(Customer),
    problems: ['forbidden'],
    handle({ params: { id }, caller, database }) {
      return requireVisible(customers, { db: database.read, id, access: rowAccessOf(caller) });
    },
  });
}

const customerChangeRouteBase = {
  path: '/customers/{id}',
  tag: 'Customers',
  access: signedIn,
  scope: 'customers:write',
  reply: ok(Customer),
  problems: ['forbidden'],
} as const;

function putCustomerRoute(bodies: CustomerBodies): Route {
  const resource = changeableBy('PUT', bodies);
  return route({
    ...customerChangeRouteBase,
    method: 'PUT',
    summary: 'Replace a customer',
    body: bodies.CustomerReplacement,
    handle: (context) => changeCustomer(context, resource),
  });
}

function patchCustomerRoute(bodies: CustomerBodies): Route {
  const resource = changeableBy('PATCH', bodies);
  return route({
    ...customerChangeRouteBase,
    method: 'PATCH',
    summary: 'Change a customer',
    body: bodies.CustomerPatch,
    handle: (context) => changeCustomer(context, resource),
  });
}

type ChangeableCustomer = Changeable<Customer, Customer, CustomerPatch, ChangedCustomer>;

function changeableBy(method: 'PUT' | 'PATCH', bodies: CustomerBodies): ChangeableCustomer {
  return {
    ...customerResource,
    merge(current, body, context) {
      const ownerIssues = newOwnerIssues(body, current, context);
      return mergeCustomer(current, body, { bodies, method, ownerIssues });
    },
  };
}

/** Returns the issues of another owner, if the caller may name one. */
function newOwnerIssues({ userId }: CustomerPatch, current: Customer, { db, caller }: CheckContext): Issue[] {
  if (userId === undefined || userId === current.userId) return [];
  if (userId === null)
    return [{ pointer: '/userId', code: 'type', detail: 'userId must be the id of a user.' }];
  return isStaff(caller) ? userIssues(db, userId) : [];
}

function changeCustomer(
  context: Context<{ readonly id: number }, object, CustomerPatch, Caller>,
  resource: ChangeableCustomer,
): Promise<Change<Customer>> {
  return changeObject(context, resource, {
    checkRights: checkMayGive,
    write(permit, current, wanted) {
      replaceCustomer(permit, current, { ...wanted, now: permit.origin.now });
    },
  });
}

function deleteCustomerRoute(): Route {
  return route({
    method: 'DELETE',
    path: '/customers/{id}',
    tag: 'Customers',
    summary: 'Delete a customer',
    access: signedIn,
    scope: 'customers:write',
    reply: noContent(),
    problems: ['customer-has-orders', 'forbidden'],
    handle: (context) => removeObject(context, customerResource, { remove: removeCustomer }),
  });
}
