// A bound that clients share: in total, and for each client.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedBound } from '../../../src/http/connections/shared-bound.ts';

const bounds = { total: 100, perClient: 20 };

test('a shared bound is exceeded by one client, or by all together', () => {
  const shared = new SharedBound(bounds);
  assert.equal(shared.reserve('192.0.2.1', 21), 'perClient');
  assert.equal(shared.reserve('192.0.2.1', 20), 'reserved');
  assert.equal(shared.reserve('192.0.2.1', 1), 'perClient');
  assert.equal(shared.reserve('198.51.100.1', 20), 'reserved');
  assert.equal(shared.reserve(undefined, 61), 'total');
  assert.equal(shared.reserve(undefined, 60), 'reserved');
  assert.equal(shared.used, 100);
});

test('a shared bound has room again for what was released', () => {
  const shared = new SharedBound(bounds);
  for (let times = 0; times < 3; times += 1) {
    assert.equal(shared.reserve('192.0.2.1', 20), 'reserved');
    assert.equal(shared.reserve('192.0.2.1', 1), 'perClient');
    shared.release('192.0.2.1', 20);
    assert.equal(shared.used, 0);
  }
});
