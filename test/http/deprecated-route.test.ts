// A deprecated route, in the OpenAPI document and in its responses.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { anyone, signedIn } from '../../src/auth/access.ts';
import { jsonDocument, empty } from '../../src/http/handler-result.ts';
import { noContent, revalidatedDocument } from '../../src/http/reply.ts';
import { route } from '../../src/http/route.ts';
import { boolean, named, object } from '../../src/schema/schema.ts';
import { serviceFor } from '../service.ts';
import { type Response, operationsOf, follow } from './openapi-support.ts';

suite('a deprecated route', () => {
  const since = new Date('2026-01-01T00:00:00Z');
  const sunset = new Date('2027-01-01T00:00:00Z');
  const Relic = named('Relic', object({ isOld: boolean() }));
  const extraRoutes = [
    route({
      method: 'GET',
      path: '/api/relics',
      tag: 'Service',
      summary: 'What is old',
      access: anyone,
      reply: revalidatedDocument(Relic),
      deprecated: { since, sunset, see: 'https://localhost:8443/docs' },
      handle: () => jsonDocument({ isOld: true }),
    }),
    route({
      method: 'DELETE',
      path: '/api/relics',
      tag: 'Service',
      summary: 'Throw away what is old',
      access: signedIn,
      reply: noContent(),
      deprecated: { since },
      handle(context) {
        context.checkPrecondition(undefined);
        return empty;
      },
    }),
  ];

  test('has that in every response: since when, until when, and where to read about it', async (t) => {
    const service = await serviceFor(t, { extraRoutes });
    if (service.inside === undefined) return t.skip('needs a route of its own');
    const first = await service.get('/api/relics');
    const responses = [
      first,
      await service.get('/api/relics', { headers: { 'if-none-match': first.headers.etag ?? '' } }),
      await service.get('/api/relics?no=1'),
    ];
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 304, 400],
    );
    for (const { headers } of responses) {
      assert.equal(headers['deprecation'], '@1767225600'); // RFC 9745: a date as in RFC 9651
      assert.equal(headers['sunset'], 'Fri, 01 Jan 2027 00:00:00 GMT'); // RFC 8594: an HTTP date
      assert.match(
        String(headers.link),
        /<https:\/\/localhost:8443\/docs>; rel="deprecation"; type="text\/html"/,
      );
    }
  });

  test('without an end names none', async (t) => {
    const service = await serviceFor(t, { extraRoutes });
    if (service.inside === undefined) return t.skip('needs a route of its own');
    const { token } = await service.person();
    const responses = [await service.delete('/api/relics', { token }), await service.delete('/api/relics')];
    assert.deepEqual(
      responses.map(({ status, headers }) => [
        status,
        headers['deprecation'],
        headers['sunset'],
        headers.link,
      ]),
      [
        [204, '@1767225600', undefined, undefined],
        [401, '@1767225600', undefined, undefined],
      ],
    );
  });

  test('is deprecated in the document, with the fields; no other operation is', async (t) => {
    const service = await serviceFor(t, { extraRoutes });
    if (service.inside === undefined) return t.skip('needs a route of its own');
    const { body: document } = await service.get('/openapi.json');
    for (const { path, operation } of operationsOf(document)) {
      assert.equal(operation.deprecated, path === '/api/relics' ? true : undefined, path);
      for (const listed of Object.values(operation.responses)) {
        const { headers } = follow<Response>(document, listed);
        assert.equal('Deprecation' in headers && 'Sunset' in headers, path === '/api/relics', path);
      }
    }
    assert.match(document.components.headers.Deprecation.description, /RFC 9745/);
    assert.match(document.components.headers.Sunset.description, /RFC 8594/);
  });

  test('is the only kind of route for which the document has these header fields', async (t) => {
    const { body: document } = await (await serviceFor(t)).get('/openapi.json');
    assert.deepEqual(
      Object.keys(document.components.headers).filter((name) => name === 'Deprecation' || name === 'Sunset'),
      [],
    );
  });
});
