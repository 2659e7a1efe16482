// Three EventSource clients, over a restart of the service: each gets each event once, and in order.
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../support/free-port.ts';
import { openTab } from '../../support/browser.ts';
import { startPage } from './browser-page.ts';
import { baseUrlOf, signedIn, startIn, withFolder } from './local-service.ts';
import { folderWith } from './outside-tools.ts';

/** A client that has connected: the ids of the events that it has received, and its end. */
type Follower = {
  readonly name: string;
  readonly ids: () => Promise<number[]> | number[];
  readonly end: () => unknown;
};

type Source = {
  addEventListener(type: string, listener: (event: { readonly data: string }) => void): void;
  close(): void;
};
type SourceClass = new (url: string, options?: object) => Source;

const waitMillisecondsMax = 20_000;

/** Returns what a client didn't receive, received twice, or couldn't read. */
export async function followOverRestart(parent: string): Promise<string[]> {
  const require = createRequire(join(folderWith('eventSources', parent), 'here.js'));
  const { EventSource: OfNpm } = require('eventsource') as { EventSource: SourceClass }; // the packages' own interfaces
  const { EventSource: OfUndici } = require('undici') as { EventSource: SourceClass };
  const page = await startPage();
  const tab = await openTab();
  try {
    return await withFolder(async (folder) => {
      const flags = [`--port=${await freePort()}`, `--cors-origins=${page.origin}`];
      let service = await startIn(join(folder, 'data'), flags);
      const baseUrl = baseUrlOf(service);
      const call = await signedIn(baseUrl);
      const { id: customerId } = (await (await call('POST', '/customers', { name: 'Grace' })).json()) as {
        id: number;
      };
      const made = await call('POST', '/api/keys', { name: 'stream', scopes: ['events:read'] });
      const { key } = (await made.json()) as { key: string };
      const url = `${baseUrl}/events?api_key=${key}&type=order.created`;
      await tab.open(page.origin);
      await tab.evaluate(
        `void (globalThis.ids = [], globalThis.source = new EventSource(${JSON.stringify(url)}))`,
      );
      await tab.evaluate(
        `void source.addEventListener('order.created', ({ data }) => ids.push(JSON.parse(data).id))`,
      );
      await tab.until('source.readyState === 1');
      const followers: Follower[] = [
        {
          name: 'Chromium',
          ids: () => tab.evaluate<number[]>('ids'),
          end: () => tab.evaluate('source.close()'),
        },
        await follow('npm’s eventsource', new OfNpm(url)),
        await follow('undici', new OfUndici(url)),
      ];
      const order = { customerId, currency: 'EUR', items: [{ name: 'Tea', quantity: 1, unitPrice: 749 }] };
      const placeOrder = async (): Promise<unknown> => (await signedIn(baseUrl))('POST', '/orders', order);
      await placeOrder();
      await untilAll(followers, 1);
      await service.stop();
      service = await startIn(join(folder, 'data'), flags);
      await placeOrder();
      await placeOrder();
      await untilAll(followers, 3);
      const violations: string[] = [];
      for (const { name, ids, end } of followers) {
        const received = await ids();
        const isRight =
          received.length === 3 && received.every((id, index) => id > (received[index - 1] ?? 0));
        if (!isRight)
          violations.push(`${name} has received the events ${received.join(', ')}, not three in order`);
        await end();
      }
      await service.stop();
      return violations;
    });
  } finally {
    await tab.close();
    await page.stop();
  }
}

async function follow(name: string, source: Source): Promise<Follower> {
  const ids: number[] = [];
  source.addEventListener('order.created', ({ data }) => ids.push((JSON.parse(data) as { id: number }).id));
  const opened = new EventTarget();
  source.addEventListener('open', () => opened.dispatchEvent(new Event('open')));
  await once(opened, 'open', { signal: AbortSignal.timeout(waitMillisecondsMax) });
  return { name, ids: () => ids, end: () => source.close() };
}

/** Waits until each has as many events, or until it is late: what is missing then is a violation. */
async function untilAll(followers: readonly Follower[], count: number): Promise<void> {
  const late = performance.now() + waitMillisecondsMax;
  for (const { ids } of followers)
    while ((await ids()).length < count && performance.now() < late) await pause(100);
  await pause(500); // one event too many would arrive now
}
