// The paths to the documentation, and that no text of a route becomes markup there.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { empty } from '../../../src/http/routing/reply.ts';
import { route } from '../../../src/http/routing/route.ts';
import { anyone } from '../../../src/auth/access.ts';
import { insideOnly, serviceFor } from '../../support/service.ts';
import { sharedService } from '../../support/http-support.ts';
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
});

test('descriptions of routes are escaped on the page', insideOnly, async (t) => {
  const nasty = route({
    method: 'DELETE',
    path: '/nasty/{id}',
    tag: 'Service',
    summary: '</a><script>alert("1")</script>',
    description: 'A `<b>` & "c" \'d\'\n\n<i>',
    access: anyone,
    reply: { kind: 'none' },
    handle: () => empty,
  });
  const service = await serviceFor(t, { extraRoutes: [nasty] });
  const { text } = await service.get('/docs');
  assert.ok(!text.includes('<script>alert'));
  assert.ok(textOf(text).includes('</a><script>alert("1")</script>'));
  assert.ok(textOf(text).includes('A <b> & "c" \'d\''));
  tagsOf(text);
});
