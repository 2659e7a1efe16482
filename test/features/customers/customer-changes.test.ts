// Customers: changing them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedService } from '../../support/http-support.ts';
import { assertIssues, newCustomer, rootToken, shown } from '../../support/resource-support.ts';
import { address, whole } from './customer-support.ts';

describe('changing a customer', () => {
  const running = sharedService();

  test('changing a customer by PUT sets omitted members to null, but keeps the owner', async () => {
    const service = running();
    const { token } = await service.person();
    const before = await newCustomer(service, token, { ...whole, note: 'Rings twice.', reference: 'K-1' });
    const put = await service.put(`/customers/${before.id}`, {
      token: await rootToken(service),
      body: { name: 'Grace' },
    });
    const nothing = { email: null, phone: null, address: null, note: null, reference: null };
    assert.deepEqual(untimed(put.body), untimed({ ...before, name: 'Grace', ...nothing }));
  });

  const patches: readonly (readonly [patch: object, becomes: object])[] = [
    [
      { email: null, phone: null },
      { ...whole, email: null, phone: null },
    ],
    [{ address: null }, { ...whole, address: null }],
    [
      { address: { city: 'Bremen', postalCode: '28195' } },
      { ...whole, address: { ...address, city: 'Bremen', postalCode: '28195' } },
    ],
    [
      { address: { region: null, line2: '2nd floor' } },
      { ...whole, address: { ...address, region: null, line2: '2nd floor' } },
    ],
    [
      { address: { postalCode: 'sw1a 2aa', country: 'GB' } },
      { ...whole, address: { ...address, postalCode: 'SW1A 2AA', country: 'GB' } },
    ],
  ];
  for (const [patch, becomes] of patches) {
    test(`changing a customer by PATCH to ${JSON.stringify(patch)} keeps the other members`, async () => {
      const service = running();
      const { token } = await service.person();
      const before = await newCustomer(service, token, whole);
      const response = await service.patch(`/customers/${before.id}`, {
        token,
        body: JSON.stringify(patch),
        headers: { 'content-type': 'application/merge-patch+json' },
      });
      assert.deepEqual(untimed(response.body), untimed({ ...before, ...becomes }));
      assert.deepEqual((await service.get(`/customers/${before.id}`, { token })).body, response.body);
    });
  }

  test('changing a customer by PATCH can add an address, if it is complete', async () => {
    const service = running();
    const { token } = await service.person();
    const { id } = await newCustomer(service, token);
    assertIssues(
      await service.patch(`/customers/${id}`, { token, body: { address: { city: 'Bremen' } } }),
      422,
      ['#/address/country required', '#/address/line1 required'],
    );
    assert.deepEqual(
      (await service.patch(`/customers/${id}`, { token, body: { address } })).body.address,
      address,
    );
  });

  const wrongPatches: readonly (readonly [body: object, issues: readonly string[]])[] = [
    [
      { name: null, id: null, createdAt: null, updatedAt: null },
      ['#/createdAt type', '#/id type', '#/name type', '#/updatedAt type'],
    ],
    [
      { address: { line1: null, city: null, country: null } },
      ['#/address/city type', '#/address/country type', '#/address/line1 type'],
    ],
    [{ address: { postalCode: null } }, ['#/address/postalCode postal-code']],
    [{ address: { country: 'GB' } }, ['#/address/postalCode postal-code']],
    [{ address: { zip: '1' } }, ['#/address/zip unknown-member']],
  ];
  for (const [body, issues] of wrongPatches) {
    test(`changing a customer by PATCH to ${JSON.stringify(body)} is rejected, and every issue is named`, async () => {
      const service = running();
      const { token } = await service.person();
      const before = await newCustomer(service, token, whole);
      assertIssues(await service.patch(`/customers/${before.id}`, { token, body }), 422, issues);
      assert.deepEqual((await service.get(`/customers/${before.id}`, { token })).body, before);
    });
  }

  const wrongPuts: readonly (readonly [change: object, issues: readonly string[]])[] = [
    [{ name: undefined }, ['#/name required']],
    [{ address: { city: 'Bremen' } }, ['#/address/country required', '#/address/line1 required']],
    [{ address: { ...address, postalCode: '1' } }, ['#/address/postalCode postal-code']],
  ];
  for (const [change, issues] of wrongPuts) {
    test(`changing a customer by PUT with ${shown(change)} is rejected, and every issue is named`, async () => {
      const service = running();
      const { token } = await service.person();
      const before = await newCustomer(service, token, whole);
      assertIssues(
        await service.put(`/customers/${before.id}`, { token, body: { ...before, ...change } }),
        422,
        issues,
      );
    });
  }
});

/** Without the time of the change, which is the same only while the clock stands still. */
function untimed({ updatedAt: _changing, ...rest }: Record<string, unknown>): object {
  return rest;
}
