// Content negotiation: Accept.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, assertStatus, sharedService } from '../../support/http-support.ts';
import { newCustomer } from '../../support/resource-support.ts';
import type { Person, TestResponse } from '../../support/service.ts';

/** The media types of a response, and paths that have them. */
const json = { json: 'application/json' };
const jsonPaths = ['/customers/1', '/customers/1/orders', '/openapi.json', '/health/live'];
const pages = { ...json, html: 'text/html; charset=utf-8' };
const pagePaths = ['/problems', '/problems/not-found'];
const files = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' };
const metrics = { text: 'text/plain; version=0.0.4; charset=utf-8' };

/** Values of Accept, with | between them, by the type that is chosen; 406 if none is. */
type Choices = Readonly<Record<string, string>>;

/** Where there is JSON only, by what the values show. */
const ofJson: Readonly<Record<string, Choices>> = {
  'by a range': {
    json: ' | */* | application/* | application/json | APPLICATION/Json | text/html, */*;q=0.1',
    406: 'text/html | text/* | application/problem+json | application/jsonx | application/json+x',
  },
  'in a list': {
    json:
      ',, application/json , | text/html, application/json;q=0.5 | ' +
      'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8',
    406: 'application/xml, text/json',
  },
  'with quotes': {
    json:
      'text/html;x="a,b;c\\"d", application/json | ' + 'application/json;profile="https://a.example/x;y,z"',
    406: 'application/json;x="',
  },
  'with a charset': {
    json:
      'application/json;charset=utf-8 | application/json; charset=UTF-8 | ' +
      'application/json; charset="utf-8" | application/json; charset=utf8 | ' +
      'application/json; charset=iso-8859-1',
  },
  'with parameters that it lacks': {
    json:
      'application/json;version=2 | application/json; indent=4 | */*;level=1 | ' +
      'application/*;level=1, text/html | application/json;odata.metadata=minimal;q=0.9;ext=1',
    406: 'application/json;version',
  },
  'with a weight': {
    json:
      'application/json;q=0.001 | application/json; q=1.000 | application/json;Q=0.5 | ' +
      'application/json;q=.5 | text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
    406:
      'application/json;q=0 | application/json;q=0.000 | application/json;q=.000 | */*;q=0 | ' +
      'application/json;q=. | application/json;q=.2222 | application/json;q= | text/html, *; q=.2',
  },
  'by the most specific range, and of several the highest weight': {
    json:
      '*/*;q=0, application/json | application/*;q=0, application/json;q=0.1 | ' +
      'application/json;q=0, application/json | application/json;version=2;q=0, application/json | ' +
      'application/json, application/json;version=2;q=0',
    406:
      'application/json;q=0, */* | application/*;q=0, */* | */*, application/json;q=0.0 | ' +
      'application/json;version=2;q=0',
  },
  malformed: { 406: 'json | * | */json | application/json/x' },
};

const ofPages: Choices = {
  html:
    ' | */* | text/html | text/* | application/json;q=0.5, text/html;q=0.6 | application/json, text/html | ' +
    '*/*;q=0.1, application/json;q=0.05 | text/html;level=1 | text/html; charset=utf8 | ' +
    'text/html;level=1;q=0, text/html;q=0.5, application/json;q=0.3 | ' +
    'text/html;q=0.1, application/json;q=0.5, text/html',
  json:
    'application/json | application/* | text/html;q=0.5, application/json | application/json, */*;q=0.9 | ' +
    'text/html;q=0, */* | text/*;q=0.2, application/*;q=0.3 | ' +
    'text/*, text/html;q=0.1, application/json;q=0.5 | text/html;level=1;q=0.2, application/json;q=0.3 | ' +
    'text/html;charset=utf-8;q=0.2, text/html;q=0.5, application/json;q=0.3',
  406: 'image/png | text/plain | text/html;q=0, application/json;q=0',
};

const ofFiles: Choices = {
  csv: 'text/csv; header=present | text/csv;header=absent | text/csv;charset=utf8',
  ndjson: 'application/x-ndjson;v=1',
};

/** As programs that collect metrics send it. */
const ofMetrics: Choices = {
  text:
    'text/plain;version=0.0.4 | text/plain; version=0.0.4; charset=utf-8 | text/plain;version="0.0.4" | ' +
    'text/plain;version=1.0.0;escaping=allow-utf-8 | ' +
    'application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.3,*/*;q=0.2 | ' +
    'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited, ' +
    'text/plain;version=0.0.4;q=0.3',
  406: 'text/html',
};

describe('Accept', () => {
  let ada: Person;
  const service = sharedService({}, async (started) => {
    ada = await started.person();
    await newCustomer(started, ada.token);
  });
  const get = (path: string, accept?: string | string[]): Promise<TestResponse> =>
    service().get(path, { token: ada.token, headers: accept === undefined ? {} : { accept } });

  function testChoices(
    what: string,
    paths: readonly string[],
    types: Readonly<Record<string, string>>,
    choices: Choices,
  ): void {
    for (const [chosen, values] of Object.entries(choices))
      for (const accept of values.split(' | '))
        test(`Accept: ${accept} gets ${chosen} where there is ${Object.keys(types).join(' or ')}${what}`, async () => {
          for (const path of paths) assertChosen(await get(path, accept), types[chosen]);
        });
  }

  function assertChosen(response: TestResponse, type: string | undefined): void {
    if (type === undefined) return assertProblem(response, 'not-acceptable');
    assert.deepEqual([response.status, response.headers['content-type']], [200, type]);
  }

  for (const [what, choices] of Object.entries(ofJson)) testChoices(`, ${what}`, jsonPaths, json, choices);
  testChoices('', pagePaths, pages, ofPages);
  testChoices('', ['/customers'], files, ofFiles);
  testChoices('', ['/metrics'], metrics, ofMetrics);

  test('without Accept the first type of a response is chosen', async () => {
    for (const path of jsonPaths) assertChosen(await get(path), pages.json);
    for (const path of pagePaths) assertChosen(await get(path), pages.html);
  });

  test('several lines of Accept are one list', async () => {
    assertChosen(await get('/customers/1', ['text/html', 'application/json']), pages.json);
    assertProblem(await get('/customers/1', ['text/html', 'text/plain']), 'not-acceptable');
  });

  test('a client that accepts only JSON gets no HTML page', async () => {
    assertProblem(await get('/docs', 'application/json'), 'not-acceptable');
  });

  test('a response without content is 204, whatever Accept says', async () => {
    const { id } = await newCustomer(service(), ada.token);
    const headers = { accept: 'text/html' };
    await assertStatus(service().delete(`/customers/${id}`, { token: ada.token, headers }), 204);
  });

  test('a request whose response is not acceptable changes nothing', async () => {
    const before = await get('/customers?total=true');
    const sent = { token: ada.token, headers: { accept: 'text/html' }, body: { name: 'Changed' } };
    assertProblem(await service().post('/customers', sent), 'not-acceptable');
    assertProblem(await service().patch('/customers/1', sent), 'not-acceptable');
    assert.equal((await get('/customers?total=true')).text, before.text);
  });

  test('a caller without the right doesn’t learn the available media types', async () => {
    const headers = { accept: 'image/png' };
    const { token } = ada;
    assertProblem(await service().get('/customers/1', { headers }), 'unauthenticated');
    assertProblem(await service().get('/api/users', { token, headers }), 'forbidden');
    assertProblem(await service().get('/nowhere', { token, headers, isUndescribed: true }), 'not-found');
  });

  test('problems are problem+json, whatever Accept says', async () => {
    for (const accept of ['application/json', 'application/json, application/problem+json;q=0'])
      assertProblem(await get('/customers/999999', accept), 'not-found');
  });
});
