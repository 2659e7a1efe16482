// Compressed documents, by Accept-Encoding (RFC 9110 section 12.5.3).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sharedService } from './http-support.ts';

describe('Accept-Encoding', () => {
  const service = sharedService();
  const ask = (path: string, coding: string, more: Record<string, string> = {}, method = 'GET') =>
    fetch(service().url + path, { method, headers: { 'accept-encoding': coding, ...more } });

  const chosen: readonly (readonly [accept: string, coding: string | null])[] = [
    ['', null],
    ['identity', null],
    ['br', 'br'],
    ['BR', 'br'],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['*', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip;q=0, *', 'br'],
    ['br;q=0, *;q=0.5', 'gzip'],
    ['br;q=0, gzip;q=0.000', null],
    ['br;q=0.5, identity', null],
    ['br;q=0.5, identity;q=0.5', 'br'],
    ['deflate, zstd', null],
    ['*;q=0', null],
    ['identity;q=0', null],
    ['identity;q=0, gzip ; q=0.1', 'gzip'],
    ['br;q=2, gzip;q=x', null],
    ['br;level=1', null],
  ];
  for (const [accept, coding] of chosen) {
    test(`${JSON.stringify(accept)} is sent ${coding ?? 'plain'} documents`, async () => {
      for (const path of ['/openapi.json', '/docs', '/', '/problems', '/problems/not-found']) {
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
    for (const coding of ['identity', 'gzip', 'br']) {
      const etag = (await ask('/openapi.json', coding)).headers.get('etag') ?? '';
      assert.match(etag, /^"[\w-]+"$/);
      tags.add(etag);
      for (const other of ['identity', 'gzip', 'br']) {
        const again = await ask('/openapi.json', other, { 'if-none-match': etag });
        assert.equal(again.status, other === coding ? 304 : 200);
        assert.equal(again.headers.get('vary'), 'Accept, Authorization, X-API-Key, Accept-Encoding');
        if (again.status === 304) assert.equal(again.headers.get('content-encoding'), null);
      }
    }
    assert.equal(tags.size, 3);
  });

  test('HEAD has the fields of GET in each coding', async () => {
    for (const coding of ['identity', 'gzip', 'br']) {
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
      const response = await ask(path, 'br', {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
      });
      assert.equal(response.headers.get('content-encoding'), null, path);
      await response.text();
    }
  });
});
