// Heads of many fields: only the fields that are read are kept, and every rule about heads still applies.
import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, test } from 'node:test';
import {
  checkHeaderBytes,
  countOccurrences,
  headersOf,
  knownRequestFields,
} from '../../src/http/request-headers.ts';
import { shrinkHead } from '../../src/http/large-heads.ts';

const many = (count: number, name = 'aa', value = 'bb'): string[] =>
  Array.from({ length: count }, () => [name, value]).flat();

/** As the server joins repeated fields. */
function requestWith(rawHeaders: readonly string[]): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { rawHeaders, joinDuplicateHeaders: true });
  return request;
}

const isTooLarge = (request: IncomingMessage): boolean => {
  try {
    checkHeaderBytes(request);
    return false;
  } catch {
    return true;
  }
};

describe('a head of many fields', () => {
  const heads: readonly (readonly [what: string, fields: readonly string[]])[] = [
    ['with one Host', ['Host', 'a', ...many(2_000)]],
    ['with a second Host behind the others', ['Host', 'a', ...many(2_000), 'hOST', 'b']],
    ['with three Hosts', ['Host', 'a', ...many(100), ...many(2, 'Host', 'b')]],
    ['with a field that is read in many lines', ['Host', 'a', ...many(1_000, 'Accept', 'a/b')]],
    [
      'with many fields of proxies',
      ['Host', 'a', ...many(900, 'Via', 'x'), ...many(500, 'X-Forwarded-For', 'y')],
    ],
    [
      'with every field that is read',
      knownRequestFields.flatMap((name) => [name, 'x', 'filler', 'y', 'more', 'z']),
    ],
    ['with text beyond ASCII', ['Host', 'a', 'User-Agent', '\xfc\xff', ...many(200)]],
    ['of 16 KiB with separators', many(2_048)],
    ['of one field more', many(2_049)],
    ['of very many fields', many(8_000, 'a', '')],
  ];
  for (const [what, fields] of heads) {
    test(`${what} is kept in few strings, and read the same`, () => {
      const [before, after] = [requestWith(fields), requestWith(fields)];
      shrinkHead(after);
      assert.ok(
        after.rawHeaders.length <= 4 * knownRequestFields.length + 2,
        String(after.rawHeaders.length),
      );
      assert.equal(isTooLarge(after), isTooLarge(before));
      for (const name of knownRequestFields) {
        assert.equal(headersOf(after)[name], headersOf(before)[name], name);
        const count = Math.min(2, countOccurrences(before, name));
        assert.equal(countOccurrences(after, name), count, name);
      }
    });
  }

  test('of an ordinary number stays unchanged', () => {
    const fields = ['Host', 'a', ...many(63)];
    const request = requestWith(fields);
    shrinkHead(request);
    assert.equal(request.rawHeaders, fields);
  });
});
