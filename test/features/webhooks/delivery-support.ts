// For the tests of deliveries: a service with a receiver, and an administrator's webhook that goes there.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { newOrder, newWebhook } from '../../support/resource-support.ts';
import { serviceFor, type TestOptions, type TestResponse } from '../../support/service.ts';
import { Receiver } from './receiver.ts';

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;

type Webhook = TestResponse['body'];
export type Hooked = Awaited<ReturnType<typeof hooked>>;

/** By default a webhook of new and paid orders; `former` is kept, with another service on its folder. */
export async function hooked(
  t: TestContext,
  { settings = {}, ...options }: TestOptions = {},
  members: object = {},
  former?: { readonly receiver: Receiver; readonly id: number; readonly secret: string },
) {
  const receiver = former?.receiver ?? (await Receiver.start(t));
  const service = await serviceFor(t, {
    ...options,
    settings: { 'webhook-allow': '127.0.0.1', ...settings },
  });
  const { clock } = service;
  let root = await service.root();
  const wanted = { url: receiver.url(), types: ['order.created', 'order.paid'], ...members };
  const { id, secret }: Webhook = former ?? (await newWebhook(service, root.token, wanted));
  const path = `/webhooks/${id}`;

  /** Sends a request as the administrator; signs in again if the token or the sign-in is too old. */
  async function call(method: string, target: string, body?: object): Promise<TestResponse> {
    const response = await service.call(method, target, { token: root.token, body });
    if (response.status !== 401) return response;
    root = await service.root();
    return service.call(method, target, { token: root.token, body });
  }
  /** The webhook as it is now. */
  const shown = async (): Promise<Webhook> => (await call('GET', path)).body;
  async function patch(body: object): Promise<void> {
    const { status, text } = await call('PATCH', path, body);
    assert.equal(status, 200, text);
  }
  /** Each leaves `order.created` after an event of another type. */
  async function placeOrders(count: number): Promise<string[]> {
    await call('GET', '/orders');
    const subjects: string[] = [];
    while (subjects.length < count) subjects.push(`/orders/${(await newOrder(service, root.token)).id}`);
    return subjects;
  }
  const latest = async (): Promise<number> => (await call('GET', '/events?sort=-id&limit=1')).body.data[0].id;
  /** Milliseconds until the next attempt, once this one has failed; never the timeout of 15 seconds. */
  const retryDelay = (): Promise<number> =>
    Promise.race([clock.timer(1, 5.5 * second), clock.timer(5 * minute, Infinity)]);
  /** Answers the next request, and waits until the service has scheduled the one after it. */
  async function fail(status: number, headers: Record<string, string> = {}): Promise<number> {
    (await receiver.next()).answer(status, headers);
    return retryDelay();
  }
  /** The webhook, once `fits` returns true. Moves the clock by a second if there is something to save. */
  async function until(fits: (webhook: Webhook) => boolean): Promise<Webhook> {
    let webhook;
    for (let attempt = 0; attempt < 500; attempt += 1) {
      webhook = await shown();
      if (fits(webhook)) return webhook;
      if (clock.hasTimer(second)) clock.advance(second);
    }
    return assert.fail(`the webhook remains ${JSON.stringify(webhook)}`);
  }
  /** The webhook, once it has reached the latest event. */
  async function settled(): Promise<Webhook> {
    const end = await latest();
    return until(({ position }) => position >= end);
  }
  /** Why the service disabled the webhook, which it has. */
  async function disabledReason(): Promise<string> {
    await until(({ status }) => status === 'disabled');
    const { data } = (await call('GET', '/events?type=webhook.disabled')).body;
    const { subject, reason, changes, actor } = data.at(-1);
    assert.deepEqual([subject, changes, actor], [path, { status: ['enabled', 'disabled'] }, null]);
    return reason;
  }
  const parts = { service, receiver, id: Number(id), secret: String(secret), path };
  const reads = { call, shown, latest, retryDelay, until, settled, disabledReason };
  return { ...parts, ...reads, patch, placeOrders, fail };
}

/** The same webhook, with another service on its folder. */
export async function hookedAgain(t: TestContext, hook: Hooked, secrets: string): Promise<Hooked> {
  await hook.service.stop();
  const { folder } = hook.service;
  return hooked(t, { folder, settings: { 'jwt-secrets': secrets } }, {}, hook);
}
