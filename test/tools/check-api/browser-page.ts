// A page in a real browser, of an origin that the service lists, with what the tools of pages add to each request.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { openTab } from '../../support/browser.ts';
import { newKey, rootToken } from '../../support/resource-support.ts';
import { withService } from '../../support/service.ts';

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

/** A server of one empty page. */
export async function startPage(): Promise<{ readonly origin: string } & AsyncDisposable> {
  const server = createServer((_, response) =>
    response.setHeader('Content-Type', 'text/html').end('<title>page</title>'),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

/** Returns what a page of a listed origin can't do, and what one of another origin can. */
export async function walkInBrowser(settings: Readonly<Record<string, string>>): Promise<string[]> {
  await using listed = await startPage();
  await using other = await startPage();
  const tab = await openTab();
  try {
    return await withService(
      { settings: { ...settings, 'cors-origins': listed.origin } },
      async (service) => {
        const scopes = ['customers:read', 'customers:write'];
        const { key } = await newKey(service, await rootToken(service), { scopes });
        const given = { baseUrl: service.url, key, foreignHeaders };
        const walk = `(${walkOfPage.toString()})(${JSON.stringify(given)})`;
        await tab.open(listed.origin);
        const violations = await tab.evaluate<string[]>(walk);
        await tab.open(other.origin);
        const ofOther = await tab.evaluate<string[]>(walk);
        return ofOther.length === 1 ? violations : [...violations, 'a page of another origin is answered'];
      },
    );
  } finally {
    await tab.close();
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
  const own = { 'X-API-Key': key, 'Content-Type': 'application/json', ...foreignHeaders };
  const ask = (method: string, path: string, more: object = {}, body?: object): Promise<Response> => {
    const headers = { ...own, ...more };
    return fetch(baseUrl + path, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
  };
  try {
    const made = await ask('POST', '/customers', { 'Idempotency-Key': 'page-1' }, { name: 'Grace Hopper' });
    const location = made.headers.get('location') ?? '';
    const tag = made.headers.get('etag') ?? '';
    if (made.status !== 201 || location === '' || tag === '')
      violations.push(`POST: ${made.status} ${location} ${tag}`);
    const changed = await ask('PATCH', location, { 'If-Match': tag }, { note: 'Rings twice.' });
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
