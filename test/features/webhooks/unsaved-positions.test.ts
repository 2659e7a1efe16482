// Deliveries that can't be saved, or read: they aren't sent again, and nothing follows them until they are.
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { hooked, second } from './delivery-support.ts';
import { failReads } from '../../support/query-interception.ts';
import { insideOnly } from '../../support/service.ts';

describe('while a delivery cannot be saved', insideOnly, () => {
  /** With a delivery that the receiver accepted, and that can't be saved until `allow` is called. */
  async function unsaved(t: TestContext) {
    const hook = await hooked(t);
    const { clock, inside } = hook.service;
    const run = (sql: string): unknown =>
      inside?.database.write((writer) => {
        writer.get(sql);
        writer.invalidate('everything'); // a write that changes no row would be rolled back
      });
    const { position } = await hook.shown();
    await hook.placeOrders(1);
    const { event, answer } = await hook.receiver.next();
    await run(
      'CREATE TEMP TRIGGER unsaved BEFORE UPDATE OF position ON webhooks ' +
        "WHEN NEW.position > OLD.position BEGIN SELECT RAISE(ABORT, 'not now'); END",
    );
    answer(204);
    await clock.timer(second);
    const allow = async (): Promise<void> => {
      await run('DROP TRIGGER unsaved');
      clock.advance(second);
    };
    return { hook, position, delivered: event.id, allow };
  }

  test('while a delivery cannot be saved, nothing is sent, and a change repeats no event; then the next one is', async (t) => {
    const { hook, allow } = await unsaved(t);
    await hook.patch({ url: `${hook.receiver.url()}s` });
    const [later] = await hook.placeOrders(1);
    for (let count = 0; count < 3; count += 1) {
      hook.service.clock.advance(second);
      await hook.service.clock.timer(second);
    }
    assert.equal(hook.receiver.count, 1);
    await allow();
    const { event, path } = await hook.receiver.next();
    assert.deepEqual([event.subject, path], [later, '/hooks']);
  });

  test('while a delivery cannot be saved, an administrator may set an earlier position', async (t) => {
    const { hook, position, delivered, allow } = await unsaved(t);
    await hook.patch({ position: position - 1 });
    await allow();
    assert.equal((await hook.receiver.next()).event.id, delivered);
  });

  test('while a delivery cannot be saved, the service stops as usual', async (t) => {
    const { hook } = await unsaved(t);
    await hook.service.stop();
  });
});

test('damage that a delivery finds is reported, and the delivery tried again', insideOnly, async (t) => {
  const hook = await hooked(t);
  const { service, receiver } = hook;
  const { read } = service.inside?.database ?? assert.fail('it is inside');
  const restore = failReads(read, 'webhooks');
  const placing = hook.placeOrders(1);
  await service.clock.timer(second);
  assert.match(service.logged.join('\n'), /a webhook task failed.*malformed/);
  restore();
  service.clock.advance(second);
  assert.deepEqual(await receiver.take(1), await placing);
});
