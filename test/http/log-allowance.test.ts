// Log lines of requests without a rate: a client has so many a minute, and then a summary.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '../storage/storage-support.ts';
import { serviceFor, type TestService } from '../service.ts';
import { crlf, live, request } from './connection-support.ts';
import { sharedService } from './http-support.ts';
import { askRaw } from './raw-connection.ts';

type Line = Readonly<Record<string, unknown>>;

/** Lines of one address in a minute. */
const linesMax = 60;
const leftOut = 'left out request lines';
const inProcess = { skip: process.env['ORDERLY_EXECUTABLE'] !== undefined && 'needs the clock' };

const linesOf = ({ logged }: TestService): Line[] => logged.map((text): Line => JSON.parse(text));
const summariesOf = (service: TestService): Line[] =>
  linesOf(service).filter(({ message }) => message === leftOut);

/** Ends the minute of a window of the log, whenever it began. */
function endMinute({ clock, logged }: TestService): void {
  clock.advance(60_000);
  logged.length = 0;
}

describe('requests that no rate bounds', inProcess, () => {
  const plain = sharedService({
    settings: { 'rate-anonymous': '1/3600', 'cors-origins': 'https://shop.example' },
  });

  const preflight = ['Origin: https://shop.example', 'Access-Control-Request-Method: GET'];
  const long = `/${'x'.repeat(300)}`;
  const kinds: readonly (readonly [what: string, bytes: string, status: number])[] = [
    ['of fields that the parser rejects', request(`GET ${long}`, [`X: ${'x'.repeat(30_000)}`]), 431],
    ['that are no HTTP', `nonsense${crlf}${crlf}`, 400],
    ['to ask for a page of another origin', request('OPTIONS /orders', preflight), 204],
    ['over their rate', request('GET /orders'), 429],
    ['for a path without a limit', live, 200],
  ];
  for (const [what, bytes, status] of kinds) {
    test(`${what} have ${linesMax} lines a minute, and then a count`, async () => {
      const service = plain();
      await askRaw(service.port, bytes); // one may use up the rate
      endMinute(service);
      const before = await countOf(service, status);
      for (let count = 0; count < linesMax + 15; count += 1)
        assert.equal((await askRaw(service.port, bytes)).status, status);
      const lines = linesOf(service).filter((line) => line['status'] === status);
      assert.equal(lines.length, linesMax);
      assert.ok(service.logged.join('').length < 1_000 * linesMax, 'a line is short, too');
      service.clock.advance(60_000);
      const [summary, ...others] = summariesOf(service);
      assert.deepEqual(others, []);
      assert.deepEqual([summary?.['level'], summary?.['address']], ['info', '127.0.0.1']);
      assert.deepEqual(summary?.['statuses'], { [status]: 15 });
      assert.equal(await countOf(service, status), before + linesMax + 15, 'metrics count each');
    });
  }

  test('have lines again in the next minute', async () => {
    endMinute(plain());
    for (let count = 0; count < linesMax + 1; count += 1) await askRaw(plain().port, live);
    plain().clock.advance(60_000);
    plain().logged.length = 0;
    const { headers } = await askRaw(plain().port, live);
    await until(() => linesOf(plain()).some(({ requestId }) => requestId === headers['x-request-id']));
  });

  async function countOf({ inside }: TestService, status: number): Promise<number> {
    const counts = inside?.app.metricsText().matchAll(new RegExp(`status="${status}"\\} (\\d+)`, 'g')) ?? [];
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }
});

test('the lines of one address are not those of another, nor of what a rate bounds', inProcess, async (t) => {
  const service = await serviceFor(t, { settings: { 'trusted-proxy': '127.0.0.1' } });
  const ask = async (address: string, path = '/health/live'): Promise<string> => {
    const headers = { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' };
    return String((await service.get(path, { headers })).headers['x-request-id']);
  };
  const hasLine = (id: string): boolean => linesOf(service).some(({ requestId }) => requestId === id);
  for (let count = 0; count < linesMax; count += 1) await ask('192.0.2.1');
  assert.equal(hasLine(await ask('192.0.2.1')), false);
  assert.equal(hasLine(await ask('192.0.2.1', '/orders')), true);
  assert.equal(hasLine(await ask('198.51.100.1')), true);
  assert.equal(hasLine(await ask('2001:db8:0:1::1')), true);
  for (let count = 0; count < linesMax; count += 1) await ask('2001:db8:0:1::2');
  assert.equal(hasLine(await ask('2001:db8:0:2::3')), false, 'a /48 is one client');
  service.clock.advance(60_000);
  assert.deepEqual(
    summariesOf(service).map(({ address, statuses }) => [address, statuses]),
    [
      ['192.0.2.1', { 200: 1 }],
      ['2001:db8:0::/48', { 200: 2 }],
    ],
  );
});

test(
  'a request that exceeds a rate is logged with its security event, or neither is',
  inProcess,
  async (t) => {
    const service = await serviceFor(t, { settings: { 'rate-anonymous': '1/3600' } });
    for (let count = 0; count < 1 + linesMax + 5; count += 1) await service.get('/orders');
    const count = (test: (line: Line) => boolean): number => linesOf(service).filter(test).length;
    assert.equal(
      count(({ status }) => status === 429),
      linesMax,
    );
    assert.equal(
      count(({ message }) => message === 'excess_rate_limit_exceeded'),
      linesMax,
    );
    const counted = /^orderly_security_events_total\{event="excess_rate_limit_exceeded"\} 65$/m;
    assert.match(service.inside?.app.metricsText() ?? '', counted);
  },
);

test(
  'the lines omitted since the last minute are counted in the log when the service ends',
  inProcess,
  async (t) => {
    const service = await serviceFor(t);
    for (let count = 0; count < linesMax + 2; count += 1) await service.get('/health/live');
    await service.stop();
    assert.deepEqual(
      summariesOf(service).map(({ statuses }) => statuses),
      [{ 200: 2 }],
    );
  },
);
