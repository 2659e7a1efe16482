// A small shop for the checks of the console.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { admin, type Client, serviceFor, type TestService } from '../support/service.ts';
import { openTab, type Tab } from '../support/browser.ts';
import { Person } from './console-actions.ts';

type Shop = {
  readonly service: TestService;
  /** The administrator's requests by the API, from elsewhere. */
  readonly office: Client;
  /** The administrator's. */
  readonly token: string;
  readonly orders: Orders;
  readonly tab: Awaited<ReturnType<typeof openTab>>;
  /** In the shop’s tab, by mouse. */
  readonly person: Person;
};

/** A shop with orders, and a browser that shows its console, where nobody is signed in yet. */
export async function openShop(
  t: Pick<TestContext, 'after'>,
  options: Parameters<typeof serviceFor>[1] = {},
): Promise<Shop> {
  const service = await serviceFor(t, options);
  const opened = await openConsole(t, service);
  const token = await fillShop(service, options.settings?.['default-currency']);
  const office = service.as({ token });
  return { service, office, token, orders: ordersOf(office), ...opened };
}

/** The same, where an administrator has signed in. */
export async function openSignedIn(...given: Parameters<typeof openShop>): Promise<Shop> {
  const shop = await openShop(...given);
  await shop.person.signIn(shop.service.url, admin);
  return shop;
}

export type PlacedOrder = {
  readonly id: number;
  readonly customerId: number;
  readonly total: number;
  readonly items: readonly {
    readonly sku: string | null;
    readonly name: string;
    readonly quantity: number;
  }[];
  readonly [member: string]: unknown;
};

export type Orders = ReturnType<typeof ordersOf>;

const anOrder = { customerId: 1, currency: 'EUR', items: [{ name: 'Tea', quantity: 1, unitPrice: 749 }] };

/** The shop's orders, as the API has them. */
export function ordersOf(client: Client) {
  return {
    async place(members: object = {}): Promise<PlacedOrder> {
      return (await client.post('/orders', { ...anOrder, ...members })).body;
    },
    change: (id: number, body: object) => client.patch(`/orders/${id}`, body),
    read: async (id: number): Promise<PlacedOrder> => (await client.get(`/orders/${id}`)).body,
    newest: async (): Promise<PlacedOrder> => (await client.get('/orders?limit=1&sort=-id')).body.data[0],
    count: async (): Promise<number> => (await client.get('/orders?total=true&limit=1')).body.total,
  };
}

type Opened<T> = { readonly tab: T; readonly person: Person };

/** A tab for the service’s console, where nobody is signed in yet. */
export function openConsole(
  t: Pick<TestContext, 'after'>,
  service: TestService,
): Promise<Opened<Shop['tab']>> {
  return openConsoleIn(openTab, t, service);
}

export async function openConsoleIn<T extends Tab & { close(): Promise<void> }>(
  openBrowser: () => Promise<T>,
  t: Pick<TestContext, 'after'>,
  service: TestService,
): Promise<Opened<T>> {
  service.clock.now = Date.now(); // the browser’s clock is the real one
  const tab = await openBrowser();
  t.after(async () => {
    await tab.close();
    assert.deepEqual(tab.complaints, [], 'the browser has no complaints');
  });
  await tab.screen(1280, 'light');
  return { tab, person: new Person(tab, 'mouse') };
}

/** A shop with some orders in each status. Resolves to an administrator's token. */
export async function fillShop(service: TestService, currency = 'EUR'): Promise<string> {
  const { token } = await service.signIn(admin.email, admin.password);
  await service.patch('/shop', { token, body: { currency } }); // nobody is asked for it
  await service.person('staff', 'Till');
  const address = {
    line1: 'Ammerländer Heerstraße 114',
    city: 'Oldenburg',
    postalCode: '26129',
    country: 'DE',
  };
  for (const name of ['Grace Hopper', 'Ada Lovelace', 'Hermann-Josef von Oberhausen-Unterfranken'])
    await service.post('/customers', {
      token,
      body: { name, email: 'customer@example.com', phone: '+494411234', address },
    });
  const items = [
    { sku: 'TEA-250', name: 'Green tea, 250 g', quantity: 2, unitPrice: 749 },
    { name: 'Teapot', quantity: 1, unitPrice: 3900 },
  ];
  const ways = [
    [],
    [],
    ['paid', 'shipped'],
    ['paid'],
    ['cancelled'],
    ['paid', 'refunded'],
    ['paid', 'shipped', 'delivered'],
  ];
  for (const [index, way] of [...ways, ...ways].entries()) {
    const currency = index % 5 === 4 ? 'USD' : 'EUR';
    const body = {
      customerId: (index % 3) + 1,
      currency,
      items,
      shippingAddress: address,
      note: 'Please ring twice.',
    };
    const { body: order } = await service.post('/orders', { token, body });
    for (const status of way) await service.patch(`/orders/${order.id}`, { token, body: { status } });
  }
  const large = {
    name: 'Container of green tea, loose',
    sku: 'TEA-40FT',
    quantity: 1_250,
    unitPrice: 98_765_499,
  };
  await service.post('/orders', { token, body: { customerId: 3, currency: 'EUR', items: [large] } });
  return token;
}
