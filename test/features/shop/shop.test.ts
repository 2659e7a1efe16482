// The shop: one object that everybody signed in reads and administrators set; the flags say what was never set.
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { assertIssues, newKey } from '../../support/resource-support.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import {
  password,
  serviceFor,
  type Person,
  type TestResponse,
  type TestService,
} from '../../support/service.ts';

const unset = {
  name: null,
  address: null,
  country: null,
  currency: 'EUR',
  timeZone: null,
  registration: 'open',
  updatedAt: null,
};
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
  const get = (): Promise<TestResponse> => service().get('/shop', { token: ada.token });
  const put = (body: object, headers = {}): Promise<TestResponse> =>
    service().put('/shop', { token: admin.token, body, headers });
  const patch = (body: object): Promise<TestResponse> =>
    service().patch('/shop', { token: admin.token, body });

  test('a shop of which nothing was set is what the flags say, and anyone signed in reads it', async () => {
    const { status, body, headers } = await get();
    assert.deepEqual([status, body], [200, unset]);
    const again = await service().get('/shop', {
      token: ada.token,
      headers: { 'if-none-match': String(headers.etag) },
    });
    assert.equal(again.status, 304);
    const { key } = await newKey(service(), ada.token, { scopes: ['events:read'] });
    assert.deepEqual((await service().get('/shop', { key })).body, unset);
    assertProblem(await service().get('/shop'), 'unauthenticated', 401);
  });

  test('an administrator sets the shop, and what is null or left out is as if it was never set', async () => {
    const { body: replaced } = await put(set);
    assert.deepEqual(replaced, { ...set, updatedAt: replaced.updatedAt });
    assert.match(replaced.updatedAt, /Z$/);
    assert.deepEqual((await get()).body, replaced);
    const { body: patched } = await patch({ currency: null, registration: null, name: 'Tea Shop' });
    const { updatedAt } = patched;
    assert.deepEqual(patched, { ...set, name: 'Tea Shop', currency: 'EUR', registration: 'open', updatedAt });
    assert.ok(updatedAt > replaced.updatedAt);
    const { body: cleared } = await put({});
    assert.deepEqual(cleared, { ...unset, updatedAt: cleared.updatedAt });
  });

  test('what is already so changes nothing, and a shop that was read can be put back', async () => {
    const before = await put(set);
    for (const body of [before.body, set]) {
      const same = await put(body);
      assert.deepEqual([same.status, same.text, same.headers.etag], [200, before.text, before.headers.etag]);
    }
    const same = await patch({ name: set.name });
    assert.equal(same.headers.etag, before.headers.etag);
    assertIssues(await patch({ updatedAt: '2020-01-01T00:00:00Z' }), 422, ['#/updatedAt read-only']);
  });

  test('a change with an outdated ETag is refused', async () => {
    const { headers } = await get();
    assert.equal((await put({ ...set, name: 'Other' }, { 'if-match': String(headers.etag) })).status, 200);
    assertProblem(await put(set, { 'if-match': String(headers.etag) }), 'precondition-failed');
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
      assertIssues(await patch(body), 422, issues);
      assertIssues(await put(body), 422, issues);
    });

  test('each change leaves one event that shows the currency alone, for staff and administrators', async () => {
    await put(set);
    const { next } = (await service().get('/events?from=latest', { token: admin.token })).body;
    await patch({ currency: 'USD', name: 'Coffee House' });
    await patch({ currency: 'USD' });
    const { token } = await service().person('staff');
    for (const each of [admin.token, token]) {
      const { data } = (await service().get(`${next}&type=shop.changed`, { token: each })).body;
      assert.equal(data.length, 1);
      const { type, subject, changes, actor } = data[0];
      assert.deepEqual(
        [type, subject, changes, actor.userId],
        ['shop.changed', '/shop', { name: null, currency: ['CHF', 'USD'] }, admin.id],
      );
    }
    const { data } = (await service().get(`${next}&type=shop.changed`, { token: ada.token })).body;
    assert.deepEqual(data, []);
  });
});

describe('what the shop decides', () => {
  let admin: Person;
  const service = sharedService({}, async (started) => {
    admin = await started.person('admin');
  });
  const patch = (body: object): Promise<TestResponse> =>
    service().patch('/shop', { token: admin.token, body });
  const signUp = (call = {}): Promise<TestResponse> =>
    service().post('/api/users', {
      ...call,
      body: { name: 'Eve', email: `${Math.random()}@example.com`, password },
    });
  beforeEach(() => service().put('/shop', { token: admin.token, body: {} }));

  test('registration is closed and opened at once, without a restart', async () => {
    assert.equal((await signUp()).status, 201);
    const ada = await service().person();
    assert.equal((await patch({ registration: 'closed' })).status, 200);
    assertProblem(await signUp(), 'unauthenticated', 401);
    assertProblem(await signUp({ token: ada.token }), 'forbidden', 403);
    assert.equal((await signUp({ token: admin.token })).status, 201);
    assert.equal((await patch({ registration: 'open' })).status, 200);
    assert.equal((await signUp()).status, 201);
  });

  test('phone numbers are read in the shop’s country, in imports, too', async () => {
    const { token } = admin;
    const body = { name: 'Grace Hopper', phone: '0441 12345' };
    assertIssues(await service().post('/customers', { token, body }), 422, ['#/phone format']);
    await patch({ country: 'DE' });
    const { status, body: made } = await service().post('/customers', { token, body });
    assert.deepEqual([status, made.phone], [201, '+4944112345']);
    const table =
      'name,phone,address.line1,address.city,address.postalCode\nIda,0441 12346,Street 1,Oldenburg,26122\n';
    const headers = { 'content-type': 'text/csv' };
    const imported = await service().post('/imports', { token, headers, body: table });
    const { id } = JSON.parse(imported.text);
    const { phone, address } = (await service().get(`/customers/${id}`, { token })).body;
    assert.deepEqual([phone, address.country], ['+4944112346', 'DE']);
    await patch({ country: 'AT' });
    const other = await service().patch(`/customers/${made.id}`, { token, body: { phone: '01 5123456' } });
    assert.deepEqual([other.status, other.body.phone], [200, '+4315123456']);
  });

  test('sales are counted in the shop’s time zone, unless the request names one', async () => {
    const zoneOf = async (query = ''): Promise<string> =>
      (await service().get(`/sales${query}`, { token: admin.token })).body.timeZone;
    assert.equal(await zoneOf(), 'UTC');
    await patch({ timeZone: 'Pacific/Auckland' });
    assert.deepEqual([await zoneOf(), await zoneOf('?timeZone=UTC')], ['Pacific/Auckland', 'UTC']);
  });

  test('the console’s page has what is set', async () => {
    const shopOfPage = async (): Promise<string | undefined> => {
      const { text } = await service().get('/console');
      return /<meta name="shop" content="([^"]*)"/.exec(text)?.[1]?.replaceAll('&#34;', '"');
    };
    for (const set of [{}, { name: 'Tea House', country: 'CH', currency: 'CHF', registration: 'closed' }]) {
      const { body: shop } = await patch(set);
      assert.deepEqual(JSON.parse((await shopOfPage()) ?? ''), shop);
    }
  });

  test('changing who may sign up needs a recent sign-in, and nothing else does', async () => {
    const { token } = await service().signIn(admin.email, password);
    await service().clock.advance(11 * 60_000);
    const change = (body: object): Promise<TestResponse> => service().patch('/shop', { token, body });
    assert.equal((await change({ name: 'Tea House', registration: 'open' })).status, 200);
    assertProblem(await change({ registration: 'closed' }), 'step-up-required', 401);
    const { token: fresh } = await service().signIn(admin.email, password);
    await service().patch('/shop', { token: fresh, body: { registration: 'closed' } });
    assertProblem(await change({ registration: null }), 'step-up-required', 401);
    assertProblem(await service().put('/shop', { token, body: {} }), 'step-up-required', 401);
    assert.equal((await change({ name: null })).body.registration, 'closed');
    await service().put('/shop', { token: fresh, body: {} });
    admin = { ...admin, token: fresh };
  });
});

describe('the flags of the shop', () => {
  let admin: Person;
  const flags = {
    'shop-name': ' Tea & Pots ',
    'shop-address': 'Lange Straße 1',
    'default-country': 'AT',
    'default-currency': 'CHF',
    registration: 'closed',
  };
  const service = sharedService({ settings: flags }, async (started) => {
    admin = await started.person('admin');
  });
  const change = (running: TestService, body: object): Promise<TestResponse> =>
    running.patch('/shop', { token: admin.token, body });

  test('what was never set is what the flags say, and --registration closed closes whatever is set', async () => {
    const { body } = await service().get('/shop', { token: admin.token });
    const said = {
      name: 'Tea & Pots',
      address: 'Lange Straße 1',
      country: 'AT',
      currency: 'CHF',
      timeZone: null,
      registration: 'closed',
    };
    assert.deepEqual(body, { ...said, updatedAt: null });
    const opened = (await change(service(), { name: 'Tea House', registration: 'open' })).body;
    assert.deepEqual(opened, { ...said, name: 'Tea House', updatedAt: opened.updatedAt });
    const stranger = { name: 'Eve', email: 'eve@example.com', password };
    assertProblem(await service().post('/api/users', { body: stranger }), 'unauthenticated', 401);
    assert.equal((await change(service(), { name: null })).body.name, 'Tea & Pots');
  });
});

test('the shop is kept when the service starts again', async (t) => {
  const service = await serviceFor(t);
  const { admin } = service;
  const signIn = (): Promise<Person> => service.signIn(admin.email, admin.password);
  await service.put('/shop', { token: (await signIn()).token, body: set });
  await service.restart();
  const { token } = await signIn();
  assert.equal((await service.get('/shop', { token })).body.name, set.name);
});
