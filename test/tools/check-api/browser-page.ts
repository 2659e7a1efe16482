// A page in a real browser, of an origin that the service lists, with what the tools of pages add to each request.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { openTab } from '../../support/browser.ts';
import { baseUrlOf, signedIn, startIn, withFolder } from './local-service.ts';

/** What Sentry, OpenTelemetry, Datadog, jQuery and caches add. */
const foreignHeaders = {
  'sentry-trace': '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1',
  baggage: 'sentry-environment=production,sentry-release=1.0',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'rojo=00f067aa0ba902b7',
  'x-datadog-trace-id': '1234',
  'x-requested-with': 'XMLHttpRequest',
  'cache-control': 'no-cache',
};

export type Page = { readonly origin: string; stop(): Promise<void> };

/** A server of one empty page. */
export async function startPage(): Promise<Page> {
  const server = createServer((_, response) =>
    response.setHeader('Content-Type', 'text/html').end('<title>page</title>'),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await once(server.close(), 'close');
  };
  return { origin: `http://127.0.0.1:${port}`, stop };
}

/** Returns what a page of a listed origin can't do, and what one of another origin can. */
export async function walkInBrowser(): Promise<string[]> {
  const [listed, other] = [await startPage(), await startPage()];
  const tab = await openTab();
  try {
    return await withFolder(async (folder) => {
      const service = await startIn(join(folder, 'data'), ['--port=0', `--cors-origins=${listed.origin}`]);
      try {
        const call = await signedIn(baseUrlOf(service));
        const { key } = (await (
          await call('POST', '/api/keys', { name: 'page', scopes: ['customers:read', 'customers:write'] })
        ).json()) as { key: string }; // as documented
        const walk = `(${walkOfPage.toString()})(${JSON.stringify({ baseUrl: baseUrlOf(service), key, foreignHeaders })})`;
        await tab.open(listed.origin);
        const violations = await tab.evaluate<string[]>(walk);
        await tab.open(other.origin);
        const ofOther = await tab.evaluate<string[]>(walk);
        if (ofOther.length !== 1) violations.push('a page of another origin is answered');
        return violations;
      } finally {
        await service.stop();
      }
    });
  } finally {
    await tab.close();
    await listed.stop();
    await other.stop();
  }
}

type Given = {
  readonly baseUrl: string;
  readonly key: string;
  readonly foreignHeaders: Readonly<Record<string, string>>;
};

/** Runs in the page, so it uses no name from outside. */
async function walkOfPage({ baseUrl, key, foreignHeaders }: Given): Promise<string[]> {
  const violations: string[] = [];
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json', ...foreignHeaders };
  const ask = (
    method: string,
    path: string,
    body?: object,
    more: Record<string, string> = {},
  ): Promise<Response> =>
    fetch(baseUrl + path, {
      method,
      headers: { ...headers, ...more },
      body: body === undefined ? null : JSON.stringify(body),
    });
  try {
    const made = await ask('POST', '/customers', { name: 'Grace Hopper' }, { 'Idempotency-Key': 'page-1' });
    const location = made.headers.get('location') ?? '';
    const tag = made.headers.get('etag') ?? '';
    if (made.status !== 201 || location === '' || tag === '')
      violations.push(`POST: ${made.status} ${location} ${tag}`);
    const changed = await ask('PATCH', location, { note: 'Rings twice.' }, { 'If-Match': tag });
    if (changed.status !== 200) violations.push(`PATCH: ${changed.status}`);
    const list = await ask('GET', '/customers?limit=1');
    for (const name of ['X-Request-Id', 'RateLimit', 'ETag'])
      if (list.headers.get(name) === null) violations.push(`GET: ${name} can't be read`);
    const missing = await ask('GET', '/nowhere');
    if (missing.status !== 404) violations.push(`a 404 is ${missing.status}`);
  } catch (error) {
    violations.push(String(error));
  }
  return violations;
}
