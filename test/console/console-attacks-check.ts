// Attacks by pages of other origins, in a real browser in which another tab is signed in to the console.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { admin } from '../support/service.ts';
import { openShop } from './console-shop.ts';

test('pages of others', { timeout: 120_000 }, async (t) => {
  const { service, tab, person } = await openShop(t);
  await tab.open(`${service.url}/console`);
  await person.signIn(service.url, admin);
  await person.see('Today');
  const other = await tab.another();
  const staysSignedIn = async (): Promise<void> => {
    await tab.open('about:blank');
    await tab.open(`${service.url}/console#/orders/1`);
    await person.see('Order 1');
  };

  await t.test('cannot put the console into a frame', async () => {
    await other.open(await pageWith(t, `<iframe src="${service.url}/console"></iframe>`));
    const { frameTree } = await other.send('Page.getFrameTree');
    // as the protocol documents it
    const { childFrames = [] } = frameTree as { childFrames?: { frame: { unreachableUrl?: string } }[] };
    assert.equal(childFrames.length, 1);
    assert.equal(childFrames[0]?.frame.unreachableUrl, `${service.url}/console`);
  });

  await t.test('get no tokens with the cookie, and do not end the session', async () => {
    await other.open(await pageWith(t, ''));
    const path = `${service.url}/api/sessions/current/tokens`;
    const body = JSON.stringify({ browserKey: 'A'.repeat(43) });
    const withJson = `fetch('${path}', { method: 'POST', credentials: 'include', body: '${body}',
      headers: { 'Content-Type': 'application/json' } }).then(({ status }) => status, String)`;
    assert.match(String(await other.evaluate(withJson)), /TypeError/);
    const withoutCors = `fetch('${path}', { method: 'POST', credentials: 'include', mode: 'no-cors',
      body: '${body}' }).then(({ type }) => type)`;
    assert.equal(await other.evaluate(withoutCors), 'opaque');
    await staysSignedIn();
  });

  await t.test(
    'on another port get the cookie, which renews nothing without the key of the page',
    async () => {
      const received: string[] = [];
      await other.open(await pageWith(t, '', ({ headers }) => received.push(headers.cookie ?? '')));
      const [cookie = ''] = received;
      assert.match(cookie, /^__Host-Http-orderly-\d+=\d/, 'browsers send it to every port');
      for (const [body, status] of [
        [{}, 400],
        [{ browserKey: 'A'.repeat(43) }, 401],
      ] as const) {
        const headers = { cookie, 'sec-fetch-site': 'same-origin' };
        const renewal = await service.post('/api/sessions/current/tokens', { headers, body });
        assert.equal(renewal.status, status);
      }
      await staysSignedIn();
    },
  );

  await t.test('on another port set the cookie, but let nobody work as somebody else', async () => {
    const eve = await service.person('admin', 'Eve');
    const { email, password } = eve;
    const signedIn = await service.post('/api/sessions', { body: { email, password, cookie: true } });
    await other.open(
      await pageWith(t, '', (_request, response) =>
        response.setHeader('Set-Cookie', signedIn.headers['set-cookie'] ?? ''),
      ),
    );
    await tab.open('about:blank');
    await tab.open(`${service.url}/console#/orders/1`);
    await tab.until('document.querySelector("input[type=password]")');
    await person.signIn(service.url, admin);
  });

  await t.test('under another name of the same address are not signed in', async () => {
    const { port } = new URL(service.url);
    await other.open(`http://rebound.localhost:${port}/console`); // resolves to the loopback address
    await other.until('document.querySelector("input[type=password]")');
    const body = JSON.stringify({ browserKey: 'A'.repeat(43) });
    const renewal = `fetch('/api/sessions/current/tokens', { method: 'POST', body: '${body}',
      headers: { 'Content-Type': 'application/json' } }).then(({ status }) => status)`;
    assert.equal(await other.evaluate(renewal), 401);
    await staysSignedIn();
  });

  tab.complaints.splice(0); // of what it has blocked
});

/** The URL of a page with its own origin. */
async function pageWith(
  t: TestContext,
  markup: string,
  before: (request: IncomingMessage, response: ServerResponse) => void = () => {},
): Promise<string> {
  const server = createServer((request, response) => {
    before(request, response);
    response.setHeader('Content-Type', 'text/html').end(`<!doctype html><title>x</title>${markup}`);
  });
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return `http://127.0.0.1:${port}/`;
}
