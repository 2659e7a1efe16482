// Features that are left out with --without: nothing of them is there, and their data is back with them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { suite, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { ConfigError } from '../../src/config/command-error.ts';
import { readCommandLine } from '../../src/service/command-line.ts';
import { features } from '../../src/service/features.ts';
import { withDependents } from '../support/dependents.ts';
import { declaredNames, executable, serviceFor, type TestService } from '../support/service.ts';

const optional = features.filter(({ isCore, name }) => isCore !== true && !declaredNames.includes(name));

test('users, sessions, keys, customers, orders, the shop, events and backups are in every service', () => {
  const core = features.filter(({ isCore }) => isCore === true).map(({ name }) => name);
  assert.deepEqual(core, [
    'users',
    'sessions',
    'keys',
    'customers',
    'orders',
    'shop',
    'events',
    'idempotency',
    'health',
    'backups',
  ]);
});

suite('a feature that is left out', { skip: executable !== undefined }, () => {
  for (const { name } of optional) {
    test(`${name}, left out, has no route and is not in the documents`, async (t) => {
      const without = await serviceFor(t, { settings: { without: withDependents(name).join() } });
      const left = pathsOf(without);
      const gone = pathsOf(await serviceFor(t)).filter((path) => !left.includes(path));
      assert.notDeepEqual(gone, []);
      const { token } = await without.signIn(without.admin.email, without.admin.password);
      assert.equal((await without.get('/orders', { token })).status, 200);
      const document = await without.get('/openapi.json', { token });
      const page = await without.get('/docs', { token });
      for (const path of gone) {
        assert.equal((await without.get(path.replace('{id}', '1'), { token })).status, 404);
        if (document.status === 200) assert.equal(Object.hasOwn(document.body.paths, path), false);
        if (page.status === 200) assert.doesNotMatch(page.text, new RegExp(`"${path}"|> ${path}<`));
      }
    });
  }

  test('a service without all features that may be left out places orders and explains problems', async (t) => {
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
});

function pathsOf({ inside }: TestService): string[] {
  return (inside?.router.mounted ?? []).map(({ route }) => route.path);
}

const rows: (readonly [what: string, without: string, sentence: RegExp])[] = [
  ['for an unknown name', 'weebhooks', /^--without weebhooks: there is no such feature; there are /],
  ['for a feature that every service has', 'orders', /^--without orders: every service has it; there are /],
];
const needed = optional.map(({ name }) => withDependents(name)).find((names) => names.length > 1);
if (needed !== undefined) {
  const [name = '', ...needing] = needed;
  const sentence = new RegExp(`^--without ${name}: ${needing.join(' and ')} can’t do without it$`);
  rows.push(['for a feature that another one needs', name, sentence]);
}
for (const [what, without, sentence] of rows) {
  test(`a start stops with a sentence: ${what}, besides those of the other settings`, () => {
    const read = () => readCommandLine([`--without=${without}`, '--port=x'], {});
    assert.throws(read, (error) => {
      assert.ok(error instanceof ConfigError && !error.isUsage);
      assert.equal(error.issues.length, 2);
      return error.issues.some((issue) => sentence.test(issue));
    });
  });
}

test('a start succeeds if the features that need a left-out feature are left out with it', () => {
  for (const { name } of optional) {
    const without = withDependents(name);
    const { config } = readCommandLine([`--without=${without.join()}`], {});
    assert.deepEqual(config.without, without);
  }
});

test('the code of features that are left out is not loaded', async (t) => {
  if (optional.length === 0) return t.skip('all of them have been deleted');
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
