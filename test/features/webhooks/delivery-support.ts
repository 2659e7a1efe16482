// For the tests of deliveries: a service with a receiver, and an administrator's webhook that goes there.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { newOrder, newWebhook } from '../../support/resource-support.ts';
import {
  serviceFor,
  type Person,
  type TestOptions,
  type TestResponse,
  type TestService,
} from '../../support/service.ts';
import { Receiver } from './receiver.ts';

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;

type Parts = Pick<Hooked, 'service' | 'receiver' | 'id' | 'secret'>;

export class Hooked {
  readonly service: TestService;
  readonly receiver: Receiver;
  readonly id: number;
  readonly secret: string;
  readonly path: string;
  #root: Person;

  /** By default a webhook of new and paid orders; `former` keeps its webhook, with another service on its folder. */
  static async start(
    t: TestContext,
    { settings = {}, ...options }: TestOptions = {},
    members: object = {},
    former?: Hooked,
  ): Promise<Hooked> {
    const receiver = former?.receiver ?? (await Receiver.start(t));
    const allowed = { 'webhook-allow': '127.0.0.1', ...settings };
    const service = await serviceFor(t, { ...options, settings: allowed });
    const root = await service.root();
    const types = ['order.created', 'order.paid'];
    const wanted = { url: receiver.url(), types, ...members };
    const { id, secret } = former ?? (await newWebhook(service, root.token, wanted));
    return new Hooked({ service, receiver, id, secret }, root);
  }

  private constructor({ service, receiver, id, secret }: Parts, root: Person) {
    this.service = service;
    this.receiver = receiver;
    this.id = id;
    this.secret = secret;
    this.path = `/webhooks/${id}`;
    this.#root = root;
  }

  /** The same webhook, with another service on its folder. */
  async again(t: TestContext, secrets: string): Promise<Hooked> {
    await this.service.stop();
    const { folder } = this.service;
    return Hooked.start(t, { folder, settings: { 'jwt-secrets': secrets } }, {}, this);
  }

  /** Sends a request as the administrator; signs in again if the token or the sign-in is too old. */
  async call(method: string, path: string, body?: object): Promise<TestResponse> {
    const response = await this.service.call(method, path, { token: this.#root.token, body });
    if (response.status !== 401) return response;
    this.#root = await this.service.root();
    return this.service.call(method, path, { token: this.#root.token, body });
  }

  /** The webhook as it is now. */
  async shown(): Promise<TestResponse['body']> {
    return (await this.call('GET', this.path)).body;
  }

  async patch(body: object): Promise<void> {
    const { status, text } = await this.call('PATCH', this.path, body);
    assert.equal(status, 200, text);
  }

  /** Each leaves `order.created` after an event of another type. */
  async placeOrders(count: number): Promise<string[]> {
    await this.call('GET', '/orders');
    const subjects: string[] = [];
    while (subjects.length < count)
      subjects.push(`/orders/${(await newOrder(this.service, this.#root.token)).id}`);
    return subjects;
  }

  async latest(): Promise<number> {
    return (await this.call('GET', '/events?sort=-id&limit=1')).body.data[0].id;
  }

  /** Milliseconds until the next attempt, once this one has failed; never the timeout of 15 seconds. */
  retryDelay(): Promise<number> {
    const { clock } = this.service;
    return Promise.race([clock.timer(1, 5.5 * second), clock.timer(5 * minute, Infinity)]);
  }

  /** Answers the next request, and waits until the service has scheduled the one after it. */
  async fail(status: number, headers: Record<string, string> = {}): Promise<number> {
    (await this.receiver.next()).answer(status, headers);
    return this.retryDelay();
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
      shown = await this.shown();
      if (fits(shown)) return shown;
      if (this.service.clock.hasTimer(second)) this.service.clock.advance(second);
    }
    return assert.fail(`the webhook remains ${JSON.stringify(shown)}`);
  }

  /** Why the service disabled the webhook, which it has. */
  async disabledReason(): Promise<string> {
    await this.until(({ status }) => status === 'disabled');
    const { data } = (await this.call('GET', '/events?type=webhook.disabled')).body;
    const { subject, reason, changes, actor } = data.at(-1);
    assert.deepEqual([subject, changes, actor], [this.path, { status: ['enabled', 'disabled'] }, null]);
    return reason;
  }
}
