// Three EventSource clients, over a restart of the service: each gets each event once, and in order.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../support/free-port.ts';
import { openTab } from '../../support/browser.ts';
import { newKey, newOrder, rootToken } from '../../support/resource-support.ts';
import { withService } from '../../support/service.ts';
import { startPage } from './browser-page.ts';
import { folderWith } from './outside-tools.ts';

/** A client: the ids of the events that it has received so far. */
type Follower = { readonly name: string; readonly ids: () => Promise<number[]> };
type Source = {
  readonly readyState: number;
  addEventListener(type: string, listener: (event: { readonly data: string }) => void): void;
  close(): void;
};
type SourceModule = { readonly EventSource: new (url: string) => Source };

const waitMillisecondsMax = 20_000;

/** Returns what a client didn't receive, received twice, or couldn't read. */
export async function followOverRestart(
  settings: Readonly<Record<string, string>>,
  parent: string,
): Promise<string[]> {
  const require = createRequire(join(folderWith('eventSources', parent), 'here.js'));
  await using page = await startPage();
  const tab = await openTab();
  const own = { port: String(await freePort()), 'cors-origins': page.origin };
  try {
    return await withService({ settings: { ...settings, ...own } }, async (service) => {
      const token = await rootToken(service);
      const { key } = await newKey(service, token, { scopes: ['events:read'] });
      const url = `${service.url}/events?api_key=${key}&type=order.created`;
      await tab.open(page.origin);
      const follow = `globalThis.ids = []; globalThis.source = new EventSource(${JSON.stringify(url)});
        source.addEventListener('order.created', ({ data }) => ids.push(JSON.parse(data).id)); undefined`;
      await tab.evaluate(follow);
      await tab.until('source.readyState === 1');
      const sources: Source[] = [];
      const followers: Follower[] = [{ name: 'Chromium', ids: () => tab.evaluate<number[]>('ids') }];
      for (const name of ['eventsource', 'undici']) {
        const { EventSource } = require(name) as SourceModule; // the packages' own interfaces
        const source = new EventSource(url);
        const ids: number[] = [];
        source.addEventListener('order.created', ({ data }) => ids.push(JSON.parse(data).id));
        followers.push({ name, ids: async () => ids });
        sources.push(source);
      }
      await until(async () => sources.every(({ readyState }) => readyState === 1));
      await newOrder(service, token);
      await untilAll(followers, 1);
      await service.restart();
      for (let count = 0; count < 2; count += 1) await newOrder(service, token);
      await untilAll(followers, 3);
      await pause(500); // one event too many would arrive now
      const violations: string[] = [];
      for (const { name, ids } of followers) {
        const received = await ids();
        const isRight = received.every((id, index) => id > (received[index - 1] ?? 0));
        if (received.length !== 3 || !isRight) violations.push(`${name} has received ${received.join(', ')}`);
      }
      for (const source of sources) source.close();
      return violations;
    });
  } finally {
    await tab.close();
  }
}

function untilAll(followers: readonly Follower[], count: number): Promise<void> {
  return until(async () => {
    const received = await Promise.all(followers.map(({ ids }) => ids()));
    return received.every(({ length }) => length >= count);
  });
}

/** Until it is late: what is missing then is a violation. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const late = performance.now() + waitMillisecondsMax;
  while (!(await isSo()) && performance.now() < late) await pause(100);
}
