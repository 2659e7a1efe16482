// What must not compile: the mistakes that the types are there to catch, each with the error that it has to
// give.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  anyone,
  adminOnly,
  self,
  signedIn,
  type Access,
  type Caller,
  type RowAccess,
  type Role,
} from '../src/auth/access.ts';
import { Problem } from '../src/errors.ts';
import { permitWithoutCaller } from '../src/http/permit.ts';
import { problems } from '../src/http/problem.ts';
import { represent, type Representation } from '../src/http/representation.ts';
import { created, noContent, nothing, ok, route, type Context } from '../src/http/route.ts';
import { findCustomer } from '../src/resources/customers/customer-store.ts';
import { NewOrder, Order, steps } from '../src/resources/orders/order.ts';
import { findOrder, orderListing } from '../src/resources/orders/order-store.ts';
import { addKey, findKey, removeKey, removeKeysOf } from '../src/resources/keys/key-store.ts';
import { endSession, endSessionsOf, findSession } from '../src/resources/sessions/session-store.ts';
import { User, UserPatch } from '../src/resources/users/user.ts';
import { addUser, findUser, removeUser, replaceUser } from '../src/resources/users/user-store.ts';
import { integer, nullable, object, optional, string, type Infer } from '../src/schema/schema.ts';
import type { Connection } from '../src/storage/connection.ts';
import type { Database } from '../src/storage/database.ts';
import { compileErrors, projectFor, root, type Ending } from './type-project.ts';

test('each mistake is refused by the compiler, for its own reason', async (t) => {
  const marks = readFileSync(fileURLToPath(import.meta.url), 'utf8')
    .split('\n')
    .map((line) => /@ts-expect-error (TS\d+)$/.exec(line)?.[1]);
  // On the next line.
  const expected = marks.flatMap((code, index) => (code === undefined ? [] : [`line ${index + 2}: ${code}`]));
  assert.ok(expected.length > 25);
  assert.deepEqual(await errorsWithoutMarks(t), expected);
});

test('a new kind of invalidation does not compile before its case is written', async (t) => {
  const folder = projectFor(t, ['src/assembly/caches.ts']);
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true });
  assert.deepEqual(await compileErrors(folder), []);
  const declaration = join(folder, 'src', 'invalidation.ts');
  const extended = readFileSync(declaration, 'utf8').replace(
    "{ readonly kind: 'everything' }",
    "$& | { readonly kind: 'invoice' }",
  );
  writeFileSync(declaration, extended);
  const errors = await compileErrors(folder);
  assert.deepEqual(
    errors.map(({ file, code }) => `${file} ${code}`),
    ['src/assembly/caches.ts TS1360'],
  );
});

/** Compiles this file with the marks taken away. */
async function errorsWithoutMarks(t: Ending): Promise<string[]> {
  const folder = projectFor(t, ['mistakes.ts']);
  const source = readFileSync(fileURLToPath(import.meta.url), 'utf8')
    .replaceAll(/^( *\/\/) @ts-expect-error/gm, '$1')
    .replaceAll(/(?<= from ')\.\.(?=\/src\/)/g, root)
    .replaceAll(/(?<= from ')\.(?=\/)/g, join(root, 'test'));
  writeFileSync(join(folder, 'mistakes.ts'), source);
  const errors = await compileErrors(folder);
  return errors.filter(({ file }) => file === 'mistakes.ts').map(({ line, code }) => `line ${line}: ${code}`);
}

// From here on nothing runs: it is there to be compiled.

const about = { tag: 'Test', summary: 'A route of a test' } as const;
declare const order: Representation<Order>;

export function asItShouldBe(): object[] {
  return [
    route({
      method: 'PATCH',
      path: '/orders/{id}',
      ...about,
      access: self,
      body: NewOrder,
      reply: ok(Order),
      handle: ({ params, body, caller }) =>
        represent({
          id: params.id,
          status: 'open' as const,
          customerId: body.customerId,
          userId: caller.userId,
          currency: body.currency,
          items: [],
          total: 0,
          shippingAddress: null,
          note: body.note ?? null,
          createdAt: '',
          updatedAt: '',
        }),
    }),
    route({
      method: 'GET',
      path: '/orders',
      ...about,
      access: anyone,
      query: { limit: optional(integer()) },
      reply: ok(Order),
      handle: ({ query }) => ({ ...order, id: query.limit ?? 1 }),
    }),
  ];
}

export function mistakesOfRoutes(): object[] {
  return [
    route({
      method: 'GET',
      path: '/orders/{id}',
      ...about,
      access: signedIn,
      reply: ok(Order),
      // @ts-expect-error TS2339
      handle: ({ params }) => ({ ...order, id: params.nope }),
    }),
    route({
      method: 'GET',
      path: '/orders',
      ...about,
      access: signedIn,
      reply: ok(Order),
      // @ts-expect-error TS2339
      handle: ({ params }) => ({ ...order, id: params.id }),
    }),
    route({
      method: 'GET',
      path: '/orders/{id}',
      ...about,
      access: signedIn,
      reply: ok(Order),
      // @ts-expect-error TS2322
      handle: ({ params }) => ({ ...order, text: params.id }),
    }),
    // @ts-expect-error TS2322
    route({ method: 'GET', path: '/orders', ...about, access: self, reply: ok(Order), handle: () => order }),
    route({
      method: 'GET',
      path: '/orders',
      ...about,
      access: {
        description: '',
        credentials: 'required',
        // @ts-expect-error TS2322
        permits: (_: Caller, params: { id: number }) => params.id > 0,
      },
      reply: ok(Order),
      handle: () => order,
    }),
    // @ts-expect-error TS2741
    route({ method: 'GET', path: '/orders', ...about, reply: ok(Order), handle: () => order }),
    route({
      method: 'GET',
      path: '/orders/{id}',
      ...about,
      access: anyone,
      reply: ok(Order),
      // @ts-expect-error TS18048
      handle: ({ caller }) => ({ ...order, id: caller.userId }),
    }),
    route({
      method: 'GET',
      path: '/orders',
      ...about,
      access: maybe,
      reply: ok(Order),
      // @ts-expect-error TS18048
      handle: ({ caller }) => ({ ...order, id: caller.userId }),
    }),
    route({
      method: 'GET',
      path: '/orders',
      ...about,
      access: signedIn,
      // @ts-expect-error TS2322
      scope: 'orders:delete',
      reply: ok(Order),
      handle: () => order,
    }),
    route({
      // @ts-expect-error TS2322
      method: 'TRACE',
      path: '/orders',
      ...about,
      access: signedIn,
      reply: ok(Order),
      handle: () => order,
    }),
    route({
      method: 'GET',
      path: '/orders',
      ...about,
      access: signedIn,
      reply: ok(Order),
      // @ts-expect-error TS2322
      problems: ['teapot'],
      handle: () => order,
    }),
    route({
      method: 'POST',
      path: '/orders',
      ...about,
      access: signedIn,
      body: NewOrder,
      reply: ok(Order),
      // @ts-expect-error TS2339
      handle: ({ body }) => ({ ...order, id: body.price }),
    }),
    route({
      method: 'POST',
      path: '/orders',
      ...about,
      access: signedIn,
      reply: ok(Order),
      // @ts-expect-error TS18048
      handle: ({ body }) => ({ ...order, id: body.total }),
    }),
    route({
      method: 'GET',
      path: '/orders',
      ...about,
      access: signedIn,
      query: { limit: integer() },
      reply: ok(Order),
      // @ts-expect-error TS2339
      handle: ({ query }) => ({ ...order, id: query.page }),
    }),
    route({
      method: 'GET',
      path: '/orders',
      ...about,
      access: signedIn,
      query: { limit: optional(integer()) },
      reply: ok(Order),
      // @ts-expect-error TS2322
      handle: ({ query }) => ({ ...order, id: query.limit }),
    }),
    route({
      method: 'GET',
      path: '/x',
      ...about,
      access: signedIn,
      reply: ok(User),
      // @ts-expect-error TS2322
      handle: () => represent({ id: 1, name: '', email: '', role: 'user' as const }),
    }),
    route({
      method: 'GET',
      path: '/x',
      ...about,
      access: signedIn,
      reply: ok(User),
      // @ts-expect-error TS2322
      handle: () => represent({ id: 1, name: '', email: '', role: 'root', createdAt: '' }),
    }),
    route({
      method: 'POST',
      path: '/x',
      ...about,
      access: signedIn,
      reply: created(User, () => '/x'),
      // @ts-expect-error TS2322
      handle: () => order,
    }),
    route({
      method: 'GET',
      path: '/x',
      ...about,
      access: signedIn,
      reply: ok(User),
      // @ts-expect-error TS2322
      handle: async () => Promise.resolve(order),
    }),
    route({
      method: 'GET',
      path: '/x',
      ...about,
      access: signedIn,
      reply: ok(User),
      // @ts-expect-error TS2322
      handle: () => ({ id: 1, name: '', email: '', role: 'user', createdAt: '' }),
    }),
    route({
      method: 'DELETE',
      path: '/x',
      ...about,
      access: adminOnly,
      reply: noContent(),
      // @ts-expect-error TS2322
      handle: () => order,
    }),
    route({
      method: 'DELETE',
      path: '/x',
      ...about,
      access: adminOnly,
      reply: noContent(),
      handle: () => nothing,
    }),
    route({
      method: 'GET',
      path: '/x',
      ...about,
      access: signedIn,
      reply: ok(Order),
      // @ts-expect-error TS2339
      handle: ({ request }) => request,
    }),
  ];
}

declare const maybe: Access<object, Caller | undefined>;

export function mistakesOfStorage(
  db: Connection,
  database: Database,
  { db: given }: Context<object, object, undefined, Caller>,
): unknown[] {
  return [
    database.write((writer) => writer.run('DELETE FROM orders').changes),
    // @ts-expect-error TS2322
    database.write(async (writer) => writer.run('DELETE FROM orders').changes),
    // @ts-expect-error TS2322
    given.write((writer) => Promise.resolve(writer.get('SELECT 1'))),
    // @ts-expect-error TS2339
    given.close(),
    findOrder(db, 'everyone', 7),
    findCustomer(db, { userId: 7 }, 7),
    // @ts-expect-error TS2554
    findOrder(db, 7),
    // @ts-expect-error TS2554
    findCustomer(db, 7),
    // @ts-expect-error TS2554
    findUser(db, 7),
    // @ts-expect-error TS2554
    findKey(db, 7),
    // @ts-expect-error TS2345
    findSession(db, undefined, 7, 0),
    // @ts-expect-error TS2345
    findOrder(db, {}, 7),
    // @ts-expect-error TS2345
    findOrder(db, 'all', 7),
    // @ts-expect-error TS2322
    orderListing('everyone', { sort: 'name' }),
    // @ts-expect-error TS2353
    orderListing({ sort: 'id' }, {}),
  ];
}

export function mistakesOfPermits(
  db: Connection,
  { authorizeWrite, caller }: Context<object, object, undefined, Caller>,
): unknown[] {
  return [
    removeKey(authorizeWrite(db), 7),
    removeKey(permitWithoutCaller(db, 'the command line'), 7),
    authorizeWrite(db).caller.role,
    // @ts-expect-error TS2739
    removeKey(db, 7),
    // @ts-expect-error TS2741
    removeKey({ writer: db, caller }, 7),
    // @ts-expect-error TS2739
    addKey(db, caller.userId, { name: 'till', scopes: [] }, 0),
    // @ts-expect-error TS2739
    removeKeysOf(db, 7),
    // @ts-expect-error TS2739
    removeUser(db, 7),
    // @ts-expect-error TS2739
    replaceUser(db, 7, { name: '', email: '', role: 'admin' }, undefined),
    // @ts-expect-error TS2739
    addUser(db, { name: '', email: '', role: 'admin', passwordHash: '' }, 0),
    // @ts-expect-error TS2739
    endSession(db, 7),
    // @ts-expect-error TS2739
    endSessionsOf(db, 7, null),
    // @ts-expect-error TS2345
    permitWithoutCaller(db, 'because'),
  ];
}

export function mistakesOfTables(): unknown[] {
  const { open: _open, ...fewerSteps } = steps;
  const { forbidden: _forbidden, ...fewerProblems } = problems;
  const reach: RowAccess = 'everyone';
  return [
    reach,
    // @ts-expect-error TS2741
    fewerSteps satisfies typeof steps,
    // @ts-expect-error TS2741
    fewerProblems satisfies typeof problems,
    // @ts-expect-error TS2345
    new Problem('teapot', 'I am a teapot.'),
    // @ts-expect-error TS2322
    ((): Role => 'root')(),
    (value: Caller) => {
      // @ts-expect-error TS2540
      value.role = 'admin';
    },
  ];
}

export function mistakesOfSchemas(): unknown[] {
  const thing = object({
    name: string({ maxLength: 9 }),
    size: nullable(integer()),
    note: optional(string({ maxLength: 9 })),
  });
  return [
    { name: 'x', size: null } satisfies Infer<typeof thing>,
    { name: 'x' } satisfies Infer<typeof UserPatch>,
    // @ts-expect-error TS1360
    { name: 'x' } satisfies Infer<typeof thing>,
    // @ts-expect-error TS2322
    { name: null, size: 1 } satisfies Infer<typeof thing>,
    // @ts-expect-error TS1360
    { name: 'x', size: 1, note: undefined } satisfies Infer<typeof thing>,
    // @ts-expect-error TS2353
    { name: 'x', size: 1, colour: 'red' } satisfies Infer<typeof thing>,
    // @ts-expect-error TS2322
    { role: 'root' } satisfies Infer<typeof UserPatch>,
    // @ts-expect-error TS2345
    string({ minLength: 1 }),
  ];
}
