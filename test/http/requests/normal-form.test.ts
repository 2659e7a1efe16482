// The normal form of a target for the router, the log and `instance`, however it was percent-encoded.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { separateApiKeys } from '../../../src/http/requests/query.ts';
import { decodeUnreserved } from '../../../src/http/routing/request-target.ts';
import { request } from '../../support/connection-support.ts';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { Dice } from './fuzz-values.ts';
import { askRaw } from '../../support/raw-connection.ts';

const seed = 20_261_122;
const parts = '% %% %3 %33 %31 %2 %25 %2f %2F %5F %C3%A9 %zz 1 3 5 a F _ . / é'.split(' ');

describe('the normal form of a target', () => {
  test('the normal form of each of 50,000 random targets is its own normal form', () => {
    const dice = new Dice(seed);
    for (let count = 0; count < 50_000; count += 1) {
      const sent = Array.from({ length: 1 + dice.below(8) }, () => dice.pick(parts)).join('');
      const normal = decodeUnreserved(sent);
      assert.equal(decodeUnreserved(normal), normal, sent);
      assert.equal(meaningOf(normal), meaningOf(sent), sent);
    }
  });

  const forms: readonly (readonly [sent: string, normal: string])[] = [
    ['/%61pi', '/api'],
    ['/%2531', '/%2531'],
    ['/%%33%31', '/%%33%31'],
    ['/%61%', '/%61%'],
    ['/%61%zz', '/%61%zz'],
    ['/%2f%61', '/%2fa'],
  ];
  for (const [sent, normal] of forms)
    test(`the normal form of ${sent} is ${normal}`, () => assert.equal(decodeUnreserved(sent), normal));

  test('a normal form is not guessed if an encoding is invalid: such a target names nothing', async () => {
    const response = await askRaw(service().port, request('GET /%%36%66rders'));
    assertProblem(response, 'not-found');
    assert.equal(response.body.instance, '/%25%36%66rders', 'but becomes a valid reference');
  });

  test('the normal form of a parameter’s name doesn’t depend on the parameters beside it', () => {
    assert.deepEqual(separateApiKeys('a=%&api%5Fkey=k&b=%zz'), { rest: 'a=%&b=%zz', keys: ['k'] });
  });

  const service = sharedService();
});

/** Undefined if an encoding is invalid. */
function meaningOf(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
