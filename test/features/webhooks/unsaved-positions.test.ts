// Positions that can't be saved: delivered events aren't sent again, unless an administrator requests it.
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { newWebhook, rootToken } from '../../support/resource-support.ts';
import { Hooked, needsInside, second } from './delivery-support.ts';

describe('while positions cannot be saved', needsInside, () => {
  test('while positions cannot be saved, a changed webhook continues after its last delivery', async (t) => {
    const hook = await withFailingSaves(t);
    await deliver(hook);
    await failToSave(hook);
    await hook.patch({ url: `${hook.receiver.url()}s` });
    const [later] = await hook.placeOrders(1);
    assert.equal((await hook.receiver.next()).event.subject, later);
  });

  test('while positions cannot be saved, a webhook replays from the position that an administrator sets', async (t) => {
    const hook = await withFailingSaves(t);
    const position = await deliver(hook);
    await failToSave(hook);
    const replayed = await deliver(hook);
    await hook.patch({ position });
    assert.equal((await hook.receiver.next()).event.id, replayed);
  });

  test('positions that could not be saved are saved as soon as they can be, without another delivery', async (t) => {
    const hook = await withFailingSaves(t);
    const position = await deliver(hook);
    await failToSave(hook);
    await hook.service.inside?.database.write((writer) => {
      writer.get('DROP TRIGGER unsaved');
      writer.invalidate({ kind: 'everything' });
    });
    await hook.until((webhook) => webhook.position === position);
  });
});

/** With another webhook, whose position is saved in the same write and makes it fail. */
async function withFailingSaves(t: TestContext): Promise<Hooked> {
  const hook = await Hooked.start(t);
  const { service } = hook;
  const other = await newWebhook(service, await rootToken(service), { types: ['customer.deleted'] });
  const trigger =
    'CREATE TEMP TRIGGER unsaved BEFORE UPDATE OF position ON webhooks ' +
    `WHEN NEW.id = ${other.id} BEGIN SELECT RAISE(ABORT, 'not now'); END`;
  await service.inside?.database.write((writer) => {
    writer.get(trigger);
    writer.invalidate({ kind: 'everything' }); // a write that changes no row would be rolled back
  });
  return hook;
}

/** Delivers the event of an order until all webhooks have reached it; returns its id. */
async function deliver(hook: Hooked): Promise<number> {
  await hook.placeOrders(1);
  const { event, answer } = await hook.receiver.next();
  answer(204);
  for (let attempt = 0; await isBehind(hook); attempt += 1) assert.ok(attempt < 500);
  return event.id;
}

async function isBehind({ service }: Hooked): Promise<boolean> {
  return /^orderly_webhook_events_behind\{.*\} [1-9]/m.test((await service.get('/metrics')).text);
}

async function failToSave({ service: { clock } }: Hooked): Promise<void> {
  clock.advance(second);
  await clock.timer(second); // it will be attempted again
}

test(
  'a webhook that is changed in the write that saves its position repeats no event',
  needsInside,
  async (t) => {
    const hook = await Hooked.start(t);
    const { database } = hook.service.inside ?? assert.fail('it is inside');
    const delivered = await deliver(hook);
    const write = database.write;
    database.write = (callback) => {
      database.write = write;
      const change = write.call(database, callback);
      hook.service.clock.advance(second); // saves the position in the same transaction
      return change as never; // `call` forgets the type of the result
    };
    await hook.patch({ url: `${hook.receiver.url()}s` });
    await hook.placeOrders(1);
    const { event } = await hook.receiver.next();
    assert.ok(event.id > delivered, `event ${event.id} after ${delivered}`);
  },
);
