// Compressed documents, by Accept-Encoding (RFC 9110 section 12.5.3).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedService } from '../../support/http-support.ts';

describe('Accept-Encoding', () => {
  const service = sharedService();
  const ask = (path: string, coding: string, more: Record<string, string> = {}, method = 'GET') =>
    fetch(service().url + path, { method, headers: { 'accept-encoding': coding, ...more } });

  const chosen: readonly (readonly [accept: string, coding: string | null])[] = [
    ['', null],
    ['identity', null],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate, br, zstd', 'gzip'],
    ['br;q=1.0, gzip;q=0.5', 'gzip'],
    ['identity;q=0, gzip ; q=0.1', 'gzip'],
    ['gzip;q=0.001', 'gzip'],
    ['gzip;q=0, *', null],
    ['br, gzip;q=0.000', null],
    ['deflate, zstd', null],
    ['*', null],
    ['identity;q=0', null],
    ['gzip;q=x', null],
    ['gzip;level=1', null],
  ];
  for (const [accept, coding] of chosen) {
    test(`Accept-Encoding ${JSON.stringify(accept)} gets ${coding ?? 'plain'} documents`, async () => {
      const isUsual = accept === 'identity' || accept === 'gzip';
      for (const path of isUsual
        ? ['/openapi.json', '/docs', '/', '/problems', '/problems/not-found']
        : ['/docs']) {
        const plain = await service().get(path, { headers: { accept: '*/*' } });
        const response = await ask(path, accept);
        assert.equal(response.headers.get('content-encoding'), coding, path);
        assert.equal(response.headers.get('vary'), 'Accept, Authorization, X-API-Key, Accept-Encoding');
        assert.equal(plain.headers['content-encoding'], undefined);
        assert.equal(await response.text(), plain.text);
        const length = Number(response.headers.get('content-length'));
        assert.ok(
          coding === null ? length === Buffer.byteLength(plain.text) : length < plain.text.length / 2,
        );
      }
    });
  }

  test('each coding has its own strong ETag, which gives 304', async () => {
    const tags = new Set<string>();
    for (const coding of ['identity', 'gzip']) {
      const etag = (await ask('/openapi.json', coding)).headers.get('etag') ?? '';
      assert.match(etag, /^"[\w-]+"$/);
      tags.add(etag);
      for (const other of ['identity', 'gzip']) {
        const again = await ask('/openapi.json', other, { 'if-none-match': etag });
        assert.equal(again.status, other === coding ? 304 : 200);
        assert.equal(again.headers.get('vary'), 'Accept, Authorization, X-API-Key, Accept-Encoding');
        if (again.status === 304) assert.equal(again.headers.get('content-encoding'), null);
      }
    }
    assert.equal(tags.size, 2);
  });

  test('HEAD has the fields of GET in each coding', async () => {
    for (const coding of ['identity', 'gzip']) {
      const [get, head] = [await ask('/docs', coding), await ask('/docs', coding, {}, 'HEAD')];
      assert.equal(await head.text(), '');
      for (const name of ['etag', 'content-length', 'content-encoding', 'content-type', 'vary'])
        assert.equal(head.headers.get(name), get.headers.get(name), `${coding} ${name}`);
      await get.arrayBuffer();
    }
  });

  test('small and private responses are not compressed', async () => {
    const { token } = await service().person();
    for (const path of ['/problems/not-found', '/health/live', '/customers']) {
      const response = await ask(path, 'gzip', {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
      });
      assert.equal(response.headers.get('content-encoding'), null, path);
      await response.text();
    }
  });
});
