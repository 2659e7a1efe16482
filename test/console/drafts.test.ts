// New orders that are not placed yet, as a device keeps them.
import assert from 'node:assert/strict';
import { test } from 'node:test';

// the modules are imported by computed URLs, without their types: those are of browsers
type Drafts = {
  readonly totals: readonly string[];
  open(from: string): Promise<{ readonly entered?: object }>;
};
const { draftsOf }: { draftsOf: (userId: number, signal: AbortSignal) => Drafts } = await import(
  consoleUrl('page/drafts')
);
const { storage }: { storage: { write(name: string, text: string): boolean } } = await import(
  consoleUrl('browser/browser-gaps')
);

function consoleUrl(name: string): string {
  return new URL(`../../src/console/${name}.ts`, import.meta.url).href;
}

test('a draft that was damaged on its device keeps nobody from a new order', async () => {
  const user = new AbortController();
  storage.write('orderly-draft-7-damaged', '{"entered":{');
  const drafts = draftsOf(7, user.signal);
  assert.deepEqual(drafts.totals, []);
  const { entered } = await drafts.open('');
  assert.equal(entered, undefined);
  user.abort();
});
