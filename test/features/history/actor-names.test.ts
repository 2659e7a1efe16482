// include=actorName: histories with the names of the accounts that made the changes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, issuesOf, sharedService } from '../../support/http-support.ts';
import { serviceFor, type Person, type TestService } from '../../support/service.ts';
import { newCustomer, newKey, newOrder, rootToken } from '../../support/resource-support.ts';

const name = 'Zoë "Ö" Müller';

type Fixture = { readonly ada: Person; readonly staff: Person; readonly order: number };

describe('a history with names', () => {
  let fixture: Fixture;
  const service = sharedService({}, async (started) => {
    const [ada, staff] = [await started.person('user', 'Ada'), await started.person('staff', name)];
    const order = (await newOrder(started, ada.token)).id;
    await started.patch(`/orders/${order}`, { token: staff.token, body: { status: 'paid' } });
    fixture = { ada, staff, order };
  });
  const target = (): string => `/orders/${fixture.order}/events?include=actorName`;

  test('a history with names names everybody to staff and administrators', async () => {
    for (const token of [fixture.staff.token, await rootToken(service())])
      assert.deepEqual(await namesAt(service(), target(), token), [name, 'Ada']);
  });

  test('a history with names names a user only to themselves', async () => {
    const { token } = fixture.ada;
    assert.deepEqual(await namesAt(service(), target(), token), [null, 'Ada']);
    assert.doesNotMatch((await service().get(target(), { token })).text, /Zoë/);
    const own = `/api/users/${fixture.ada.id}/events?include=actorName`;
    assert.deepEqual(new Set(await namesAt(service(), own, token)), new Set(['Ada']));
  });

  test('a history with names has otherwise the same events as one without names', async () => {
    const { token } = fixture.staff;
    const named = (await service().get(target(), { token })).body.data;
    const plain = (await service().get(`/orders/${fixture.order}/events`, { token })).body.data;
    const withoutNames = named.map(({ actorName: _name, ...event }: { actorName: string }) => event);
    assert.deepEqual(withoutNames, plain);
  });

  test('a history with names keeps the names on its next page', async () => {
    const { token } = fixture.staff;
    const { body } = await service().get(`${target()}&limit=1`, { token });
    assert.deepEqual(await namesAt(service(), body.next, token), ['Ada']);
  });

  for (const include of ['', 'actor', 'actorName,actorName', 'customer'])
    test(`a history with include=${include} has an issue`, async () => {
      const path = `/orders/${fixture.order}/events?include=${include}`;
      const response = await service().get(path, { token: fixture.staff.token });
      assert.equal(response.status, 422);
      assert.match(issuesOf(response).join(), /^include (enum|max-items)/);
    });

  test('a history with names needs an API key with the scope for users', async () => {
    const { token } = fixture.staff;
    const narrow = await newKey(service(), token, { scopes: ['events:read'] });
    const wide = await newKey(service(), token, { scopes: ['events:read', 'users:read'] });
    assertProblem(await service().get(target(), { key: narrow.key }), 'insufficient-scope');
    assert.equal((await service().get(target(), { key: wide.key })).status, 200);
  });
});

test('a history shows the name that an account has now, and none once it is deleted', async (t) => {
  const service = await serviceFor(t);
  const [staff, other] = [await service.person('staff'), await service.person('staff', 'Till')];
  const { id } = await newCustomer(service, other.token);
  const target = `/customers/${id}/events?include=actorName`;
  const { headers } = await service.get(target, { token: staff.token });
  const sent = { token: staff.token, headers: { 'if-none-match': headers.etag ?? '' } };
  assert.equal((await service.get(target, sent)).status, 304);
  const root = await rootToken(service);
  await service.patch(`/api/users/${other.id}`, { token: root, body: { name: 'Till King' } });
  assert.equal((await service.get(target, sent)).status, 200);
  assert.deepEqual(await namesAt(service, target, staff.token), ['Till King']);
  await service.delete(`/api/users/${other.id}`, { token: root });
  assert.deepEqual((await namesAt(service, target, staff.token)).at(-1), null);
});

async function namesAt(service: TestService, path: string, token: string): Promise<(string | null)[]> {
  const { body } = await service.get(path, { token });
  return body.data.map(({ actorName }: { readonly actorName: string | null }) => actorName);
}
