// Content negotiation: Accept.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newCustomer } from '../../support/resource-support.ts';
import type { TestResponse, Person } from '../../support/service.ts';
import { assertProblem, assertStatus, sharedService } from '../../support/http-support.ts';

type Accept = string | string[] | undefined;

describe('Accept', () => {
  let ada: Person;
  let customer = '';
  const service = sharedService({}, async (started) => {
    ada = await started.person();
    customer = `/customers/${(await newCustomer(started, ada.token)).id}`;
  });
  const get = (path: string, accept: Accept): Promise<TestResponse> =>
    service().get(path, { token: ada.token, headers: accept === undefined ? {} : { accept } });

  const json: readonly (readonly [accept: Accept, isServed: boolean])[] = [
    [undefined, true],
    ['', true],
    ['*/*', true],
    ['application/*', true],
    ['application/json', true],
    ['APPLICATION/Json', true],
    ['  application/json  ', true],
    ['application/json;charset=utf-8', true],
    ['application/json; charset=UTF-8', true],
    ['application/json; charset="utf-8"', true],
    ['text/html;x="a,b;c\\"d", application/json', true],
    ['application/json;x="', false],
    ['application/json;q=0.001', true],
    ['application/json; q=1.000', true],
    ['application/json;Q=0.5', true],
    ['text/html, application/json;q=0.5', true],
    ['text/html, */*;q=0.1', true],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', true],
    [['text/html', 'application/json'], true],
    ['*/*;q=0, application/json', true],
    ['application/*;q=0, application/json;q=0.1', true],
    [',, application/json ,', true],
    ['application/problem+json', false],
    ['text/html', false],
    ['text/*', false],
    ['application/xml, text/json', false],
    ['application/jsonx', false],
    ['application/json+x', false],
    ['application/json;q=0', false],
    ['application/json;q=0.000', false],
    ['*/*;q=0', false],
    ['application/json;q=0, */*', false],
    ['application/*;q=0, */*', false],
    ['*/*, application/json;q=0.0', false],
    ['application/json;version=2', true],
    ['application/json; indent=4', true],
    ['application/json; charset=utf8', true],
    ['application/json; charset=iso-8859-1', true],
    ['application/json;profile="https://a.example/x;y,z"', true],
    ['application/json;odata.metadata=minimal;q=0.9;ext=1', true],
    ['application/json;version=2;q=0, application/json', true],
    ['application/json, application/json;version=2;q=0', true],
    ['application/json;version=2;q=0', false],
    ['*/*;level=1', true],
    ['application/*;level=1, text/html', true],
    ['application/json;version', false],
    ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', true],
    ['application/json;q=.5', true],
    ['application/json;q=.000', false],
    ['application/json;q=.', false],
    ['application/json;q=.2222', false],
    ['application/json;q=', false],
    ['text/html, *; q=.2', false],
    ['json', false],
    ['*', false],
    ['*/json', false],
    ['application/json/x', false],
    [['text/html', 'text/plain'], false],
  ];
  for (const [accept, isServed] of json) {
    const outcome = isServed ? 'is served JSON' : 'is 406';
    test(`Accept: ${JSON.stringify(accept) ?? 'nothing'} ${outcome} where there is JSON only`, async () => {
      for (const path of [customer, `${customer}/orders`, '/openapi.json', '/health/live']) {
        const response = await get(path, accept);
        const type = response.headers['content-type'];
        if (isServed) assert.deepEqual([response.status, type], [200, 'application/json'], path);
        else assertProblem(response, 'not-acceptable');
      }
    });
  }

  test('a response without content is 204, whatever Accept says', async () => {
    const { id } = await newCustomer(service(), ada.token);
    const headers = { accept: 'text/html' };
    await assertStatus(service().delete(`/customers/${id}`, { token: ada.token, headers }), 204);
  });

  const pages: readonly (readonly [accept: Accept, type: 'html' | 'json' | undefined])[] = [
    [undefined, 'html'],
    ['', 'html'],
    ['*/*', 'html'],
    ['text/html', 'html'],
    ['text/*', 'html'],
    ['application/json', 'json'],
    ['application/*', 'json'],
    ['text/html;q=0.5, application/json', 'json'],
    ['application/json;q=0.5, text/html;q=0.6', 'html'],
    ['application/json, text/html', 'html'],
    ['application/json, */*;q=0.9', 'json'],
    ['text/html;q=0, */*', 'json'],
    ['*/*;q=0.1, application/json;q=0.05', 'html'],
    ['text/*;q=0.2, application/*;q=0.3', 'json'],
    ['text/*, text/html;q=0.1, application/json;q=0.5', 'json'],
    ['image/png', undefined],
    ['text/html;q=0, application/json;q=0', undefined],
    ['text/html;level=1', 'html'],
    ['text/html; charset=utf8', 'html'],
    ['text/html;level=1;q=0.2, application/json;q=0.3', 'json'],
    ['text/html;level=1;q=0, text/html;q=0.5, application/json;q=0.3', 'html'],
    ['text/html;charset=utf-8;q=0.2, text/html;q=0.5, application/json;q=0.3', 'json'],
    ['text/plain', undefined],
  ];
  for (const [accept, type] of pages) {
    test(`Accept: ${JSON.stringify(accept) ?? 'nothing'} gets ${type ?? '406'} of HTML and JSON`, async () => {
      for (const path of ['/problems', '/problems/not-found']) {
        const response = await get(path, accept);
        const expected = type === 'html' ? 'text/html; charset=utf-8' : 'application/json';
        if (type === undefined) assertProblem(response, 'not-acceptable');
        else assert.deepEqual([response.status, response.headers['content-type']], [200, expected], path);
      }
    });
  }

  test('a client that accepts only JSON gets no HTML page, and one that accepts HTML no text', async () => {
    assertProblem(await get('/docs', 'application/json'), 'not-acceptable');
    assertProblem(await get('/metrics', 'text/html'), 'not-acceptable');
  });

  for (const accept of [
    'text/plain;version=0.0.4',
    'text/plain; version=0.0.4; charset=utf-8',
    'text/plain;version="0.0.4"',
    'text/plain;version=1.0.0;escaping=allow-utf-8',
    'application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
    'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited, text/plain;version=0.0.4;q=0.3',
  ]) {
    test(`Accept: ${accept} gets the metrics`, async () => {
      await assertStatus(get('/metrics', accept), 200);
    });
  }

  for (const [accept, type] of [
    ['text/csv; header=present', 'text/csv; charset=utf-8'],
    ['text/csv;header=absent', 'text/csv; charset=utf-8'],
    ['text/csv;charset=utf8', 'text/csv; charset=utf-8'],
    ['application/x-ndjson;v=1', 'application/x-ndjson'],
  ] as const) {
    test(`Accept: ${accept} gets a file`, async () => {
      const { status, headers } = await get('/customers', accept);
      assert.deepEqual([status, headers['content-type']], [200, type]);
    });
  }

  test('a request whose response is not acceptable changes nothing', async () => {
    const before = await get('/customers?total=true', undefined);
    const sent = { token: ada.token, headers: { accept: 'text/html' }, body: { name: 'Changed' } };
    assertProblem(await service().post('/customers', sent), 'not-acceptable');
    assertProblem(await service().patch(customer, sent), 'not-acceptable');
    assert.equal((await get('/customers?total=true', undefined)).text, before.text);
  });

  test('a caller without the right doesn’t learn the available media types', async () => {
    const headers = { accept: 'image/png' };
    assertProblem(await service().get(customer, { headers }), 'unauthenticated');
    assertProblem(await service().get('/api/users', { token: ada.token, headers }), 'forbidden');
    assertProblem(
      await service().get('/nowhere', { token: ada.token, headers, isUndescribed: true }),
      'not-found',
    );
  });

  test('problems are problem+json, whatever Accept says', async () => {
    for (const accept of ['application/json', 'application/json, application/problem+json;q=0'])
      assertProblem(await get('/customers/999999', accept), 'not-found');
  });
});
