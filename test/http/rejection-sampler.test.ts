// What rejections for a rate leave in the log: one request's lines for each address and second.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceFor, type TestService } from '../service.ts';
import { assertProblem } from './http-support.ts';

type Line = Readonly<Record<string, unknown>>;

const linesOf = ({ logged }: TestService): Line[] => logged.map((text): Line => JSON.parse(text));
const rejections = (service: TestService): Line[] =>
  linesOf(service).filter(
    ({ status, message }) => status === 429 || message === 'excess_rate_limit_exceeded',
  );

test('of the requests of one address that get 429, one a second is logged, with a count', async (t) => {
  const settings = { 'rate-anonymous': '1/3600', 'trusted-proxy': '127.0.0.1' };
  const service = await serviceFor(t, { settings });
  if (service.inside === undefined) return t.skip('needs the clock');
  const ask = async (address: string): Promise<void> => {
    const headers = { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' };
    assertProblem(await service.get('/orders', { headers }), 'quota-exceeded');
  };
  await service.get('/orders', { headers: { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' } });
  for (let count = 0; count < 5; count += 1) await ask('192.0.2.1');
  assert.equal(rejections(service).length, 2, 'the event and the request');
  service.clock.advance(1_000);
  await ask('192.0.2.1');
  await ask('192.0.2.1');
  const counts = rejections(service).map(({ message, leftOut }) => [message ?? 'request', leftOut ?? 0]);
  const event = ['excess_rate_limit_exceeded', 0];
  assert.deepEqual(counts, [event, ['request', 0], event, ['request', 4]]);
  await service.get('/orders', { headers: { 'x-forwarded-for': '192.0.2.2', 'x-forwarded-proto': 'https' } });
  await ask('192.0.2.2');
  assert.equal(rejections(service).length, 6, 'another address has lines of its own');
});
