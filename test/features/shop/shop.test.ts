// The shop: one object that everybody signed in reads and administrators set; the flags say what was never set.
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { importTable } from '../../support/import-support.ts';
import { assertIssues, newKey, rootService } from '../../support/resource-support.ts';
import { password, type Client, type Person, type TestResponse } from '../../support/service.ts';

const flagged = { name: null, address: null, country: null, currency: 'EUR', timeZone: null };
const unset = { ...flagged, registration: 'open', updatedAt: null };
const set = {
  name: 'Tea House',
  address: 'Lange Straße 1, 26122 Oldenburg',
  country: 'DE',
  currency: 'CHF',
  timeZone: 'Europe/Berlin',
  registration: 'closed',
};

describe('the shop', () => {
  let admin: Person, ada: Person;
  const service = sharedService({}, async (started) => {
    [admin, ada] = await Promise.all([started.person('admin'), started.person()]);
  });
  const put = (body: object, headers = {}): Promise<TestResponse> => admin.put('/shop', body, headers);
  const patch = (body: object): Promise<TestResponse> => admin.patch('/shop', body);

  test('a shop of which nothing was set is what the flags say, and anyone signed in reads it', async () => {
    const { status, body, headers } = await ada.get('/shop');
    assert.deepEqual([status, body], [200, unset]);
    assert.equal((await ada.get('/shop', { 'if-none-match': String(headers.etag) })).status, 304);
    const { key } = await newKey(service(), ada.token, { scopes: ['events:read'] });
    assert.deepEqual((await service().get('/shop', { key })).body, unset);
    assertProblem(await service().get('/shop'), 'unauthenticated');
  });

  test('an administrator sets the shop, and what is null or left out is as if it was never set', async () => {
    const { body: replaced } = await put(set);
    assert.deepEqual(replaced, { ...set, updatedAt: replaced.updatedAt });
    assert.match(replaced.updatedAt, /Z$/);
    assert.deepEqual((await ada.get('/shop')).body, replaced);
    const { body: patched } = await patch({ currency: null, registration: null, name: 'Tea Shop' });
    const { updatedAt } = patched;
    assert.deepEqual(patched, { ...set, name: 'Tea Shop', currency: 'EUR', registration: 'open', updatedAt });
    assert.ok(updatedAt > replaced.updatedAt);
    const { body: cleared } = await put({});
    assert.deepEqual(cleared, { ...unset, updatedAt: cleared.updatedAt });
  });

  test('what is already so changes nothing, and only what was read last can be put back', async () => {
    const before = await put(set);
    for (const body of [before.body, set]) {
      const same = await put(body);
      assert.deepEqual([same.status, same.text, same.headers.etag], [200, before.text, before.headers.etag]);
    }
    assert.equal((await patch({ name: set.name })).headers.etag, before.headers.etag);
    assertIssues(await patch({ updatedAt: '2020-01-01T00:00:00Z' }), 422, ['#/updatedAt read-only']);
    const tag = { 'if-match': String(before.headers.etag) };
    assert.equal((await put({ ...set, name: 'Other' }, tag)).status, 200);
    assertProblem(await put(set, tag), 'precondition-failed');
  });

  for (const [what, body, issues] of [
    ['unknown codes', { country: 'XX', currency: 'EUX' }, ['#/country format', '#/currency format']],
    ['another registration', { registration: 'half' }, ['#/registration enum']],
    ['an unknown time zone', { timeZone: 'Europe/Oldenburg' }, ['#/timeZone format']],
    ['an offset', { timeZone: '+01:00' }, ['#/timeZone pattern']],
    ['a blank name of two lines', { name: ' ', address: 'a\nb' }, ['#/address pattern', '#/name pattern']],
    ['a long name', { name: 'x'.repeat(201) }, ['#/name max-length']],
    ['an unknown member', { colour: 'red' }, ['#/colour unknown-member']],
  ] as const)
    test(`${what} are faults of the shop`, async () => {
      for (const send of [patch, put]) assertIssues(await send(body), 422, issues);
    });

  test('each change leaves one event that shows the currency alone, for staff and administrators', async () => {
    await put(set);
    const { next } = (await admin.get('/events?from=latest')).body;
    await patch({ currency: 'USD', name: 'Coffee House' });
    await patch({ currency: 'USD' });
    for (const { get } of [admin, await service().person('staff')]) {
      const [{ type, subject, changes, actor }, ...others] = (await get(`${next}&type=shop.changed`)).body
        .data;
      const shown = { name: null, currency: ['CHF', 'USD'] };
      assert.deepEqual([type, subject, changes, actor.userId], ['shop.changed', '/shop', shown, admin.id]);
      assert.deepEqual(others, []);
    }
    assert.deepEqual((await ada.get(`${next}&type=shop.changed`)).body.data, []);
  });
});

describe('what the shop decides', () => {
  let admin: Person;
  const service = sharedService({}, async (started) => {
    admin = await started.person('admin');
  });
  const patch = (body: object, { patch: send }: Pick<Client, 'patch'> = admin): Promise<TestResponse> =>
    send('/shop', body);
  let count = 0;
  const signUp = ({ post }: Pick<Client, 'post'> = service().as()): Promise<TestResponse> => {
    count += 1;
    return post('/api/users', { name: 'Eve', email: `eve${count}@example.com`, password });
  };
  beforeEach(() => admin.put('/shop', {}));

  test('registration is closed and opened at once, without a restart', async () => {
    assert.equal((await signUp()).status, 201);
    const ada = await service().person();
    assert.equal((await patch({ registration: 'closed' })).status, 200);
    assertProblem(await signUp(), 'unauthenticated');
    assertProblem(await signUp(ada), 'forbidden');
    assert.equal((await signUp(admin)).status, 201);
    assert.equal((await patch({ registration: 'open' })).status, 200);
    assert.equal((await signUp()).status, 201);
  });

  test('phone numbers are read in the shop’s country, in imports, too', async () => {
    const body = { name: 'Grace Hopper', phone: '0441 12345' };
    assertIssues(await admin.post('/customers', body), 422, ['#/phone format']);
    await patch({ country: 'DE' });
    const { body: made } = await admin.post('/customers', body);
    assert.equal(made.phone, '+4944112345');
    const columns = 'name,phone,address.line1,address.city,address.postalCode';
    const text = `${columns}\nIda,0441 12346,Street 1,Oldenburg,26122\n`;
    const [imported] = await importTable(service(), { token: admin.token, text });
    const { phone, address } = (await admin.get(`/customers/${imported?.id}`)).body;
    assert.deepEqual([phone, address.country], ['+4944112346', 'DE']);
    await patch({ country: 'AT' });
    const other = await admin.patch(`/customers/${made.id}`, { phone: '01 5123456' });
    assert.equal(other.body.phone, '+4315123456');
  });

  test('sales are counted in the shop’s time zone, unless the request names one', async () => {
    const zoneOf = async (query = ''): Promise<string> => (await admin.get(`/sales${query}`)).body.timeZone;
    assert.equal(await zoneOf(), 'UTC');
    await patch({ timeZone: 'Pacific/Auckland' });
    assert.deepEqual([await zoneOf(), await zoneOf('?timeZone=UTC')], ['Pacific/Auckland', 'UTC']);
  });

  test('the console’s page has what is set', async () => {
    for (const change of [
      {},
      { name: 'Tea House', country: 'CH', currency: 'CHF', registration: 'closed' },
    ]) {
      const { body: shop } = await patch(change);
      const { text } = await service().get('/console');
      const [, content = ''] = /<meta name="shop" content="([^"]*)"/.exec(text) ?? [];
      assert.deepEqual(JSON.parse(content.replaceAll('&#34;', '"')), shop);
    }
  });

  test('changing who may sign up needs a recent sign-in, and nothing else does', async () => {
    const old = await service().signIn(admin.email, password);
    service().clock.advance(11 * 60_000);
    assert.equal((await patch({ name: 'Tea House', registration: 'open' }, old)).status, 200);
    assertProblem(await patch({ registration: 'closed' }, old), 'step-up-required');
    admin = await service().signIn(admin.email, password);
    await patch({ registration: 'closed' });
    assertProblem(await patch({ registration: null }, old), 'step-up-required');
    assertProblem(await old.put('/shop', {}), 'step-up-required');
    assert.equal((await patch({ name: null }, old)).body.registration, 'closed');
  });
});

test('what was never set is what the flags say, --registration closed closes whatever is set, and a restart keeps it', async (t) => {
  const settings = {
    'shop-name': ' Tea & Pots ',
    'shop-address': 'Lange Straße 1',
    'default-country': 'AT',
    'default-currency': 'CHF',
    registration: 'closed',
  };
  const { service, root } = await rootService(t, { settings });
  const places = { address: 'Lange Straße 1', country: 'AT', currency: 'CHF', timeZone: null };
  const said = { name: 'Tea & Pots', ...places, registration: 'closed' };
  assert.deepEqual((await root.get('/shop')).body, { ...said, updatedAt: null });
  const { body: opened } = await root.patch('/shop', { name: 'Tea House', registration: 'open' });
  assert.deepEqual(opened, { ...said, name: 'Tea House', updatedAt: opened.updatedAt });
  const stranger = { name: 'Eve', email: 'eve@example.com', password };
  assertProblem(await service.post('/api/users', { body: stranger }), 'unauthenticated');
  await service.restart();
  const again = await service.root();
  assert.deepEqual((await again.get('/shop')).body, opened);
  assert.equal((await again.patch('/shop', { name: null })).body.name, 'Tea & Pots');
});
