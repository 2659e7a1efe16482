// Mistakes in routes that must not compile. Compiled by types.test.ts, never run.
import { anyone, adminOnly, self, signedIn, type Access, type Caller } from '../../../src/auth/access.ts';
import { represent, type Representation } from '../../../src/http/responses/representation.ts';
import { empty } from '../../../src/http/routing/reply.ts';
import { route } from '../../../src/http/routing/route.ts';
import { NewOrder, Order } from '../../../src/features/orders/order-members.ts';
import { User } from '../../../src/features/users/user.ts';
import { integer, optional } from '../../../src/schema/schema.ts';

const about = { tag: 'Test', summary: 'A route of a test' } as const;
const one = { method: 'GET', path: '/orders/{id}', ...about } as const;
const all = { method: 'GET', path: '/orders', ...about } as const;
const order = { kind: 'object', schema: Order } as const;
const user = { kind: 'object', schema: User } as const;
declare const found: Representation<Order>;
declare const maybe: Access<object, Caller | undefined>;
const shown = { id: 1, ownerId: null };

export function asItShouldBe(): object[] {
  return [
    route({
      ...one,
      method: 'PATCH',
      access: self,
      body: NewOrder,
      reply: order,
      handle: ({ params, body, caller }) =>
        represent(
          {
            id: params.id,
            status: 'open' as const,
            payment: null,
            customerId: body.customerId,
            userId: caller.userId,
            currency: body.currency,
            items: [],
            total: 0,
            shippingAddress: null,
            note: body.note ?? null,
            metadata: {},
            createdAt: '',
            updatedAt: '',
          },
          { id: params.id, ownerId: caller.userId },
        ),
    }),
    route({
      ...all,
      access: anyone,
      query: { limit: optional(integer()) },
      reply: order,
      handle: ({ query }) => ({ ...found, id: query.limit ?? 1 }),
    }),
    route({
      ...all,
      method: 'PUT',
      access: signedIn,
      reply: { ...order, newLocation: () => '/x' },
      handle: () => ({ ...found, isNew: true }),
    }),
    route({ ...all, method: 'DELETE', access: adminOnly, reply: { kind: 'none' }, handle: () => empty }),
  ];
}

export function mistakesOfRoutes(): object[] {
  const limit = { limit: optional(integer()) };
  return [
    route({
      ...one,
      access: signedIn,
      reply: order,
      // @ts-expect-error TS2339
      handle: ({ params }) => ({ ...found, id: params.nope }),
    }),
    // @ts-expect-error TS2339
    route({ ...all, access: signedIn, reply: order, handle: ({ params }) => ({ ...found, id: params.id }) }),
    route({
      ...one,
      access: signedIn,
      reply: order,
      // @ts-expect-error TS2322
      handle: ({ params }) => ({ ...found, text: params.id }),
    }),
    // @ts-expect-error TS2322
    route({ ...all, access: self, reply: order, handle: () => found }),
    route({
      ...all,
      access: {
        description: '',
        credentials: 'required',
        // @ts-expect-error TS2322
        permits: (_: Caller, params: { id: number }) => params.id > 0,
      },
      reply: order,
      handle: () => found,
    }),
    // @ts-expect-error TS2741
    route({ ...all, reply: order, handle: () => found }),
    route({
      ...one,
      access: anyone,
      reply: order,
      // @ts-expect-error TS18048
      handle: ({ caller }) => ({ ...found, id: caller.userId }),
    }),
    // @ts-expect-error TS18048
    route({ ...all, access: maybe, reply: order, handle: ({ caller }) => ({ ...found, id: caller.userId }) }),
    // @ts-expect-error TS2322
    route({ ...all, access: signedIn, scope: 'orders:delete', reply: order, handle: () => found }),
    // @ts-expect-error TS2322
    route({ ...all, method: 'TRACE', access: signedIn, reply: order, handle: () => found }),
    // @ts-expect-error TS2322
    route({ ...all, access: signedIn, reply: order, problems: ['teapot'], handle: () => found }),
    route({
      ...all,
      method: 'POST',
      access: signedIn,
      body: NewOrder,
      reply: order,
      // @ts-expect-error TS2339
      handle: ({ body }) => ({ ...found, id: body.price }),
    }),
    route({
      ...all,
      method: 'POST',
      access: signedIn,
      reply: order,
      // @ts-expect-error TS18048
      handle: ({ body }) => ({ ...found, id: body.total }),
    }),
    route({
      ...all,
      access: signedIn,
      query: limit,
      reply: order,
      // @ts-expect-error TS2339
      handle: ({ query }) => ({ ...found, id: query.page }),
    }),
    route({
      ...all,
      access: signedIn,
      query: limit,
      reply: order,
      // @ts-expect-error TS2322
      handle: ({ query }) => ({ ...found, id: query.limit }),
    }),
    route({
      ...all,
      access: signedIn,
      reply: user,
      // @ts-expect-error TS2322
      handle: () => represent({ id: 1, name: '', email: '', role: 'user' as const }, shown),
    }),
    route({
      ...all,
      access: signedIn,
      reply: user,
      // @ts-expect-error TS2322
      handle: () => represent({ id: 1, name: '', email: '', role: 'root', createdAt: '' }, shown),
    }),
    // @ts-expect-error TS2322
    route({ ...all, access: signedIn, reply: { ...user, location: () => '/x' }, handle: () => found }),
    // @ts-expect-error TS2322
    route({ ...all, access: signedIn, reply: user, handle: async () => Promise.resolve(found) }),
    route({
      ...all,
      access: signedIn,
      reply: user,
      // @ts-expect-error TS2322
      handle: () => ({ id: 1, name: '', email: '', role: 'user', createdAt: '' }),
    }),
    // @ts-expect-error TS2322
    route({ ...all, method: 'DELETE', access: adminOnly, reply: { kind: 'none' }, handle: () => found }),
    // @ts-expect-error TS2322
    route({ ...all, access: signedIn, reply: { kind: 'list', schema: Order }, handle: () => found }),
    // @ts-expect-error TS2339
    route({ ...all, access: signedIn, reply: order, handle: ({ request }) => request }),
  ];
}
