// The samples of src/docs/integrators.md, unchanged: each receives the event of a paid order.
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, suite, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { signedFields } from '../../src/features/webhooks/signature.ts';
import { newFolder } from '../support/command-support.ts';
import { freePort } from '../support/free-port.ts';
import { newKey, newOrder, rootToken } from '../support/resource-support.ts';
import { executable, serviceFor, type TestService } from '../support/service.ts';
import { texts } from '../support/source-text.ts';
import { until } from '../support/storage-support.ts';

const run = promisify(execFile);
const page = texts.get('src/docs/integrators.md') ?? '';

describe('a reader receives each paid order once, and continues at its position', () => {
  for (const section of ['Pages of the feed', 'A stream of the feed']) {
    test(`${section}: a reader receives each paid order once, and continues at its position`, async (t) => {
      const service = await serviceFor(t);
      const token = await rootToken(service);
      const heard: string[] = [];
      const position: { stored?: string } = {};

      const first = await startReader(service, token, { section, position, heard });
      await until(() => position.stored !== undefined); // it begins at the latest event
      const orders = [await payOrder(service, token)];
      await until(() => heard.length === 1);
      await first.stop();

      orders.push(await payOrder(service, token));
      const second = await startReader(service, token, { section, position, heard });
      await until(() => heard.length === 2);
      await second.stop();
      assert.deepEqual(heard, orders);
    });
  }
});

type ReaderOptions = {
  readonly section: string;
  readonly position: { stored?: string };
  readonly heard: string[];
};

/**
 * Runs a sample with its own key. At the end the key is removed, which ends a stream; no later pause ends.
 */
async function startReader(
  service: TestService,
  token: string,
  { section, position, heard }: ReaderOptions,
): Promise<{ stop(): Promise<void> }> {
  const { id, key } = await newKey(service, token, { scopes: ['events:read'] });
  const { promise: paused, resolve: pause } = Promise.withResolvers<void>();
  let isStopped = false;
  const surroundings = {
    base: service.url,
    key,
    position: { read: () => position.stored, write: (text: string) => (position.stored = text) },
    onPaid: (subject: string) => heard.push(subject),
    setTimeout: (work: () => void) => (isStopped ? pause() : setImmediate(work)),
  };
  const sample = new Function(
    ...Object.keys(surroundings),
    `return (async () => {${sampleOf(section, 'js')}\n})();`,
  );
  const ended: Promise<void> = sample(...Object.values(surroundings));
  return {
    async stop() {
      isStopped = true;
      await service.delete(`/api/keys/${id}`, { token });
      await Promise.race([paused, ended]);
    },
  };
}

async function payOrder(service: TestService, token: string): Promise<string> {
  const { id } = await newOrder(service, token);
  const { status } = await service.patch(`/orders/${id}`, { token, body: { status: 'paid' } });
  assert.equal(status, 200);
  return `/orders/${id}`;
}

test(
  'a webhook is created with curl, and its receiver accepts signed messages only',
  { skip: executable !== undefined && 'needs the clock' },
  async (t) => {
    const service = await serviceFor(t, { settings: { 'webhook-allow': '127.0.0.1' } });
    service.clock.advance(Date.now() - service.clock.now); // the receiver compares with its own clock
    const token = await rootToken(service);
    const url = `http://127.0.0.1:${await freePort()}/hook`;
    const command = sampleOf('A webhook', 'sh')
      .replace('https://localhost:8443', service.url)
      .replace('https://shop.example/hook', url);
    const { stdout } = await run('sh', ['-c', command], { env: { ...process.env, admin: token } });
    const { id, secret } = JSON.parse(stdout);
    await startReceiver(t, new URL(url).port, secret);

    await payOrder(service, token);
    const webhook = async (): Promise<{ lastStatus: number | null }> =>
      (await service.get(`/webhooks/${id}`, { token })).body;
    // time passes only while there is something to save
    while ((await webhook()).lastStatus === null)
      if (service.clock.hasTimer(1_000)) service.clock.advance(1_000);
    assert.equal((await webhook()).lastStatus, 204);
    const forged = await fetch(url, { method: 'POST', body: '{"subject":"/orders/1"}' });
    assert.equal(forged.status, 400);
  },
);

suite('a signature is the same', { skip: process.platform === 'win32' && 'needs a POSIX shell' }, () => {
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const body = '{"subject":"/orders/7","reason":"bezahlt — bar"}';
  const fields = signedFields({ id: 'evt_1_7', timestamp: 1_772_357_400, body }, [
    Buffer.alloc(32, 1),
    secret,
  ]);
  const text = `whsec_${secret.toString('base64')}`;

  test('a signature is the same in Python', async (t) => {
    if (!hasProgram('python3')) return t.skip('there is no Python');
    const calls = [body, `${body} `].map(
      (sent) => `is_ours(secret, headers, ${JSON.stringify(sent)}.encode())`,
    );
    const program = [
      sampleOf('A webhook', 'py'),
      `secret, headers = ${JSON.stringify(text)}, ${JSON.stringify(fields)}`,
      `print(${calls.join(', ')})`,
    ].join('\n');
    assert.equal((await run('python3', ['-c', program])).stdout, 'True False\n');
  });

  test('a signature is the same in a shell', async (t) => {
    if (!hasProgram('openssl')) return t.skip('there is no openssl');
    const cwd = newFolder(t);
    writeFileSync(join(cwd, 'body'), body);
    const [, sample = ''] = /\n```sh\n(key=[^]*?)\n```\n/.exec(page) ?? [];
    const env = { ...process.env, secret: text, id: 'evt_1_7', timestamp: '1772357400' };
    const { stdout } = await run('sh', ['-c', sample], { cwd, env });
    assert.equal(`v1,${stdout.trim()}`, fields['webhook-signature']?.split(' ')[1]);
  });
});

function hasProgram(name: string): boolean {
  return spawnSync(name, ['--version']).error === undefined;
}

/** The sample as a program of its own, which listens when this resolves. */
async function startReceiver(t: TestContext, port: string, secret: string): Promise<void> {
  const program = sampleOf('A webhook', 'js').replace('listen(8080)', `listen(${port}, () => console.log())`);
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    env: { ...process.env, WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill());
  await once(child.stdout, 'data');
}

function sampleOf(section: string, language: 'js' | 'py' | 'sh'): string {
  const [, text = ''] = page.split(`\n## ${section}\n`);
  const [, sample] = new RegExp(`\n\`\`\`${language}\n([^]*?)\n\`\`\`\n`).exec(text) ?? [];
  return sample ?? assert.fail(`${section} has no sample`);
}
