// The bounded map: what it keeps, what it evicts, and what it counts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedMap } from '../../src/base/bounded-map.ts';

const byLength = (value: string): number => value.length;

test('the entry that was used longest ago is evicted first, and a look-up counts as a use', () => {
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

test('the weight of a map is the sum of its values’ weights, and never more than its bound', () => {
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

test('a value that is missing is looked up once, and one that isn’t found is looked up again', () => {
  const map = new BoundedMap<string, string>(4);
  const lookUps: string[] = [];
  const find = (key: string): string | undefined => {
    lookUps.push(key);
    return key === 'a' ? 'found' : undefined;
  };
  const found = ['a', 'a', 'b', 'b'].map((key) => map.getOrFind(key, find));
  assert.deepEqual(found, ['found', 'found', undefined, undefined]);
  assert.deepEqual(lookUps, ['a', 'b', 'b']);
});

test('a value that weighs more than half of the bound is not kept, and evicts no other', () => {
  const map = new BoundedMap<string, string>(20, byLength);
  map.set('a', 'xxxxx');
  map.set('b', 'x'.repeat(11));
  assert.deepEqual([map.get('a'), map.get('b')], ['xxxxx', undefined]);
  map.set('c', 'x'.repeat(10));
  assert.equal(map.get('c'), 'x'.repeat(10));
});

test('hits and misses are counted separately', () => {
  const map = new BoundedMap<string, number>(4);
  for (const [value, key] of ['a', 'b', 'c'].entries()) map.set(key, value);
  for (const key of ['a', 'a', 'c', 'nowhere']) map.get(key);
  assert.deepEqual([map.hits, map.misses], [3, 1]);
});

test('a map with a bound of 0 keeps nothing', () => {
  const map = new BoundedMap<string, string>(0, byLength);
  map.set('a', 'x');
  assert.deepEqual([map.get('a'), map.size, map.weight], [undefined, 0, 0]);
});

test('a deleted entry makes room for another', () => {
  const map = new BoundedMap<string, string>(20, byLength);
  for (const key of ['a', 'b', 'c', 'd']) map.set(key, 'xxxxx');
  map.delete('a');
  map.set('e', 'xxxxx');
  assert.deepEqual([map.get('a'), map.get('b'), map.get('e'), map.weight], [undefined, 'xxxxx', 'xxxxx', 20]);
});

test('a map finds as large a share of random look-ups as fits into it', () => {
  const map = new BoundedMap<number, number>(750);
  let random = 1;
  for (let count = 0; count < 20_000; count += 1) {
    random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
    const key = random % 1_009;
    if (map.get(key) === undefined) map.set(key, key);
  }
  const share = map.hits / (map.hits + map.misses);
  assert.ok(share > 0.68, `${share}`);
});

test('a flood of new keys evicts idle entries, not those in use', () => {
  const map = new BoundedMap<string, number>(100);
  map.set('idle', 1);
  map.set('busy', 2);
  for (let flood = 0; flood < 1_000; flood += 1) {
    map.set(`once ${flood}`, flood);
    if (flood % 50 === 0) map.get('busy');
  }
  assert.deepEqual([map.get('idle'), map.get('busy')], [undefined, 2]);
});

test('if all entries are in use, one eviction examines only a few of them', () => {
  const map = new BoundedMap<number, number>(100);
  for (let key = 0; key < 100; key += 1) map.set(key, key);
  for (let key = 0; key < 100; key += 1) map.get(key);
  map.set(100, 100);
  assert.deepEqual([map.get(15), map.get(16), map.get(17), map.get(100)], [15, undefined, 17, 100]);
});

test('the bound still holds after the map was cleared', () => {
  const map = new BoundedMap<number, number>(10);
  for (let round = 0; round < 3; round += 1) {
    for (let key = 0; key < 25; key += 1) map.set(key, key);
    assert.equal(map.size, 10);
    map.clear();
  }
  for (let key = 0; key < 25; key += 1) map.set(key, key);
  for (let key = 15; key < 25; key += 1) map.delete(key);
  for (let key = 0; key < 25; key += 1) map.set(key, key);
  assert.deepEqual([map.size, map.get(14), map.get(15)], [10, undefined, 15]);
});
