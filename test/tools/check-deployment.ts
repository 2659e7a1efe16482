// Starts what the page "Deployment" shows, from its own text: `npm run check:deployment`. Each proxy is tried by
// HTTP/1.1 and HTTP/2 with what shops do and with what proxies make of requests. What isn't installed is named and fails:
// on Debian `apt-get install nginx caddy haproxy apache2 curl openssl bubblewrap python3-seccomp`.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startChild, type ChildService } from '../support/child-service.ts';
import { freePort } from '../support/free-port.ts';
import { pageOf } from '../support/page-blocks.ts';
import { admin } from '../support/service.ts';
import { checkContainer } from './check-deployment/container.ts';
import { isInstalled, proxies, startProxy, type Proxy } from './check-deployment/proxies.ts';
import { protocols, ProxyClient, type Answered } from './check-deployment/proxy-client.ts';
import { checkUnit } from './check-deployment/systemd-unit.ts';

const importLines = 10_000;
const writers = 4;
const eventMillisecondsMax = 5_000;

const folder = mkdtempSync(join(tmpdir(), 'orderly-deployment-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

for (const proxy of proxies) await report(proxy.name, () => checkProxy(proxy));
await report('container', () => checkContainer(join(folder, 'container')));
await report('systemd unit', () => checkUnit(join(folder, 'unit')));

/** Prints one line: what was seen, or why it failed. */
async function report(name: string, check: () => string | Promise<string>): Promise<void> {
  try {
    const seen = await check();
    if (seen !== '') console.log(`${name}: ${seen}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`${name}: FAILED: ${error instanceof Error ? error.message.slice(0, 1_000) : String(error)}`);
  }
}

async function checkProxy(proxy: Proxy): Promise<string> {
  assert(isInstalled(proxy.program), `${proxy.program} isn't installed`);
  const data = join(folder, proxy.program, 'data');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const service = await restartable(data, await freePort());
  const running = await startProxy(proxy, join(folder, proxy.program, 'proxy'), service.port);
  try {
    for (const protocol of protocols) {
      const client = new ProxyClient(running, protocol);
      const checks: readonly [string, () => Promise<string>][] = [
        ['requests', () => checkRequests(client, service)],
        ['stream', () => checkStream(client)],
        ['upload', () => checkUpload(client)],
        ['restart under load', () => checkRestart(client, service)],
      ];
      for (const [name, check] of checks) await report(`${proxy.name}, ${protocol}, ${name}`, check);
    }
    return '';
  } finally {
    await running.stop();
    await service.stop();
  }
}

/** The service behind a proxy, always on one port: as the page starts it, but without rates. */
type Restartable = {
  readonly port: number;
  written(): string;
  start(): Promise<void>;
  stop(): Promise<void>;
};

async function restartable(folder: string, port: number): Promise<Restartable> {
  const [, flags = ''] = /^orderly then runs with `(.*)`/m.exec(pageOf('deployment.md')) ?? [];
  const settings = Object.fromEntries(
    Array.from(flags.matchAll(/--(\S+) (\S+)/g), ([, flag = '', value = '']) => [flag, value]),
  );
  const begin = (): Promise<ChildService> =>
    startChild({ folder, settings: { ...settings, port: String(port) } });
  let child = await begin();
  return {
    port,
    written: () => child.written(),
    async start() {
      child = await begin();
    },
    async stop() {
      const { code, signal } = await child.kill('SIGTERM');
      assert.equal(code, 0, `the service ended with ${signal ?? code}`);
    },
  };
}

async function checkRequests(client: ProxyClient, service: Restartable): Promise<string> {
  const token = await signIn(client);
  const customer = await created(client, '/customers', token, { name: 'Grace Hopper' });
  const path = `/customers/${customer}`;
  // what a proxy makes of a request by HTTP/2, and some clients of every request
  const empty = (method: string, target: string): Promise<Answered> =>
    client.ask(target, { method, token, chunked: '' });
  await expect(empty('GET', path), 200);
  await expect(empty('GET', '/health/ready'), 200);
  const { id: userId } = JSON.parse((await expect(client.ask('/api/users?limit=1', { token }), 200)).text)
    .data[0];
  await expect(empty('POST', `/api/users/${userId}/totp`), 201);
  await expect(empty('DELETE', path), 204);
  await placeOrder(client, token);
  await checkTag(client, token);
  await expect(client.ask('/metrics', { token }), 403);
  await expect(client.ask('/%6detrics', { token }), 403);
  const live = await client.ask('/health/live');
  assert.equal(live.headers['strict-transport-security'], 'max-age=31536000');
  await checkClientAddress(client, service);
  return 'sign-in, empty bodies (GET, POST, DELETE), order, tags, /metrics closed, the client’s address are right';
}

/** The tag of a compressed answer, if the proxy compresses it, changes the object. */
async function checkTag(client: ProxyClient, token: string): Promise<void> {
  const note = 'Please ring twice. '.repeat(80).trim();
  const path = `/customers/${await created(client, '/customers', token, { name: 'Ada', note })}`;
  const { headers, text } = await expect(
    client.ask(path, { token, headers: { 'accept-encoding': 'gzip' } }),
    200,
  );
  assert.equal(JSON.parse(text).note, note);
  const match = { 'if-match': String(headers['etag']) };
  const body = { name: 'Ada Lovelace' };
  await expect(client.ask(path, { method: 'PATCH', token, headers: match, body }), 200);
  await expect(client.ask(path, { method: 'PATCH', token, headers: match, body: { name: 'Ada' } }), 412);
}

async function checkClientAddress(client: ProxyClient, service: Restartable): Promise<void> {
  const headers = {
    'x-forwarded-for': '192.0.2.9',
    'x-forwarded-proto': 'http',
    forwarded: 'for=192.0.2.9;proto=http',
  };
  const body = { email: admin.email, password: 'this is wrong' };
  const localAddress = `127.0.${randomInt(1, 255)}.${randomInt(1, 255)}`; // another one each time
  await expect(client.ask('/api/sessions', { method: 'POST', body, headers, localAddress }), 401);
  // the log is read as it arrives
  const failures = (): string[] => service.written().match(/^.*authn_login_fail.*$/gm) ?? [];
  await arrives(() => failures().join('\n'), `"${localAddress}"`);
}

async function checkStream(client: ProxyClient): Promise<string> {
  const token = await signIn(client);
  const stream = await client.stream('/events', { token, headers: { accept: 'text/event-stream' } });
  try {
    await arrives(stream.arrived, 'text/event-stream');
    const before = performance.now();
    await placeOrder(client, token);
    await arrives(stream.arrived, 'event: order.created');
    return `an event after ${Math.round(performance.now() - before)} ms, the order included`;
  } finally {
    stream.end();
  }
}

async function arrives(arrived: () => string, text: string): Promise<void> {
  const late = performance.now() + eventMillisecondsMax;
  while (!arrived().includes(text)) {
    assert(performance.now() < late, `${text} doesn't arrive, but ${arrived()}`);
    await pause(10);
  }
}

/** With and without Content-Length. */
async function checkUpload(client: ProxyClient): Promise<string> {
  const token = await signIn(client);
  const note = 'Leave it with the neighbours. '.repeat(10).trim();
  const line = (key: number): string => JSON.stringify({ key: `c${key}`, customer: { name: 'Ada', note } });
  const text = Array.from({ length: importLines }, (_, index) => line(index)).join('\n');
  for (const sent of [{ chunked: text }, { body: text }]) {
    const asked = { method: 'POST', token, headers: { 'content-type': 'application/x-ndjson' }, ...sent };
    const answer = await expect(client.ask('/imports?dryRun=true', asked), 200);
    const good = answer.text.match(/"result":"created"/g)?.length;
    assert.equal(good, importLines, `of ${importLines} lines: ${answer.text.slice(-300)}`);
  }
  return `${(text.length / 1e6).toFixed(1)} MB with and without Content-Length`;
}

/** Orders by several clients, while the service is stopped and started. */
async function checkRestart(client: ProxyClient, service: Restartable): Promise<string> {
  const token = await signIn(client);
  const customerId = await created(client, '/customers', token, { name: 'Grace Hopper' });
  const acknowledged: number[] = [];
  const errors = new Map<number, number>();
  let isOver = false;
  const write = async (): Promise<void> => {
    while (!isOver) {
      const answer = await client.ask('/orders', { method: 'POST', token, body: orderOf(customerId) });
      if (answer.status === 201) acknowledged.push(JSON.parse(answer.text).id);
      else errors.set(answer.status, (errors.get(answer.status) ?? 0) + 1);
    }
  };
  const loops = Array.from({ length: writers }, write);
  const all = Promise.all(loops);
  all.catch(() => (isOver = true)); // it is thrown below
  await pause(1_000);
  await service.stop();
  await pause(300);
  await service.start();
  const afterStart = acknowledged.length;
  await pause(1_500);
  isOver = true;
  await all;
  assert(acknowledged.length > afterStart, 'no order was placed after the start');
  const unexpected = [...errors.keys()].filter((status) => ![502, 503, 504].includes(status));
  assert.deepEqual(unexpected, [], 'other errors than 502, 503 and 504');
  const listed = await fetch(`http://127.0.0.1:${service.port}/orders?customerId=${customerId}`, {
    headers: { authorization: `Bearer ${token}`, accept: 'application/x-ndjson' },
  });
  const lines = (await listed.text()).trim().split('\n');
  const kept = new Set(lines.map((line) => JSON.parse(line).id));
  assert.deepEqual(
    acknowledged.filter((id) => !kept.has(id)),
    [],
    'acknowledged orders are lost',
  );
  const refused = Array.from(errors, ([status, count]) => `${count} times ${status}`).join(', ');
  return `all of ${acknowledged.length} acknowledged orders are there; ${refused || 'no error'}`;
}

async function signIn(client: ProxyClient): Promise<string> {
  const { text } = await expect(client.ask('/api/sessions', { method: 'POST', body: admin }), 201);
  return JSON.parse(text).accessToken;
}

async function created(client: ProxyClient, path: string, token: string, body: object): Promise<number> {
  return JSON.parse((await expect(client.ask(path, { method: 'POST', token, body }), 201)).text).id;
}

async function placeOrder(client: ProxyClient, token: string): Promise<void> {
  const customerId = await created(client, '/customers', token, { name: 'Ada Lovelace' });
  const id = await created(client, '/orders', token, orderOf(customerId));
  await expect(client.ask(`/orders/${id}`, { token }), 200);
}

function orderOf(customerId: number): object {
  return { customerId, currency: 'EUR', items: [{ name: 'Green tea', quantity: 2, unitPrice: 749 }] };
}

async function expect(answering: Promise<Answered>, status: number): Promise<Answered> {
  const answer = await answering;
  assert.equal(answer.status, status, answer.text.slice(0, 500));
  return answer;
}
