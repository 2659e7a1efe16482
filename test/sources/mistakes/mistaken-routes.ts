// Mistakes in routes that must not compile. Compiled by types.test.ts, never run.
import { anyone, adminOnly, self, signedIn, type Access, type Caller } from '../../../src/auth/access.ts';
import { represent, type Representation } from '../../../src/http/responses/representation.ts';
import { empty } from '../../../src/http/routing/reply.ts';
import { route } from '../../../src/http/routing/route.ts';
import { NewOrder, Order } from '../../../src/features/orders/order-members.ts';
import { User } from '../../../src/features/users/user.ts';
import { integer, optional } from '../../../src/schema/schema.ts';

const about = { tag: 'Test', summary: 'A route of a test' } as const;
declare const order: Representation<Order>;
const shown = { id: 1, ownerId: null };

export function asItShouldBe(): object[] {
  return [
    route({
      method: 'PATCH',
      path: '/orders/{id}',
      ...about,
      access: self,
      body: NewOrder,
      reply: { kind: 'object', schema: Order },
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
      method: 'GET',
      path: '/orders',
      ...about,
      access: anyone,
      query: { limit: optional(integer()) },
      reply: { kind: 'object', schema: Order },
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
      reply: { kind: 'object', schema: Order },
      // @ts-expect-error TS2339
      handle: ({ params }) => ({ ...order, id: params.nope }),
    }),
    route({
      method: 'GET',
      path: '/orders',
      ...about,
      access: signedIn,
      reply: { kind: 'object', schema: Order },
      // @ts-expect-error TS2339
      handle: ({ params }) => ({ ...order, id: params.id }),
    }),
    route({
      method: 'GET',
      path: '/orders/{id}',
      ...about,
      access: signedIn,
      reply: { kind: 'object', schema: Order },
      // @ts-expect-error TS2322
      handle: ({ params }) => ({ ...order, text: params.id }),
    }),
    route({
      method: 'GET',
      path: '/orders',
      ...about,
      // @ts-expect-error TS2322
      access: self,
      reply: { kind: 'object', schema: Order },
      handle: () => order,
    }),
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
      reply: { kind: 'object', schema: Order },
      handle: () => order,
    }),
    // @ts-expect-error TS2741
    route({
      method: 'GET',
      path: '/orders',
      ...about,
      reply: { kind: 'object', schema: Order },
      handle: () => order,
    }),
    route({
      method: 'GET',
      path: '/orders/{id}',
      ...about,
      access: anyone,
      reply: { kind: 'object', schema: Order },
      // @ts-expect-error TS18048
      handle: ({ caller }) => ({ ...order, id: caller.userId }),
    }),
    route({
      method: 'GET',
      path: '/orders',
      ...about,
      access: maybe,
      reply: { kind: 'object', schema: Order },
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
      reply: { kind: 'object', schema: Order },
      handle: () => order,
    }),
    route({
      // @ts-expect-error TS2322
      method: 'TRACE',
      path: '/orders',
      ...about,
      access: signedIn,
      reply: { kind: 'object', schema: Order },
      handle: () => order,
    }),
    route({
      method: 'GET',
      path: '/orders',
      ...about,
      access: signedIn,
      reply: { kind: 'object', schema: Order },
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
      reply: { kind: 'object', schema: Order },
      // @ts-expect-error TS2339
      handle: ({ body }) => ({ ...order, id: body.price }),
    }),
    route({
      method: 'POST',
      path: '/orders',
      ...about,
      access: signedIn,
      reply: { kind: 'object', schema: Order },
      // @ts-expect-error TS18048
      handle: ({ body }) => ({ ...order, id: body.total }),
    }),
    route({
      method: 'GET',
      path: '/orders',
      ...about,
      access: signedIn,
      query: { limit: integer() },
      reply: { kind: 'object', schema: Order },
      // @ts-expect-error TS2339
      handle: ({ query }) => ({ ...order, id: query.page }),
    }),
    route({
      method: 'GET',
      path: '/orders',
      ...about,
      access: signedIn,
      query: { limit: optional(integer()) },
      reply: { kind: 'object', schema: Order },
      // @ts-expect-error TS2322
      handle: ({ query }) => ({ ...order, id: query.limit }),
    }),
    route({
      method: 'GET',
      path: '/x',
      ...about,
      access: signedIn,
      reply: { kind: 'object', schema: User },
      // @ts-expect-error TS2322
      handle: () => represent({ id: 1, name: '', email: '', role: 'user' as const }, shown),
    }),
    route({
      method: 'GET',
      path: '/x',
      ...about,
      access: signedIn,
      reply: { kind: 'object', schema: User },
      // @ts-expect-error TS2322
      handle: () => represent({ id: 1, name: '', email: '', role: 'root', createdAt: '' }, shown),
    }),
    route({
      method: 'POST',
      path: '/x',
      ...about,
      access: signedIn,
      reply: { kind: 'object', schema: User, location: () => '/x' },
      // @ts-expect-error TS2322
      handle: () => order,
    }),
    route({
      method: 'GET',
      path: '/x',
      ...about,
      access: signedIn,
      reply: { kind: 'object', schema: User },
      // @ts-expect-error TS2322
      handle: async () => Promise.resolve(order),
    }),
    route({
      method: 'GET',
      path: '/x',
      ...about,
      access: signedIn,
      reply: { kind: 'object', schema: User },
      // @ts-expect-error TS2322
      handle: () => ({ id: 1, name: '', email: '', role: 'user', createdAt: '' }),
    }),
    route({
      method: 'DELETE',
      path: '/x',
      ...about,
      access: adminOnly,
      reply: { kind: 'none' },
      // @ts-expect-error TS2322
      handle: () => order,
    }),
    route({
      method: 'GET',
      path: '/x',
      ...about,
      access: signedIn,
      reply: { kind: 'list', schema: Order },
      // @ts-expect-error TS2322
      handle: () => order,
    }),
    route({
      method: 'PUT',
      path: '/x',
      ...about,
      access: signedIn,
      reply: { kind: 'object', schema: Order, newLocation: () => '/x' },
      handle: () => ({ ...order, isNew: true }),
    }),
    route({
      method: 'DELETE',
      path: '/x',
      ...about,
      access: adminOnly,
      reply: { kind: 'none' },
      handle: () => empty,
    }),
    route({
      method: 'GET',
      path: '/x',
      ...about,
      access: signedIn,
      reply: { kind: 'object', schema: Order },
      // @ts-expect-error TS2339
      handle: ({ request }) => request,
    }),
  ];
}

declare const maybe: Access<object, Caller | undefined>;
