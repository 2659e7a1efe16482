// A bound that clients share: in total, for each address, and for each network.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addressBucket, networkOf } from '../../src/network/address-buckets.ts';
import { SharedBound } from '../../src/http/shared-bound.ts';

describe('a network', () => {
  const networks = [
    ['192.0.2.1', '192.0.2.0/24'],
    ['2001:db8:1:2::3', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8:0::/48'],
  ] as const;
  for (const [address, network] of networks)
    test(`of ${address} is ${network}`, () => assert.equal(networkOf(addressBucket(address)), network));
});

describe('a shared bound', () => {
  const bounds = { total: 100, perAddress: 20, perNetwork: 30 };

  test('is exceeded by an address, by its network, or in total', () => {
    const shared = new SharedBound(bounds);
    assert.equal(shared.reserve('192.0.2.1', 21), 'perAddress');
    assert.equal(shared.reserve('192.0.2.1', 20), 'reserved');
    assert.equal(shared.reserve('192.0.2.1', 1), 'perAddress');
    assert.equal(shared.reserve('192.0.2.2', 11), 'perNetwork');
    assert.equal(shared.reserve('192.0.2.2', 10), 'reserved');
    assert.equal(shared.reserve('198.51.100.1', 20), 'reserved');
    assert.equal(shared.reserve(undefined, 51), 'total');
    assert.equal(shared.reserve(undefined, 50), 'reserved');
    assert.equal(shared.used, 100);
  });

  test('has room again for what was released', () => {
    const shared = new SharedBound(bounds);
    for (let times = 0; times < 3; times += 1) {
      assert.equal(shared.reserve('192.0.2.1', 20), 'reserved');
      assert.equal(shared.reserve('192.0.2.2', 10), 'reserved');
      assert.equal(shared.reserve('192.0.2.3', 1), 'perNetwork');
      shared.release('192.0.2.1', 20);
      shared.release('192.0.2.2', 10);
      assert.equal(shared.used, 0);
    }
  });
});
