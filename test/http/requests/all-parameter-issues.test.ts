// All issues of a query are reported at once: those of each parameter, and those of several together.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertIssues, rootToken } from '../../support/resource-support.ts';
import { sharedService } from '../../support/http-support.ts';

const file = { accept: 'text/csv' };
const rows: readonly (readonly [target: string, issues: readonly string[], headers?: object])[] = [
  ['/orders?q=tea&sort=id&limit=x&status=x', ['limit type', 'sort not-with-q', 'status enum']],
  ['/orders?q=tea&sort=x&total=true', ['sort enum', 'total not-with-q']],
  ['/orders?q=tea&limit=60&surplus=1', ['limit maximum', 'surplus unknown-parameter']],
  ['/orders?q=tea&limit=600', ['limit maximum']],
  ['/customers?q=tea&cursor=x&email=x', ['cursor not-with-q', 'email pattern']],
  ['/orders?limit=5&currency=x', ['currency pattern', 'limit conflict'], file],
  [
    '/customers?limit=500&total=true&cursor=x',
    ['cursor conflict', 'limit conflict', 'limit maximum', 'total conflict'],
    file,
  ],
  ['/orders?q=tea&limit=60', ['limit conflict', 'limit maximum'], file],
  ['/events?cursor=x&from=latest&type=x', ['cursor conflict', 'type enum']],
  ['/events?cursor=x&from=x&limit=0', ['from enum', 'limit minimum']],
  ['/events?cursor=x&from=latest&limit=5', ['cursor conflict', 'limit conflict'], file],
  ['/sales?from=2026-02-01T00:00:00Z&before=2026-01-01T00:00:00Z&by=x', ['before range', 'by enum']],
  ['/sales?from=1970-01-01T00:00:00Z&by=hour&timeZone=x', ['by too-many', 'timeZone format']],
  ['/sales?from=x&before=x', ['before pattern', 'from pattern']],
];

describe('all issues of a query are reported at once', () => {
  let token = '';
  const service = sharedService({}, async (started) => {
    token = await rootToken(started);
  });

  for (const [target, issues, headers = {}] of rows) {
    test(`all issues are reported of ${target}${headers === file ? ' as a file' : ''}: ${issues.join(', ')}`, async () => {
      const sent = { token, headers: { ...headers } };
      assertIssues(await service().get(target, sent), 422, issues);
    });
  }

  test('all issues of a query are reported at once, for each value of a repeated parameter', async () => {
    const issues = ['limit minimum', 'limit repeated-parameter'];
    assert.equal((await service().get('/orders?limit=1', { token })).status, 200);
    assertIssues(await service().get('/orders?limit=0&limit=0', { token }), 422, issues);
  });
});
