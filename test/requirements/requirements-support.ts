// For the tests of the requirements: users, one of whom has a customer and two orders.
import assert from 'node:assert/strict';
import { sharedService } from '../support/http-support.ts';
import { newCustomer, newOrder } from '../support/resource-support.ts';
import { type TestResponse, type Person, type TestService } from '../support/service.ts';

export const items = [{ name: 'Green tea, 250 g', quantity: 2, unitPrice: 749 }];

export const address = {
  line1: 'Ammerländer Heerstraße 114',
  city: 'Oldenburg',
  country: 'DE',
  postalCode: '26129',
};

/** `owner` has the customer and the orders, the second one a second later; `other` has nothing. */
export type Fixture = {
  readonly service: TestService;
  readonly admin: Person;
  readonly staff: Person;
  readonly owner: Person;
  readonly other: Person;
  /** Of the owner. */
  readonly token: string;
  readonly customerId: number;
  readonly orders: readonly TestResponse['body'][];
};

export async function createFixture(service: TestService): Promise<Fixture> {
  const admin = await service.signIn(service.admin.email, service.admin.password);
  const staff = await service.person('staff');
  const [owner, other] = [await service.person(), await service.person()];
  const { id: customerId } = await newCustomer(service, owner.token);
  const orders: TestResponse['body'][] = [];
  for (let index = 0; index < 2; index += 1) {
    orders.push(await newOrder(service, owner.token, { customerId, items }));
    service.clock.advance(1_000);
  }
  return { service, admin, staff, owner, other, token: owner.token, customerId, orders };
}

/** In a service that the tests of the suite share; the result is for their bodies. */
export function fixtureForSuite(): () => Fixture {
  let fixture: Fixture | undefined;
  sharedService({}, async (service) => {
    fixture = await createFixture(service);
  });
  return () => fixture ?? assert.fail('a hook creates the fixture before the tests');
}
