// Where the requests of webhooks go, tried with real sockets: names, addresses and certificates.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import * as net from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { createAuthority, issueCertificate } from '../../../src/auth/certificate.ts';
import type { AddressLookup } from '../../../src/base/addresses.ts';
import { sendPost, type PostResult } from '../../../src/features/webhooks/outgoing-posts.ts';
import { WebhookTargets } from '../../../src/features/webhooks/webhook-targets.ts';
import { addressesInTurn, noAddress } from '../../support/receiver-names.ts';
import { Receiver } from './receiver.ts';

type Sending = {
  readonly allowed?: readonly string[];
  /** Without it no name has an address; null for the system's own. */
  readonly lookup?: AddressLookup | null;
  readonly authorities?: readonly string[];
};

function posting({ allowed = [], lookup = noAddress, authorities }: Sending) {
  const targets = new WebhookTargets(allowed);
  const { signal } = new AbortController();
  const means = lookup === null ? { targets, authorities } : { targets, lookup, authorities };
  return (url: string): Promise<PostResult> =>
    sendPost({ url: new URL(url), headers: {}, body: '{}', signal }, means);
}

/** Answers all with 204. */
async function accepting(
  t: TestContext,
  options: Parameters<typeof Receiver.start>[1] = {},
): Promise<Receiver> {
  const receiver = await Receiver.start(t, options);
  const answer = async (): Promise<void> => {
    for (;;) (await receiver.next()).answer(204);
  };
  void answer();
  return receiver;
}

async function listening(t: TestContext): Promise<{ readonly server: net.Server; readonly port: number }> {
  const server = net.createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return { server, port: (server.address() as net.AddressInfo).port }; // it listens on TCP
}

test('nothing is sent to this machine, however its address is written, over HTTP or HTTPS', async (t) => {
  const receiver = await accepting(t);
  const post = posting({});
  for (const host of ['127.0.0.1', '127.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', '0.0.0.0'])
    for (const protocol of ['http', 'https'])
      assert.equal((await post(`${protocol}://${host}:${receiver.port}/`)).kind, 'blocked');
  assert.equal(receiver.connections, 0);
});

for (const addresses of [
  ['127.0.0.1'],
  ['10.0.0.1'],
  ['::1'],
  ['::ffff:127.0.0.1'],
  ['64:ff9b::7f00:1'],
  ['64:ff9b::10.0.0.1'],
  ['fe80::1%lo'],
  ['1.1.1.1', '127.0.0.1'],
  ['127.0.0.1', '1.1.1.1'],
  ['2606:4700:4700::1111', '169.254.169.254'],
])
  test(`nothing is sent to a name with the addresses ${addresses.join()}, and no address is disclosed`, async (t) => {
    const receiver = await accepting(t);
    const result = await posting({ lookup: addressesInTurn(addresses) })(receiver.url('hooks.example'));
    const cause = 'hooks.example may not be connected to';
    assert.deepEqual(result, { kind: 'blocked', code: 'address-not-allowed', cause });
    assert.equal(receiver.connections, 0);
  });

test('nothing is sent over HTTP to a public address, or a name that has one beside an allowed one', async (t) => {
  const receiver = await accepting(t);
  const lookup = addressesInTurn(['127.0.0.1', '1.1.1.1'], ['127.0.0.1', '127.0.0.2']);
  const post = posting({ allowed: ['127.0.0.1'], lookup });
  assert.equal((await post('http://1.1.1.1/')).kind, 'blocked');
  for (const name of ['both.example', 'neighbour.example'])
    assert.equal((await post(receiver.url(name))).kind, 'blocked');
  assert.equal(receiver.connections, 0);
});

test('nothing is sent to a name without an address, or to a port where nobody listens', async (t) => {
  const failure = { kind: 'failed', code: 'name-not-found', cause: 'ENOTFOUND' };
  assert.deepEqual(await posting({ lookup: addressesInTurn([]) })('https://hooks.example/'), failure);
  assert.equal((await posting({})('https://hooks.example/')).kind, 'failed');
  const { server, port } = await listening(t);
  server.close();
  await once(server, 'close');
  const result = await posting({ allowed: ['127.0.0.1'] })(`http://127.0.0.1:${port}/`);
  assert.deepEqual(result, { kind: 'failed', code: 'unreachable', cause: 'ECONNREFUSED' });
});

test('a name is looked up once for a connection, which goes to the checked address', async (t) => {
  const [checked, other] = [await accepting(t, { host: '127.0.0.2' }), await accepting(t)];
  const lookup = addressesInTurn(['127.0.0.2'], ['127.0.0.1']);
  const post = posting({ allowed: ['127.0.0.2'], lookup });
  assert.equal((await post(checked.url('hooks.example'))).kind, 'delivered');
  assert.equal(checked.connections, 1);
  assert.equal((await post(other.url('hooks.example'))).kind, 'blocked');
  assert.equal(other.connections, 0);
});

test('without a look-up of a test, the system finds the addresses of localhost', async (t) => {
  const receiver = await accepting(t);
  const post = posting({ allowed: ['127.0.0.1', '::1'], lookup: null });
  assert.equal((await post(receiver.url('localhost'))).kind, 'delivered');
});

test('a name is reached where Node tries only one of its addresses, as with --no-network-family-autoselection', async (t) => {
  const isDefault = net.getDefaultAutoSelectFamily();
  t.after(() => net.setDefaultAutoSelectFamily(isDefault));
  net.setDefaultAutoSelectFamily(false);
  const receiver = await accepting(t);
  const post = posting({ allowed: ['127.0.0.1'], lookup: addressesInTurn(['127.0.0.1']) });
  assert.deepEqual(await post(receiver.url('hooks.example')), { kind: 'delivered', status: 204 });
});

test('the head of a response counts within about a second, however slowly its body arrives', async (t) => {
  const receiver = await Receiver.start(t);
  const sent = posting({ allowed: ['127.0.0.1'] })(receiver.url());
  const { response } = await receiver.next();
  const begin = performance.now();
  response.writeHead(200).write('x');
  const trickle = setInterval(() => response.write('x'), 50);
  t.after(() => clearInterval(trickle));
  assert.deepEqual(await sent, { kind: 'delivered', status: 200 });
  const milliseconds = performance.now() - begin;
  assert.ok(milliseconds < 5_000, `${milliseconds} ms`);
});

describe('over TLS', () => {
  const now = Date.now();
  const names = ['hooks.example'];
  const authority = createAuthority(names, { now, owner: 'this machine' });
  const { certPem: cert, keyPem: key } = issueCertificate(names, authority, now);
  const untrusting = { allowed: ['127.0.0.1'], lookup: addressesInTurn(['127.0.0.1']) };
  const trusting = { ...untrusting, authorities: [authority.certPem] };

  test('over TLS, a receiver whose certificate is trusted gets the request, by its name', async (t) => {
    const receiver = await accepting(t, { tls: { cert, key } });
    assert.deepEqual(await posting(trusting)(receiver.url('hooks.example')), {
      kind: 'delivered',
      status: 204,
    });
  });

  test('over TLS, a certificate for another name is rejected', async (t) => {
    const receiver = await accepting(t, { tls: { cert, key } });
    const failure = { kind: 'failed', code: 'certificate', cause: 'ERR_TLS_CERT_ALTNAME_INVALID' };
    for (const host of ['other.example', '127.0.0.1'])
      assert.deepEqual(await posting(trusting)(receiver.url(host)), failure);
    assert.equal(receiver.count, 0);
  });

  test('over TLS, an untrusted certificate is rejected, whatever the environment says', async (t) => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    t.after(() => delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']);
    const receiver = await accepting(t, { tls: { cert, key } });
    const result = await posting(untrusting)(receiver.url('hooks.example'));
    assert.equal(result.kind === 'failed' && result.code, 'certificate');
    assert.equal(receiver.count, 0);
  });

  test('over TLS, a receiver is offered no key exchange whose cost it could choose', async (t) => {
    const { server, port } = await listening(t);
    const failed = posting(untrusting)(`https://hooks.example:${port}/`);
    const [socket]: net.Socket[] = await once(server, 'connection');
    const [hello]: Buffer[] = await once(socket ?? server, 'data');
    socket?.destroy();
    assert.equal((await failed).kind, 'failed');
    const isTls13 = (suite: number): boolean => suite >= 0x1301 && suite <= 0x1303;
    const suites = suitesOf(hello ?? Buffer.alloc(0)).filter((suite) => !isTls13(suite));
    assert.deepEqual(suites, [0xc02b, 0xc02f, 0xc02c, 0xc030, 0xcca9, 0xcca8]);
  });

  test('over TLS, a receiver of plain HTTP fails, and so does HTTP to one of TLS', async (t) => {
    const [plain, tls] = [await accepting(t), await accepting(t, { tls: { cert, key } })];
    for (const url of [`https://127.0.0.1:${plain.port}/`, `http://127.0.0.1:${tls.port}/`])
      assert.equal((await posting(untrusting)(url)).kind, 'failed');
  });
});

/** The cipher suites of a ClientHello in one record (RFC 8446 sections 4.1.2 and 5.1). */
function suitesOf(record: Buffer): number[] {
  const sessionIdAt = 5 + 4 + 2 + 32;
  const listAt = sessionIdAt + 1 + record.readUInt8(sessionIdAt);
  const count = record.readUInt16BE(listAt) / 2;
  return Array.from({ length: count }, (_, index) => record.readUInt16BE(listAt + 2 + 2 * index));
}
