// The parameter q of /orders: found by id, by customer and by item, among those that the caller may see.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedService } from '../../support/http-support.ts';
import { serviceFor, type Person } from '../../support/service.ts';
import { idsIn, newCustomer, newKey, newOrder } from '../../support/resource-support.ts';
import { found } from '../customers/search-support.ts';

const pot = { sku: null, name: 'Teapot, cast iron', quantity: 1, unitPrice: 5900 };

test('an order is found by its customer and its items, and by nothing else of how they are stored', async (t) => {
  const service = await serviceFor(t);
  const staff = await service.person('staff');
  const customer = await newCustomer(service, staff.token, { name: 'Ingrid Bergman' });
  const tea = { sku: 'TEA-250', name: 'Grüner Tee "Sencha" 12"', quantity: 1, unitPrice: 749 };
  const items = [tea, pot, { ...pot, name: 'WEIẞER Becher' }];
  const { id } = await newOrder(service, staff.token, { customerId: customer.id, items });
  await newOrder(service, staff.token, { items: [{ ...pot, name: 'Kettle' }] });
  const shirt = await newOrder(service, staff.token, { items: [{ ...pot, name: 'T-Shirt' }] });
  for (const [result, ...queries] of [
    [[id], 'bergman', 'ing ber', 'tea-250', 'tea250', 'gruner', 'GRÜNER tee', 'sencha', 'weißer', 'WEIẞER'],
    [[id], '"Sencha"', 'cast ir', '12"'],
    [[shirt.id], 'tshirt', 't shirt', 't-shirt'],
    [[], 'sku', 'name', 'quantity', 'unitprice', '5900', 'null', 'sencha iron', '{', '":"'],
  ] as const)
    for (const q of queries) assert.deepEqual(await found(service, staff, '/orders', q), result, q);
});

test('an order is found by its amount with all decimals of its currency, and by the city it is sent to', async (t) => {
  const service = await serviceFor(t);
  const staff = await service.person('staff');
  const shippingAddress = { line1: 'Am Markt 1', city: 'Göttingen', postalCode: '37073', country: 'DE' };
  const items = [{ ...pot, unitPrice: 123_450 }];
  const euro = await newOrder(service, staff.token, { items, shippingAddress });
  const ofYen = { currency: 'JPY', items: [{ ...pot, unitPrice: 4_711 }] };
  const yen = await newOrder(service, staff.token, ofYen);
  for (const [result, ...queries] of [
    [[euro.id], '1234,50', '1.234,50 €', '€1,234.50', 'eur 1234.50', 'goettingen', 'Götting'],
    [[yen.id], '¥4711'],
    [[], '1234', '123450', '1234,5', '47,11'],
  ] as const)
    for (const q of queries) assert.deepEqual(await found(service, staff, '/orders', q), result, q);
  assert.deepEqual(await found(service, staff, '/orders?status=paid', '1234,50'), []);
});

describe('an order', () => {
  let staff: Person;
  const service = sharedService({}, async (started) => {
    staff = await started.person('staff');
  });
  const place = async (members: { readonly [name: string]: unknown }, { token } = staff): Promise<number> =>
    (await newOrder(service(), token, members)).id;
  const customer = async (name: string, { token } = staff): Promise<number> =>
    (await newCustomer(service(), token, { name })).id;
  const withItem = (name: string) => ({ items: [{ ...pot, name }] });
  const search = (q: string, path = '/orders', caller = staff): Promise<number[]> =>
    found(service(), caller, path, q);

  test('an order is found by the id of its customer together with their name, and by its own id alone', async () => {
    const customerId = await customer('Henrik Ibsen');
    const id = await place({ customerId });
    assert.deepEqual(await search(`ibsen ${customerId}`), [id]);
    assert.deepEqual(await search(`ibsen #${customerId + 700}`), []);
    assert.deepEqual(await search(`nobody ${id}`), []);
  });

  test('an order is found in the order of ids, its own first', async () => {
    const customerId = await customer('Ordered Twice');
    const ids = [await place({ customerId }), await place({ customerId }), await place({ customerId })];
    assert.deepEqual(await search('twice'), ids.toReversed());
    assert.deepEqual(await search('twice', '/orders?limit=2'), ids.toReversed().slice(0, 2));
    const [first] = ids;
    await place(withItem(`No. ${first}`));
    for (const q of [`${first}`, `#${first}`]) assert.equal((await search(q))[0], first);
  });

  test('an order that matches in two ways has the better of its places', async () => {
    const id = await place({ customerId: await customer('Steamer House'), ...withItem('Cheesteam') });
    const newer = await place(withItem('Cheesteam'));
    assert.deepEqual(await search('steam'), [id, newer]);
  });

  test('an order is found by the beginning of a word before all that are found within one', async () => {
    const ofMilka = await place({ customerId: await customer('Milka Novak') });
    const withMilk = await place(withItem('Oat milk'));
    const ofCamilla = await place({ customerId: await customer('Camilla Rossi') });
    const withCamomile = await place(withItem('Camomile'));
    const expected = [withMilk, ofMilka, withCamomile, ofCamilla];
    assert.deepEqual(await search('mil'), expected);
    assert.deepEqual(await search('mil', '/orders?limit=2'), expected.slice(0, 2));
  });

  test('an order is found within the filters of the list', async () => {
    const customerId = await customer('Filtered Fennel');
    const wanted = { customerId, ...withItem('Saffron') };
    const [paid, open] = [await place({ ...wanted, status: 'paid' }), await place(wanted)];
    for (const q of ['fennel', 'saffron']) {
      assert.deepEqual(await search(q, '/orders?status=paid,shipped'), [paid]);
      assert.deepEqual(await search(q, '/orders?currency=USD'), []);
      assert.deepEqual(await search(q, `/orders?customerId=${customerId}`), [open, paid]);
    }
    assert.deepEqual(await search(String(paid), '/orders?status=open'), []);
  });

  test('an order is found only by its owner and staff', async () => {
    const [owner, other] = [await service().person(), await service().person()];
    const customerId = await customer('Private Parsley', owner);
    const id = await place({ customerId, ...withItem('Parsnip') }, owner);
    for (const q of ['parsley', 'parsnip', `#${id}`]) {
      for (const caller of [owner, staff]) assert.equal((await search(q, '/orders', caller))[0], id, q);
      assert.deepEqual(await search(q, '/orders', other), [], q);
    }
  });

  test('an order isn’t found by a customer whom the caller may not read', async () => {
    const [owner, other] = [await service().person(), await service().person()];
    const customerId = await customer('Hidden Hyssop', other);
    const id = await place({ customerId, userId: owner.id, ...withItem('Kumquat') });
    for (const caller of [owner, other]) assert.deepEqual(await search('hyssop', '/orders', caller), []);
    assert.deepEqual(await search(`#${id}`, '/orders', owner), [id]);
    assert.deepEqual(await search('hyssop'), [id]);
    for (const [scopes, expected] of [
      [['orders:read'], []],
      [['orders:read', 'customers:read'], [id]],
    ] as const) {
      const { key } = await newKey(service(), staff.token, { scopes });
      const { get } = service().as({ key });
      assert.deepEqual(idsIn(await get('/orders?q=hyssop')), expected);
      assert.deepEqual(idsIn(await get('/orders?q=kumquat')), [id]);
    }
  });
});
