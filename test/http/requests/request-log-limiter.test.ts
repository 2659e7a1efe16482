// Log lines of requests that draw on no rate: some a minute, and then a count of the others.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { waitingRequestsMax } from '../../../src/http/connections/http-connection.ts';
import { insideOnly, serviceFor, type TestService } from '../../support/service.ts';
import { crlf, live, request } from '../../support/connection-support.ts';
import { sharedService } from '../../support/http-support.ts';
import { askRaw, openRaw } from '../../support/raw-connection.ts';

type Line = Readonly<Record<string, unknown>>;

/** Lines in a minute. */
const linesMax = 600;
const leftOut = 'request log lines suppressed';

const linesOf = ({ logged }: TestService): Line[] => logged.map((text): Line => JSON.parse(text));
const summariesOf = (service: TestService): Line[] =>
  linesOf(service).filter(({ message }) => message === leftOut);

/** Sends a request many times, as many at once as may wait on a connection. */
async function repeat(bytes: string, times: number, { port }: TestService): Promise<void> {
  for (let left = times; left > 0; left -= waitingRequestsMax) {
    const count = Math.min(left, waitingRequestsMax);
    using connection = await openRaw(port);
    connection.write(bytes.repeat(count));
    for (let response = 0; response < count; response += 1) await connection.response();
  }
}

/** Uses up the lines of a new minute. */
async function useUpLines(service: TestService): Promise<void> {
  service.clock.advance(60_000);
  await repeat(live, linesMax, service);
  service.logged.length = 0;
}

describe('requests that draw on no rate', insideOnly, () => {
  const service = sharedService({
    settings: { 'rate-anonymous': '1/3600', 'cors-origins': 'https://shop.example' },
  });

  const preflight = ['Origin: https://shop.example', 'Access-Control-Request-Method: GET'];
  const kinds: readonly (readonly [what: string, bytes: string, status: number])[] = [
    ['of fields that the parser rejects', request('GET /', [`X: ${'x'.repeat(30_000)}`]), 431],
    ['that are no HTTP', `nonsense${crlf}${crlf}`, 400],
    ['to ask for a page of another origin', request('OPTIONS /orders', preflight), 204],
    ['over their rate', request('GET /orders'), 429],
    ['for a path without a limit', live, 200],
  ];
  for (const [what, bytes, status] of kinds) {
    test(`requests ${what} have a line as long as one is left in the minute, then a count`, async () => {
      const { port, clock } = service();
      await askRaw(port, bytes); // one may use up the rate
      clock.advance(60_000);
      service().logged.length = 0;
      await askRaw(port, bytes);
      assert.ok(service().logged.join('').length < 1_000, 'a line is short, too');
      assert.equal(linesWith(status), 1);
      await useUpLines(service());
      const before = countOf(service(), status);
      for (let count = 0; count < 3; count += 1) await askRaw(port, bytes);
      assert.equal(linesWith(status), 0);
      assert.equal(countOf(service(), status), before + 3, 'metrics count each');
      clock.advance(60_000);
      assert.deepEqual(
        summariesOf(service()).map(({ level, statuses }) => [level, statuses]),
        [['info', { [status]: 3 }]],
      );
    });
  }

  function linesWith(wanted: number): number {
    return linesOf(service()).filter(({ status }) => status === wanted).length;
  }
});

test('a request that draws on a rate has a line even if no other is left', insideOnly, async (t) => {
  const service = await serviceFor(t);
  await useUpLines(service);
  for (const path of ['/health/live', '/orders']) await service.get(path);
  assert.deepEqual(
    linesOf(service).map(({ path }) => path),
    ['/orders'],
  );
});

test('a request that exceeds a rate is logged with its event, or neither is', insideOnly, async (t) => {
  const service = await serviceFor(t, { settings: { 'rate-anonymous': '1/3600' } });
  await repeat(request('GET /orders'), 1 + linesMax + 5, service);
  const count = (test: (line: Line) => boolean): number => linesOf(service).filter(test).length;
  assert.deepEqual(
    [count(({ status }) => status === 429), count(({ message }) => message === 'excess_rate_limit_exceeded')],
    [linesMax, linesMax],
  );
  const counted = /^orderly_security_events_total\{event="excess_rate_limit_exceeded"\} 605$/m;
  assert.match(service.inside?.metricsText() ?? '', counted);
});

test('the lines left out since the last minute are counted when the service ends', insideOnly, async (t) => {
  const service = await serviceFor(t);
  await repeat(live, linesMax + 2, service);
  await service.stop();
  assert.deepEqual(
    summariesOf(service).map(({ statuses }) => statuses),
    [{ 200: 2 }],
  );
});

function countOf({ inside }: TestService, status: number): number {
  const counts = inside?.metricsText().matchAll(new RegExp(`status="${status}"\\} (\\d+)`, 'g')) ?? [];
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
