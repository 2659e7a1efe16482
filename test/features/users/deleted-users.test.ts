// A deleted user, and what remains; and the last administrator, who remains.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem } from '../../support/http-support.ts';
import { idsIn, newKey, newOrder } from '../../support/resource-support.ts';
import { linesAbout } from '../../support/security-line-support.ts';
import { password, serviceFor } from '../../support/service.ts';

test('deleting a user ends their sessions and keys with the next request, and leaves their customers and orders', async (t) => {
  const service = await serviceFor(t);
  const { person, root, signIn, as, renew } = service;
  const [gone, admin, other] = [await person(), await root(), await person()];
  const order = await newOrder(service, gone.token);
  const [path, customerPath] = [`/orders/${order.id}`, `/customers/${order.customerId}`];
  const { body: customer } = await admin.get(customerPath);
  const second = await signIn(gone.email, password);
  const byKey = as(await newKey(service, gone.token));
  for (const { get } of [gone, second, byKey]) assert.equal((await get(path)).status, 200);
  assert.equal((await gone.delete(`/api/users/${gone.id}`)).status, 204);
  for (const { get } of [gone, second, byKey]) assertProblem(await get(path), 'invalid-token');
  assertProblem(await renew(second), 'invalid-credentials');
  assertProblem(await as().post('/api/sessions', { email: gone.email, password }), 'invalid-credentials');
  assert.deepEqual(linesAbout(service, gone.id).at(-1), ['user_deleted', undefined]);

  for (const rest of ['', '/orders'])
    assertProblem(await admin.get(`/api/users/${gone.id}${rest}`), 'not-found');
  assert.deepEqual((await admin.get(path)).body, { ...order, userId: null });
  assert.deepEqual((await admin.get(customerPath)).body, { ...customer, userId: null });
  assert.deepEqual(idsIn(await admin.get(`${customerPath}/orders`)), [order.id]);
  assert.equal((await admin.patch(path, { status: 'paid', userId: null })).status, 200);
  for (const each of [path, customerPath]) assertProblem(await other.get(each), 'forbidden');
  await other.delete(`/api/users/${other.id}`);
  assert.ok((await person()).id > other.id, 'no id is used again');
});

test('the last administrator can be neither deleted nor given another role, by PATCH or by PUT', async (t) => {
  const { id, email, delete: remove, patch, put } = await (await serviceFor(t)).root();
  const path = `/api/users/${id}`;
  assertProblem(await remove(path), 'last-admin');
  for (const role of ['user', 'staff'])
    for (const send of [patch, put])
      assertProblem(await send(path, { name: 'Administrator', email, role }), 'last-admin');
  assert.equal((await patch(path, { name: 'Root', role: 'admin' })).status, 200);
});

for (const [what, method, body] of [
  ['demote', 'PATCH', { role: 'user' }],
  ['delete', 'DELETE', undefined],
] as const)
  test(`the last administrator remains if two administrators ${what} each other at the same time`, async (t) => {
    const { call, person, root } = await serviceFor(t);
    const [one, two] = [await root(), await person('admin')];
    const [first, second] = await Promise.all([
      call(method, `/api/users/${one.id}`, { token: two.token, body }),
      call(method, `/api/users/${two.id}`, { token: one.token, body }),
    ]);
    assert.deepEqual([first.status < 300, second.status < 300].toSorted(), [false, true]);
    const left = first.status === 409 ? one : two;
    assert.deepEqual(idsIn(await left.get('/api/users?role=admin')), [left.id]);
  });
