// The parameter q of /orders: found by id, by customer and by item, among those that the caller may see.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedService } from '../../support/http-support.ts';
import { serviceFor, type Person } from '../../support/service.ts';
import { newCustomer, newKey, newOrder } from '../../support/resource-support.ts';
import { found } from '../customers/search-support.ts';

describe('an order', () => {
  let staff: Person;
  const service = sharedService({}, async (started) => {
    staff = await started.person('staff');
  });
  const tea = { sku: 'TEA-250', name: 'Grüner Tee "Sencha" 12"', quantity: 1, unitPrice: 749 };
  const pot = { sku: null, name: 'Teapot, cast iron', quantity: 1, unitPrice: 5900 };

  test('an order is found by its id, its customer and its items', async (t) => {
    const service = await serviceFor(t);
    const staff = await service.person('staff');
    const customer = await newCustomer(service, staff.token, { name: 'Ingrid Bergman' });
    const placed = { customerId: customer.id, items: [tea, pot, { ...pot, name: 'WEIẞER Becher' }] };
    const { id } = await newOrder(service, staff.token, placed);
    await newOrder(service, staff.token, { items: [{ ...pot, name: 'Kettle' }] });
    for (const q of [
      'bergman',
      'ing ber',
      'tea-250',
      'tea250',
      'gruner',
      'GRÜNER tee',
      'sencha',
      'weißer',
      'WEIẞER',
      '"Sencha"',
      'cast ir',
      '12"',
    ])
      assert.deepEqual(await found(service, staff, '/orders', q), [id], q);
    assert.equal((await found(service, staff, '/orders', `#${id}`))[0], id);
    const shirt = await newOrder(service, staff.token, { items: [{ ...pot, name: 'T-Shirt' }] });
    for (const q of ['tshirt', 't shirt', 't-shirt'])
      assert.deepEqual(await found(service, staff, '/orders', q), [shirt.id], q);
    for (const q of ['sku', 'name', 'quantity', 'unitprice', '5900', 'null', 'sencha iron', '{', '":"'])
      assert.deepEqual(await found(service, staff, '/orders', q), [], q);
  });

  test('an order is found by its amount with all decimals of its currency, and by the city it is sent to', async (t) => {
    const service = await serviceFor(t);
    const { token } = await service.person('staff');
    const staff = { token } as Person;
    const shippingAddress = { line1: 'Am Markt 1', city: 'Göttingen', postalCode: '37073', country: 'DE' };
    const euro = await newOrder(service, token, { items: [{ ...pot, unitPrice: 123_450 }], shippingAddress });
    const yen = await newOrder(service, token, { currency: 'JPY', items: [{ ...pot, unitPrice: 4_711 }] });
    for (const q of ['1234,50', '1.234,50 €', '€1,234.50', 'eur 1234.50', 'goettingen', 'Götting'])
      assert.deepEqual(await found(service, staff, '/orders', q), [euro.id], q);
    assert.deepEqual(await found(service, staff, '/orders', '¥4711'), [yen.id]);
    assert.deepEqual(await found(service, staff, '/orders?status=paid', '1234,50'), []);
    for (const q of ['1234', '123450', '1234,5', '47,11'])
      assert.deepEqual(await found(service, staff, '/orders', q), [], q);
  });

  test('an order is found by the id of its customer together with their name, and by its own id alone', async () => {
    const customer = await newCustomer(service(), staff.token, { name: 'Henrik Ibsen' });
    const { id } = await newOrder(service(), staff.token, { customerId: customer.id, items: [pot] });
    assert.deepEqual(await found(service(), staff, '/orders', `ibsen ${customer.id}`), [id]);
    assert.deepEqual(await found(service(), staff, '/orders', `ibsen #${customer.id + 700}`), []);
    assert.deepEqual(await found(service(), staff, '/orders', `nobody ${id}`), []);
  });

  test('an order is found in the order of ids, its own first', async () => {
    const customer = await newCustomer(service(), staff.token, { name: 'Ordered Twice' });
    const ids: number[] = [];
    for (let index = 0; index < 3; index += 1)
      ids.push((await newOrder(service(), staff.token, { customerId: customer.id })).id);
    assert.deepEqual(await found(service(), staff, '/orders', 'twice'), ids.toReversed());
    assert.deepEqual(await found(service(), staff, '/orders?limit=2', 'twice'), ids.toReversed().slice(0, 2));
    const [first = 0] = ids;
    await newOrder(service(), staff.token, { items: [{ ...pot, name: `No. ${first}` }] });
    assert.equal((await found(service(), staff, '/orders', String(first)))[0], first);
  });

  test('an order that matches in two ways has the better of its places', async () => {
    const house = await newCustomer(service(), staff.token, { name: 'Steamer House' });
    const twice = { customerId: house.id, items: [{ ...pot, name: 'Cheesteam' }] };
    const { id } = await newOrder(service(), staff.token, twice);
    const newer = await newOrder(service(), staff.token, { items: [{ ...pot, name: 'Cheesteam' }] });
    assert.deepEqual(await found(service(), staff, '/orders', 'steam'), [id, newer.id]);
  });

  test('an order is found within the filters of the list', async () => {
    const customer = await newCustomer(service(), staff.token, { name: 'Filtered Fennel' });
    const ofCustomer = { customerId: customer.id };
    const [paid, open] = [
      await newOrder(service(), staff.token, { ...ofCustomer, items: [{ ...pot, name: 'Saffron' }] }),
      await newOrder(service(), staff.token, { ...ofCustomer, items: [{ ...pot, name: 'Saffron' }] }),
    ];
    await service().patch(`/orders/${paid.id}`, { token: staff.token, body: { status: 'paid' } });
    for (const q of ['fennel', 'saffron']) {
      assert.deepEqual(await found(service(), staff, '/orders?status=paid,shipped', q), [paid.id]);
      assert.deepEqual(await found(service(), staff, '/orders?currency=USD', q), []);
      assert.deepEqual(await found(service(), staff, `/orders?customerId=${customer.id}`, q), [
        open.id,
        paid.id,
      ]);
    }
    assert.deepEqual(await found(service(), staff, `/orders?status=open`, String(paid.id)), []);
  });

  test('an order is found only by its owner and staff', async () => {
    const [owner, other] = [await service().person(), await service().person()];
    const customer = await newCustomer(service(), owner.token, { name: 'Private Parsley' });
    const { id } = await newOrder(service(), owner.token, {
      customerId: customer.id,
      items: [{ ...pot, name: 'Parsnip' }],
    });
    for (const q of ['parsley', 'parsnip', `#${id}`]) {
      assert.equal((await found(service(), owner, '/orders', q))[0], id, q);
      assert.equal((await found(service(), staff, '/orders', q))[0], id, q);
      assert.deepEqual(await found(service(), other, '/orders', q), [], q);
    }
  });

  test('an order is found by its customer with a key that may read customers, and by its items with any', async () => {
    const customer = await newCustomer(service(), staff.token, { name: 'Keyed Kohlrabi' });
    const placed = { customerId: customer.id, items: [{ ...pot, name: 'Kumquat' }] };
    const { id } = await newOrder(service(), staff.token, placed);
    for (const [scopes, expected] of [
      [['orders:read'], []],
      [['orders:read', 'customers:read'], [id]],
    ] as const) {
      const { key } = await newKey(service(), staff.token, { scopes });
      const idsBy = async (q: string): Promise<number[]> =>
        (await service().get(`/orders?q=${q}`, { key })).body.data.map((order: { id: number }) => order.id);
      assert.deepEqual(await idsBy('kohlrabi'), expected);
      assert.deepEqual(await idsBy('kumquat'), [id]);
    }
  });

  test('an order of a customer of somebody else isn’t found by what the owner may not read', async () => {
    const [owner, other] = [await service().person(), await service().person()];
    const customer = await newCustomer(service(), other.token, { name: 'Hidden Hyssop' });
    const placed = { customerId: customer.id, userId: owner.id };
    const { id } = await newOrder(service(), staff.token, placed);
    assert.deepEqual(await found(service(), owner, '/orders', 'hyssop'), []);
    assert.deepEqual(await found(service(), owner, '/orders', `#${id}`), [id]);
    assert.deepEqual(await found(service(), staff, '/orders', 'hyssop'), [id]);
    assert.deepEqual(await found(service(), other, '/orders', 'hyssop'), []);
  });

  test('an order is found by the beginning of a word before all that are found within one', async () => {
    const [milka, camilla] = [
      await newCustomer(service(), staff.token, { name: 'Milka Novak' }),
      await newCustomer(service(), staff.token, { name: 'Camilla Rossi' }),
    ];
    const ids: number[] = [];
    for (const placed of [
      { customerId: milka.id, items: [pot] },
      { items: [{ ...pot, name: 'Oat milk' }] },
      { customerId: camilla.id, items: [pot] },
      { items: [{ ...pot, name: 'Camomile' }] },
    ])
      ids.push((await newOrder(service(), staff.token, placed)).id);
    const [ofMilka, withMilk, ofCamilla, withCamomile] = ids;
    const expected = [withMilk, ofMilka, withCamomile, ofCamilla];
    assert.deepEqual(await found(service(), staff, '/orders', 'mil'), expected);
    assert.deepEqual(await found(service(), staff, '/orders?limit=2', 'mil'), expected.slice(0, 2));
  });
});
