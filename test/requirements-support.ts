// For the tests of the requirements: users with customers and orders of their own.
import assert from 'node:assert/strict';
import { sharedService } from './http/http-support.ts';
import { type TestResponse, type Person, type TestService } from './service.ts';

export const items = [{ name: 'Green tea, 250 g', quantity: 2, unitPrice: 749 }];

export const address = {
  line1: 'Ammerländer Heerstraße 114',
  city: 'Oldenburg',
  country: 'DE',
  postalCode: '26129',
};

/** Somebody with a customer and two orders, the second one later. */
export type World = {
  readonly service: TestService;
  readonly admin: Person;
  readonly staff: Person;
  readonly owner: Person;
  readonly other: Person;
  readonly customerId: number;
  readonly orders: readonly TestResponse['body'][];
};

export async function worldOf(service: TestService): Promise<World> {
  const admin = await service.signIn(service.admin.email, service.admin.password);
  const [staff, owner, other] = [
    await service.person('staff'),
    await service.person(),
    await service.person(),
  ];
  const customerId = (
    await service.post('/customers', { token: owner.token, body: { name: 'Grace Hopper' } })
  ).body.id;
  const orders: TestResponse['body'][] = [];
  for (let index = 0; index < 2; index += 1) {
    orders.push(
      (await service.post('/orders', { token: owner.token, body: { customerId, currency: 'EUR', items } }))
        .body,
    );
    service.clock.advance(1_000);
  }
  return { service, admin, staff, owner, other, customerId, orders };
}

export function worldForSuite(): () => World {
  let world: World | undefined;
  sharedService({}, async (service) => {
    world = await worldOf(service);
  });
  return () => world ?? assert.fail('the world is made before the suite');
}
