// Features that are left out with --without: nothing of them is there, and their data is back with them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { ConfigError } from '../../src/config/command-error.ts';
import { readCommandLine } from '../../src/service/command-line.ts';
import { serve } from '../../src/commands/serve.ts';
import { features } from '../../src/service/features.ts';
import { executable, serviceFor, type TestService } from '../service.ts';

/** A path of each feature that may be left out, and how it is asked for. */
const pathOf: Readonly<Record<string, string>> = {
  suspension: '/api/users/1/suspension',
  totp: '/api/users/1/totp',
  products: '/products',
  sales: '/sales',
  history: '/api/users/1/events',
  feed: '/events',
  imports: '/imports',
  webhooks: '/webhooks',
  metrics: '/metrics',
  openapi: '/openapi.json',
  docs: '/docs',
  console: '/console',
};

const optional = features.filter(({ isCore }) => isCore !== true);

/** The feature and all that need it. */
function withDependents(name: string): string {
  const needing = features.filter(({ needs }) => needs.some((each) => each.name === name));
  return [name, ...needing.map((each) => each.name)].join(',');
}

test('users, sessions, keys, customers and orders are in every service', () => {
  const core = features.filter(({ isCore }) => isCore === true).map(({ name }) => name);
  assert.deepEqual(core, [
    'users',
    'sessions',
    'keys',
    'customers',
    'orders',
    'events',
    'idempotency',
    'health',
  ]);
  assert.deepEqual(
    optional.map(({ name }) => name),
    Object.keys(pathOf),
  );
});

test('settings.md has each feature that can be left out, and those that need it', () => {
  const text = readFileSync(new URL('../../src/docs/settings.md', import.meta.url), 'utf8');
  const section = /^## Features\n.*?^## /ms.exec(text)?.[0] ?? '';
  const rows = Array.from(section.matchAll(/^\| `(\w+)` \|.*\| (.*?) ?\|$/gm), ([, name, needing = '']) => [
    name,
    needing.replaceAll('`', ''),
  ]);
  const expected = optional.map((feature) => {
    const needing = features.filter(({ needs }) => needs.includes(feature));
    return [feature.name, needing.map(({ name }) => name).join(', ')];
  });
  assert.deepEqual(rows, expected);
});

suite('a feature that is left out', { skip: executable !== undefined }, () => {
  for (const { name } of optional) {
    const path = pathOf[name] ?? assert.fail(`${name} has no path here`);
    test(`${name} has no route, and the OpenAPI document and the documentation don’t name it`, async (t) => {
      const service = await serviceFor(t, { settings: { without: withDependents(name) } });
      const { token } = await service.signIn(service.admin.email, service.admin.password);
      assert.equal((await service.get(path, { token })).status, 404);
      assert.equal((await service.get('/orders', { token })).status, 200);
      const document = await service.get('/openapi.json', { token });
      const page = await service.get('/docs', { token });
      const declared = path.replace('/1/', '/{id}/');
      if (document.status === 200) assert.equal(Object.hasOwn(document.body.paths, declared), false);
      if (page.status === 200) assert.doesNotMatch(page.text, new RegExp(`"${declared}"|> ${declared}<`));
    });
  }

  test('all of them at once leave a service that places orders and explains problems', async (t) => {
    const without = optional.map(({ name }) => name).join(',');
    const service = await serviceFor(t, { settings: { without } });
    const { token } = await service.person();
    const order = { currency: 'EUR', items: [{ name: 'Tea', quantity: 2, unitPrice: 900 }] };
    const customer = await service.post('/customers', { token, body: { name: 'Grace Hopper' } });
    const body = { ...order, customerId: customer.body.id };
    assert.equal((await service.post('/orders', { token, body })).status, 201);
    const problem = await service.get('/problems/not-found', { headers: { accept: 'text/html, */*;q=0.1' } });
    assert.equal(problem.body.code, 'not-found');
    assert.equal((await service.get('/health/ready')).status, 200);
  });

  test('webhooks have no metrics, and no tag and no messages in the OpenAPI document', async (t) => {
    const service = await serviceFor(t, { settings: { without: 'webhooks,console' } });
    const { body } = await service.get('/openapi.json');
    assert.deepEqual(body.webhooks, {});
    assert.equal(JSON.stringify(body.tags).includes('Webhooks'), false);
    assert.doesNotMatch((await service.get('/metrics')).text, /webhook/);
  });

  test('the console links the documentation only if it is there', async (t) => {
    const service = await serviceFor(t, { settings: { without: 'docs' } });
    assert.doesNotMatch((await service.get('/console')).text, /\/docs/);
    const both = await serviceFor(t);
    assert.match((await both.get('/console')).text, /name="documentation" content="\/docs"/);
  });

  test('what it stored is back with it, and the events of meanwhile are there', async (t) => {
    const first = await serviceFor(t);
    const { token } = await first.signIn(first.admin.email, first.admin.password);
    const body = { url: 'https://receiver.example/orders', types: ['customer.created'] };
    assert.equal((await first.post('/webhooks', { token, body })).status, 201);
    await first.stop();

    const folder = first.folder;
    const without = await serviceFor(t, { folder, settings: { without: 'webhooks,console,history' } });
    const { id } = await addCustomer(without);
    await without.stop();

    const again = await serviceFor(t, { folder });
    const back = await again.signIn(again.admin.email, again.admin.password);
    const { data } = (await again.get('/webhooks', { token: back.token })).body;
    assert.deepEqual(
      data.map(({ url }: { readonly url: string }) => url),
      [body.url],
    );
    const events = (await again.get(`/customers/${id}/events`, { token: back.token })).body.data;
    assert.equal(events[0].type, 'customer.created');
  });

  test('a user stays suspended without the routes that suspend users', async (t) => {
    const first = await serviceFor(t);
    const root = await first.signIn(first.admin.email, first.admin.password);
    const person = await first.person();
    const suspended = `/api/users/${person.id}/suspension`;
    const { status } = await first.put(suspended, { token: root.token, body: { reason: 'left' } });
    assert.equal(status, 201);
    await first.stop();

    const settings = { without: 'suspension,console' };
    const next = await serviceFor(t, { folder: first.folder, settings });
    const credentials = { email: person.email, password: person.password };
    assert.equal((await next.post('/api/sessions', { body: credentials })).status, 401);
  });
});

async function addCustomer(service: TestService): Promise<{ readonly id: number }> {
  const { token } = await service.signIn(service.admin.email, service.admin.password);
  return (await service.post('/customers', { token, body: { name: 'Grace Hopper' } })).body;
}

suite('a start stops with a sentence', () => {
  const rows = [
    ['for an unknown name', 'weebhooks', /^--without weebhooks: there is no such feature; there are /],
    ['for a feature that every service has', 'orders', /^--without orders: every service has it; there are /],
    ['for a feature that another one needs', 'openapi', /^--without openapi: docs can’t do without it$/],
  ] as const;
  for (const [what, without, sentence] of rows) {
    test(`${what}, besides those of the other settings`, () => {
      const read = () => readCommandLine([`--without=${without}`, '--port=x'], {}, serve);
      assert.throws(read, (error) => {
        assert.ok(error instanceof ConfigError && !error.isUsage);
        assert.equal(error.issues.length, 2);
        return error.issues.some((issue) => sentence.test(issue));
      });
    });
  }

  test('and not if those that need a feature are left out with it', () => {
    const { config } = readCommandLine(['--without=openapi,docs'], {}, serve);
    assert.deepEqual(config.without, ['openapi', 'docs']);
  });
});

test('the code of features that are left out is not loaded', async () => {
  const without = optional.map(({ name }) => name);
  const names = new RegExp(
    `/(?:src/openapi/|features/(?:${without.join('|')})/(?!\\w+-(?:feature|migrations)\\.ts$))`,
  );
  assert.deepEqual(
    (await loadedWithout(without)).filter((url) => names.test(url)),
    [],
  );
  assert.notDeepEqual(
    (await loadedWithout([])).filter((url) => names.test(url)),
    [],
  );
});

/** Returns the URLs of all modules that a service without these features loads, in a thread of its own. */
async function loadedWithout(without: readonly string[]): Promise<string[]> {
  const at = (path: string): string => new URL(`../../src/service/${path}`, import.meta.url).href;
  const worker = new Worker(`(${reportLoaded.toString()})()`, {
    eval: true,
    workerData: { without, service: at('running-service.ts'), features: at('features.ts') },
  });
  const [loaded] = await once(worker, 'message');
  await worker.terminate();
  return loaded;
}

function reportLoaded(): void {
  const { registerHooks } = process.getBuiltinModule('node:module');
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const loaded: string[] = [];
  registerHooks({
    load(url, context, next) {
      loaded.push(url);
      return next(url, context);
    },
  });
  const load = async (): Promise<void> => {
    await import(workerData.service);
    const { featuresWithout } = await import(workerData.features);
    for (const feature of featuresWithout(workerData.without)) await feature.load();
    parentPort?.postMessage(loaded);
  };
  void load();
}
