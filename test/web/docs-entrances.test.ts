// The paths to the documentation, and that no text of a route becomes markup there.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { empty } from '../../src/http/handler-result.ts';
import { noContent } from '../../src/http/reply.ts';
import { route } from '../../src/http/route.ts';
import { anyone } from '../../src/auth/access.ts';
import { executable, serviceFor } from '../service.ts';
import { sharedService } from '../http/http-support.ts';
import { tagsOf, textOf } from './markup.ts';

describe('the documentation', () => {
  const service = sharedService();

  test('the root leads to the documentation', async () => {
    const home = await service().get('/');
    assert.equal(home.text, (await service().get('/docs')).text);
    assert.equal(
      (await service().get('/', { headers: { 'if-none-match': home.headers.etag ?? '' } })).status,
      304,
    );
    assert.equal((await service().get('/docs', { headers: { accept: 'application/json' } })).status, 406);
  });

  test('the API catalog links to description, documentation and health', async () => {
    const { status, headers, text } = await service().get('/.well-known/api-catalog');
    assert.equal(status, 200);
    assert.equal(
      headers['content-type'],
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    );
    assert.equal(
      (await service().call('HEAD', '/.well-known/api-catalog')).headers.link,
      '</.well-known/api-catalog>; rel="api-catalog"',
    );
    const [{ anchor, ...relations }] = JSON.parse(text).linkset;
    assert.deepEqual(Object.keys(relations), ['service-desc', 'service-doc', 'status']);
    for (const [{ href, type }] of Object.values<[{ href: string; type: string }]>(relations)) {
      assert.ok(href.startsWith(anchor));
      const response = await service().get(href.slice(anchor.length - 1));
      assert.equal(response.status, 200, href);
      assert.ok(response.headers['content-type']?.startsWith(type), href);
    }
  });
});

test('descriptions of routes are escaped on the page', { skip: executable !== undefined }, async (t) => {
  const nasty = route({
    method: 'DELETE',
    path: '/nasty/{id}',
    tag: 'Service',
    summary: '</a><script>alert("1")</script>',
    description: 'A `<b>` & "c" \'d\'\n\n<i>',
    access: anyone,
    reply: noContent(),
    handle: () => empty,
  });
  const service = await serviceFor(t, { extraRoutes: [nasty] });
  const { text } = await service.get('/docs');
  assert.ok(!text.includes('<script>alert'));
  assert.ok(textOf(text).includes('</a><script>alert("1")</script>'));
  assert.ok(textOf(text).includes('A <b> & "c" \'d\''));
  tagsOf(text);
});
