// The paths of src/ARCHITECTURE.md name every file that runs for a read, a change and a list.
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { Session, type Profiler } from 'node:inspector/promises';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { serviceFor, type TestService } from '../support/service.ts';
import { texts } from '../support/source-text.ts';

/** What the page says of all paths together: connections, helpers and schemas aren't in its tables. */
const elsewhere = /^(?:http\/connections|base|schema)\//;

test('a read, a change and a list run only files that ARCHITECTURE.md names for them', async (t) => {
  const service = await serviceFor(t);
  const { token } = await service.person('staff');
  const requests = await requestsOf(service, token);
  using session = new Inspection();
  await session.start();
  const missing: Record<string, string[]> = {};
  for (const [title, send] of Object.entries(requests)) {
    const named = namesIn([...new Set(['One read', title])]);
    await send(); // the first one fills caches, and takes what belongs to the start
    await turn(); // which ends its snapshot
    await turn();
    const files = await session.filesOf(send);
    missing[title] = files.filter((file) => !elsewhere.test(file) && !named.has(basename(file)));
  }
  assert.deepEqual(missing, { 'One read': [], 'One write': [], 'One list': [] });
});

async function requestsOf(
  service: TestService,
  token: string,
): Promise<Readonly<Record<string, () => Promise<unknown>>>> {
  const customer = await service.post('/customers', { token, body: { name: 'Grace Hopper' } });
  const items = [{ name: 'Green tea', quantity: 2, unitPrice: 749 }];
  const body = { customerId: customer.body.id, currency: 'EUR', items };
  const order = await service.post('/orders', { token, body });
  const path = `/orders/${order.body.id}`;
  let notes = 0;
  return {
    'One read': () => service.get(path, { token }),
    'One write': () => service.patch(path, { token, body: { note: `note ${(notes += 1)}` } }),
    'One list': () => service.get('/orders?sort=id', { token }),
  };
}

/** The names of the files in the sections whose titles begin so. */
function namesIn(titles: readonly string[]): ReadonlySet<string> {
  const sections = (texts.get('src/ARCHITECTURE.md') ?? '').split('\n## ');
  const text = sections.filter((section) => titles.some((title) => section.startsWith(title))).join('\n');
  return new Set([...text.matchAll(/`([\w-]+\.ts)`/g)].map(([, name = '']) => name));
}

/** The checkout itself may lie in a folder named `src`. */
const sources = import.meta.resolve('../../src/');

class Inspection {
  readonly #session = new Session();

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }

  /** Returns the files below src/ with functions that ran, without what runs as a file is loaded. */
  async filesOf(send: () => Promise<unknown>): Promise<string[]> {
    await pause(100); // what follows a sync later
    await this.#session.post('Profiler.takePreciseCoverage');
    await send();
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    const urls = result.filter(hasRun).map(({ url }) => url);
    return urls.filter((url) => url.startsWith(sources)).map((url) => url.slice(sources.length));
  }

  [Symbol.dispose](): void {
    this.#session.disconnect();
  }
}

function hasRun({ functions }: Profiler.ScriptCoverage): boolean {
  return functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0);
}
