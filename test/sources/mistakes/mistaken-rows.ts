// Mistakes in reading and changing rows that must not compile. Compiled by types.test.ts, never run.
import type { Caller } from '../../../src/auth/access.ts';
import { commandPermit, servicePermit, signInPermit, type Permit } from '../../../src/storage/permit.ts';
import type { Call } from '../../../src/http/routing/route.ts';
import { customerResource } from '../../../src/features/customers/customers.ts';
import { requireOwned, requireVisible } from '../../../src/storage/object-access.ts';
import { orderList } from '../../../src/features/orders/order-list-store.ts';
import { addOrder, orderSource, replaceOrder } from '../../../src/features/orders/order-store.ts';
import { addKey, keySelection, keySource, removeKey } from '../../../src/features/keys/key-store.ts';
import { addSession, endSession, sessionSource } from '../../../src/features/sessions/session-store.ts';
import {
  addUser,
  endCredentials,
  endSessions,
  removeUser,
  replaceUser,
  userList,
  userSource,
} from '../../../src/features/users/user-store.ts';
import type { Connection } from '../../../src/storage/connection.ts';
import type { Database } from '../../../src/storage/database.ts';

export function mistakesOfStorage(
  db: Connection,
  database: Database,
  call: Call<object, object, undefined, Caller>,
): unknown[] {
  const permit = commandPermit(db);
  return [
    database.write((writer) => writer.run('DELETE FROM orders').rowsChanged),
    // @ts-expect-error TS2322
    database.write(async (writer) => writer.run('DELETE FROM orders').rowsChanged),
    call.write(({ writer }) => writer.get('SELECT 1')),
    // @ts-expect-error TS2322
    call.write(({ writer }) => Promise.resolve(writer.get('SELECT 1'))),
    // @ts-expect-error TS2339
    call.database,
    requireVisible(orderSource, call, 7),
    requireVisible(orderSource, { read: db, caller: call.caller }, 7),
    requireOwned(orderSource, permit, 7),
    // @ts-expect-error TS2741
    requireVisible(orderSource, { read: db }, 7),
    // @ts-expect-error TS2322
    requireVisible(sessionSource(0), { read: db, caller: undefined }, 7),
    // @ts-expect-error TS2741
    requireVisible(customerResource.source, permit, 7),
    // @ts-expect-error TS2739
    requireOwned(customerResource.source, call, 7),
    // @ts-expect-error TS2739
    requireOwned(userSource, { writer: db, caller: call.caller }, 7),
    // @ts-expect-error TS2345
    requireOwned(keySource, servicePermit(db, 0), 7),
    // @ts-expect-error TS2554
    userList.selection({}),
    // @ts-expect-error TS2345
    keySelection(7),
    // @ts-expect-error TS2322
    orderList.selection('all', { sort: 'name' }),
    // @ts-expect-error TS2353
    orderList.selection({ sort: 'id' }, {}),
  ];
}

export function mistakesOfPermits(
  db: Connection,
  permit: Permit<Caller>,
  call: Call<object, object, undefined, Caller>,
): unknown[] {
  const { caller, write } = call;
  // @ts-expect-error TS2684
  void write(() => 7);
  const key = requireOwned(keySource, permit, 7);
  const user = requireOwned(userSource, permit, 7);
  const session = requireOwned(sessionSource(0), permit, 7);
  const customer = requireOwned(customerResource.source, permit, 7);
  const order = requireOwned(orderSource, permit, 7);
  const seen = { key: requireVisible(keySource, call, 7), order: requireVisible(orderSource, call, 7) };
  const found = {
    order: orderSource.find(db, 7),
    customer: customerResource.source.find(db, 7),
    key: keySource.find(db, 7),
  };
  if (found.order === undefined || found.customer === undefined || found.key === undefined) return [];
  return [
    removeKey(permit, key),
    removeKey(commandPermit(db), key),
    permit.caller.role,
    // @ts-expect-error TS2739
    removeKey(db, key),
    // @ts-expect-error TS2741
    removeKey({ writer: db, caller, origin: permit.origin }, key),
    // @ts-expect-error TS2345
    removeKey(permit, found.key),
    // @ts-expect-error TS2345
    removeKey(permit, seen.key),
    // @ts-expect-error TS2739
    addKey(db, { userId: caller.userId, name: 'till', scopes: [] }),
    // @ts-expect-error TS2739
    endCredentials(db, user),
    // @ts-expect-error TS2345
    endCredentials(permit, key),
    // @ts-expect-error TS2739
    removeUser(db, user),
    // @ts-expect-error TS2345
    removeUser(permit, 7),
    // @ts-expect-error TS2739
    replaceUser(db, user, { name: '', email: '', role: 'admin' }),
    // @ts-expect-error TS2739
    addUser(db, { name: '', email: '', role: 'admin', passwordHash: '' }, 0),
    // @ts-expect-error TS2739
    addSession(db, { userId: 7, userAgent: null }),
    // @ts-expect-error TS2739
    endSession(db, session),
    // @ts-expect-error TS2345
    endSession(permit, { id: 7 }),
    // @ts-expect-error TS2739
    endSessions(db, user, null),
    customerResource.replace(permit, customer, customer),
    // @ts-expect-error TS2739
    customerResource.replace(db, customer, customer),
    // @ts-expect-error TS2345
    customerResource.replace(permit, found.customer, customer),
    // @ts-expect-error TS2345
    customerResource.remove(permit, found.customer),
    // @ts-expect-error TS2739
    customerResource.remove(db, customer),
    // @ts-expect-error TS2739
    customerResource.add(db, { ...customer, userId: 7 }, 0),
    replaceOrder(permit, order, order),
    // @ts-expect-error TS2739
    replaceOrder(db, order, order),
    // @ts-expect-error TS2379
    replaceOrder(permit, found.order, order),
    // @ts-expect-error TS2379
    replaceOrder(permit, seen.order, order),
    // @ts-expect-error TS2739
    addOrder(db, { ...order, userId: 7 }, { createdAt: 0, updatedAt: 0 }),
    // @ts-expect-error TS2739
    signInPermit(db, { now: 0 }),
  ];
}

export function mistakesOfCallers(caller: Caller): unknown[] {
  const { principal, client, userId, role, authTimeSeconds } = caller;
  const user = { principal, client, userId, role, authTimeSeconds };
  const holders: Caller[] = [
    { ...user, sessionId: 1, keyId: null, scopes: null },
    { ...user, sessionId: null, keyId: 1, scopes: new Set() },
    // @ts-expect-error TS2322
    { ...user, sessionId: null, keyId: null, scopes: null },
    // @ts-expect-error TS2322
    { ...user, sessionId: null, keyId: 1, scopes: null },
  ];
  return holders;
}
