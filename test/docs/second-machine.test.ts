// The page "A second machine": its commands for moving to a copy and back, unchanged.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { blockOf, paste } from '../support/page-blocks.ts';
import { newOrder, rootToken } from '../support/resource-support.ts';
import { executable, serviceFor } from '../support/service.ts';

const options = { skip: executable !== undefined && 'looks at the sources' };

test('the commands of the page move to a copy and back', options, async (t) => {
  const service = await serviceFor(t);
  const token = await rootToken(service);
  await newOrder(service, token);
  const { body: page } = await service.get('/events?from=latest', { token });
  const folder = join(service.folder, 'second');
  mkdirSync(join(folder, 'keys'), { recursive: true });
  copyFileSync(join(service.folder, 'secret.key'), join(folder, 'keys', 'secret.key'));
  const shell = (script: string): Promise<string> => paste(script, folder);
  await shell(`orderly backup copy.db --data '${service.folder}'`);
  assert.match(await shell(blockOf('second-machine.md', 'mkdir -m 700 data')), /orderly\.db is sound\./);
  const second = await serviceFor(t, { folder: join(folder, 'data') });
  const again = await rootToken(second);
  assert.equal((await second.get('/orders?total=true', { token: again })).body.total, 1);
  assert.equal((await second.get('/orders', { token })).status, 401);
  assert.equal((await second.get(page.next, { token: again })).status, 410);
  await newOrder(second, again);
  await second.stop();
  const back = blockOf('second-machine.md', 'orderly backup back.db');
  await shell(back.replace('--data first', `--data '${join(folder, 'first')}'`));
  const first = await serviceFor(t, { folder: join(folder, 'first') });
  const { body } = await first.get('/orders?total=true', { token: await rootToken(first) });
  assert.equal(body.total, 2);
});
