// The settings of the console: the shop that papers name, and its currency.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../../src/config/command-error.ts';
import { readCommandLine } from '../../src/service/command-line.ts';
import { assertAll } from '../support/command-support.ts';

test('the name and the address of the shop must be one short line each, and its currency a code', () => {
  const wrong = [`--shop-name=${'x'.repeat(201)}`, '--shop-address=a\nb', '--default-currency=€'];
  assert.throws(
    () => readCommandLine(wrong, {}),
    (error) => {
      assert.ok(error instanceof ConfigError);
      assertAll(error.issues, [
        /^--default-currency must be a currency code/,
        /^--shop-name must be a line of at most 200 characters/,
        /^--shop-address must be a line of at most 200 characters/,
      ]);
      return true;
    },
  );
});
