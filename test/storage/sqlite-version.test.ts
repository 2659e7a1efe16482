// Versions of SQLite that can lose commits: the service doesn't start with one.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hasWalResetFix } from '../../src/storage/database-file.ts';

describe('SQLite', () => {
  const versions: readonly (readonly [version: string, keeps: boolean])[] = [
    ['3.7.17', false],
    ['3.51.2', false],
    ['3.51.3', true],
    ['3.51.10', true],
    ['3.53.4', true],
    ['4.0.0', true],
    ['', false],
  ];
  for (const [version, keeps] of versions) {
    test(`SQLite "${version}" ${keeps ? 'keeps' : 'can lose'} what was committed`, () =>
      assert.equal(hasWalResetFix(version), keeps));
  }

  test('the SQLite of this Node keeps what was committed', () =>
    assert.ok(hasWalResetFix(process.versions.sqlite ?? '')));
});
