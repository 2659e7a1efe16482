// The bounded map: what it keeps, what it forgets, and what it counts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedMap } from '../src/bounded-map.ts';

const byLength = (value: string): number => value.length;

test('what was used longest ago is forgotten first, and a look-up counts as a use', () => {
  const map = new BoundedMap<string, number>(4);
  for (const [value, key] of ['a', 'b', 'c'].entries()) map.set(key, value);
  assert.equal(map.get('a'), 0);
  map.set('d', 3);
  map.set('e', 4);
  assert.deepEqual(
    ['a', 'b', 'd', 'e'].map((key) => map.get(key)),
    [0, undefined, 3, 4],
  );
});

test('its weight is the sum of what it holds, and never more than its bound', () => {
  const map = new BoundedMap<string, string>(20, byLength);
  map.set('a', 'xxxx');
  map.set('b', 'xxxxx');
  assert.equal(map.weight, 9);
  map.set('c', 'xxx');
  assert.equal(map.weight, 12);
  map.set('a', 'x');
  assert.deepEqual([map.weight, map.size], [9, 3]);
  map.delete('b');
  assert.deepEqual([map.weight, map.size], [4, 2]);
  for (let key = 0; key < 50; key += 1) {
    map.set(String(key), 'xxxxx');
    assert.ok(map.weight <= 20);
  }
  map.clear();
  assert.deepEqual([map.weight, map.size, map.get('49')], [0, 0, undefined]);
});

test('what weighs more than half of the bound is not kept, and takes the place of nothing', () => {
  const map = new BoundedMap<string, string>(20, byLength);
  map.set('a', 'xxxxx');
  map.set('b', 'x'.repeat(11));
  assert.deepEqual([map.get('a'), map.get('b')], ['xxxxx', undefined]);
  map.set('c', 'x'.repeat(10));
  assert.equal(map.get('c'), 'x'.repeat(10));
});

test('look-ups that find something are counted apart from those that do not', () => {
  const map = new BoundedMap<string, number>(4);
  for (const [value, key] of ['a', 'b', 'c'].entries()) map.set(key, value);
  for (const key of ['a', 'a', 'c', 'nowhere']) map.get(key);
  assert.deepEqual([map.hits, map.misses], [3, 1]);
});

test('a bound of nothing keeps nothing', () => {
  const map = new BoundedMap<string, string>(0, byLength);
  map.set('a', 'x');
  assert.deepEqual([map.get('a'), map.size, map.weight], [undefined, 0, 0]);
});

test('what is deleted makes room in its own generation', () => {
  const map = new BoundedMap<string, string>(20, byLength);
  for (const key of ['a', 'b', 'c']) map.set(key, 'xxxxx'); // c begins the young generation
  map.delete('a');
  map.set('d', 'xxxxx');
  map.set('e', 'xxxxx');
  assert.deepEqual([map.get('b'), map.weight], [undefined, 15]);

  map.clear();
  map.set('old', 'x'.repeat(10));
  map.set('young', 'xxxxx');
  map.delete('young');
  map.set('next', 'x'.repeat(10));
  assert.deepEqual([map.weight, map.size], [20, 2]);
});
