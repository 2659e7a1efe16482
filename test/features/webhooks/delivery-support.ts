// For the tests of deliveries: a service with a receiver, and an administrator's webhook that goes there.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { newOrder, newWebhook, rootToken } from '../../support/resource-support.ts';
import { serviceFor, type TestOptions, type TestResponse, type TestService } from '../../support/service.ts';
import { isSignedWith, Receiver, type Received } from './receiver.ts';

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;

export class Hooked {
  readonly service: TestService;
  readonly receiver: Receiver;
  readonly id: number;
  readonly secret: string;
  #token: string;

  /** By default a webhook of new and paid orders. */
  static async start(
    t: TestContext,
    { settings = {}, ...options }: TestOptions = {},
    members: object = {},
  ): Promise<Hooked> {
    const receiver = await Receiver.start(t);
    const allowed = { 'webhook-allow': '127.0.0.1', ...settings };
    const service = await serviceFor(t, { ...options, settings: allowed });
    const token = await rootToken(service);
    const types = ['order.created', 'order.paid'];
    const made = await newWebhook(service, token, { url: receiver.url(), types, ...members });
    return new Hooked({ service, receiver }, made, token);
  }

  /** The same webhook and receiver, with another service on its folder. */
  static async again(
    t: TestContext,
    hook: Hooked,
    { settings = {}, ...options }: TestOptions,
  ): Promise<Hooked> {
    const allowed = { 'webhook-allow': '127.0.0.1', ...settings };
    const service = await serviceFor(t, { ...options, settings: allowed });
    const { receiver, id, secret } = hook;
    return new Hooked({ service, receiver }, { id, secret }, await rootToken(service));
  }

  private constructor(
    { service, receiver }: Pick<Hooked, 'service' | 'receiver'>,
    { id, secret }: Pick<Hooked, 'id' | 'secret'>,
    token: string,
  ) {
    this.service = service;
    this.receiver = receiver;
    this.id = id;
    this.secret = secret;
    this.#token = token;
  }

  get path(): string {
    return `/webhooks/${this.id}`;
  }

  isSigned(received: Received): boolean {
    return isSignedWith(received, this.secret);
  }

  /** Sends a request as the administrator; signs in again if the token or the sign-in is too old. */
  async call(method: string, path: string, body?: object): Promise<TestResponse> {
    const response = await this.service.call(method, path, { token: this.#token, body });
    if (response.status !== 401) return response;
    this.#token = await rootToken(this.service);
    return this.service.call(method, path, { token: this.#token, body });
  }

  async patch(body: object): Promise<TestResponse['body']> {
    const response = await this.call('PATCH', this.path, body);
    assert.equal(response.status, 200, response.text);
    return response.body;
  }

  /** Each leaves `order.created` after an event of another type. */
  async placeOrders(count: number): Promise<string[]> {
    await this.call('GET', '/orders');
    const subjects: string[] = [];
    for (let index = 0; index < count; index += 1)
      subjects.push(`/orders/${(await newOrder(this.service, this.#token)).id}`);
    return subjects;
  }

  async latest(): Promise<number> {
    let next = '/events?limit=200';
    let latest = 0;
    for (;;) {
      const { body } = await this.call('GET', next);
      if (body.data.length === 0) return latest;
      latest = body.data.at(-1).id;
      next = body.next;
    }
  }

  /** Milliseconds until the next attempt, once this one has failed; never the timeout of 15 seconds. */
  retryDelay(): Promise<number> {
    const { clock } = this.service;
    return Promise.race([clock.timer(1, 5.5 * second), clock.timer(5 * minute, Infinity)]);
  }

  /** The webhook, once it has reached the latest event. */
  async settled(): Promise<TestResponse['body']> {
    const latest = await this.latest();
    return this.until(({ position }) => position >= latest);
  }

  /** The webhook, once `fits` returns true. Moves the clock by a second if there is something to save. */
  async until(fits: (webhook: TestResponse['body']) => boolean): Promise<TestResponse['body']> {
    let shown;
    for (let attempt = 0; attempt < 500; attempt += 1) {
      shown = (await this.call('GET', this.path)).body;
      if (fits(shown)) return shown;
      if (this.service.clock.hasTimer(second)) this.service.clock.advance(second);
    }
    return assert.fail(`the webhook remains ${JSON.stringify(shown)}`);
  }
}

/** Answers the next request, and waits until the service has scheduled the one after it. */
export async function fail(
  hook: Hooked,
  status: number,
  headers: Record<string, string> = {},
): Promise<number> {
  (await hook.receiver.next()).answer(status, headers);
  return hook.retryDelay();
}

/** Why the service disabled the webhook, which it has. */
export async function disabledReason(hook: Hooked): Promise<string> {
  await hook.until(({ status }) => status === 'disabled');
  const { data } = (await hook.call('GET', '/events?type=webhook.disabled')).body;
  const { subject, reason, changes, actor } = data.at(-1);
  assert.deepEqual([subject, changes, actor], [hook.path, { status: ['enabled', 'disabled'] }, null]);
  return reason;
}
