// Checks what a real service sends over TLS with the verifier of Standard Webhooks' own library: `npm run
// check:webhooks`. npx fetches the library. (`integrators.test.ts` tries the receiver of the integrators' page.)
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { issueCertificate, createAuthority } from '../../../src/auth/certificate.ts';
import { admin } from '../../support/service.ts';
import { startChild, type ChildService } from '../../support/child-service.ts';
import { Receiver } from './receiver.ts';
import { folderWith } from '../../tools/check-api/outside-tools.ts';

type Verifier = { verify(body: string, headers: Readonly<Record<string, string>>): unknown };
type Library = { readonly Webhook: new (secret: string) => Verifier };

const orders = 100;
const folder = mkdtempSync(join(tmpdir(), 'orderly-check-'));
const endings: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
try {
  await checkDeliveries();
} finally {
  for (const end of endings.reverse()) await end();
}

async function checkDeliveries(): Promise<void> {
  const tools = folderWith('standardWebhooks', folder);
  const library = join(tools, 'node_modules/standardwebhooks/dist/index.js');
  const { default: loaded } = (await import(pathToFileURL(library).href)) as { default: Library };
  const now = Date.now();
  const authority = createAuthority(['localhost'], { now, owner: 'this machine' });
  const { certPem: cert, keyPem: key } = issueCertificate(['localhost'], authority, now);
  const authorityFile = join(folder, 'ca.pem');
  writeFileSync(authorityFile, authority.certPem);
  const after = (end?: unknown): void => void endings.push(end as () => unknown); // called without a context
  const receiver = await Receiver.start({ after }, { tls: { cert, key } });
  const service = await startChild({
    folder,
    settings: { 'webhook-allow': '127.0.0.1,::1' },
    // a proxy that doesn't exist: nothing would arrive through it
    environment: {
      NODE_EXTRA_CA_CERTS: authorityFile,
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: 'http://127.0.0.1:9',
    },
  });
  endings.push(() => service.kill('SIGTERM'));
  const { call, secret, path } = await webhookTo(service, receiver.url('localhost'));
  const old = new loaded.Webhook(secret);
  await receive(receiver, [old], { call, count: 1 });
  const { secret: newSecret } = await call('POST', `${path}/secrets`);
  const begin = performance.now();
  await receive(receiver, [old, new loaded.Webhook(newSecret)], { call, count: orders });
  const seconds = (performance.now() - begin) / 1000;
  assert.throws(() =>
    new loaded.Webhook('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD7zQ0Bz1pbR8=').verify('{}', {}),
  );
  console.log(`standardwebhooks accepts ${orders + 1} deliveries over TLS (${seconds.toFixed(1)} s)`);
}

/** The members of responses that are read. */
type Body = {
  readonly id: number;
  readonly secret: string;
  readonly accessToken: string;
};
type Caller = (method: 'GET' | 'POST', path: string, body?: object) => Promise<Body>;

type Hook = { readonly call: Caller; readonly secret: string; readonly path: string };

async function webhookTo({ port }: ChildService, url: string): Promise<Hook> {
  let token = '';
  const call: Caller = async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token === '' ? {} : { authorization: token }) },
      body: body === undefined ? null : JSON.stringify(body),
    });
    assert.ok(response.ok, await response.clone().text());
    return (await response.json()) as Body; // of these routes
  };
  const { email, password } = admin;
  token = `Bearer ${(await call('POST', '/api/sessions', { email, password })).accessToken}`;
  const { id, secret } = await call('POST', '/webhooks', { url, types: ['order.created'] });
  return { call, secret, path: `/webhooks/${id}` };
}

async function placeOrder(call: Caller): Promise<void> {
  const { id: customerId } = await call('POST', '/customers', { name: 'Grace Hopper' });
  const items = [{ name: 'Größe: ☕, "tea"', quantity: 1, unitPrice: 749 }];
  await call('POST', '/orders', { customerId, currency: 'EUR', items });
}

/** Places so many orders; all receivers verify each delivery. */
async function receive(
  receiver: Receiver,
  verifiers: readonly Verifier[],
  { call, count }: { readonly call: Caller; readonly count: number },
): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await placeOrder(call);
    const { text, headers, answer, event } = await receiver.next();
    const fields = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    for (const verifier of verifiers) assert.deepEqual(verifier.verify(text, fields), event);
    answer(204);
  }
}
