// Clients that place orders continuously, whatever happens to the service, and record which were
// acknowledged.
import { setTimeout as pause } from 'node:timers/promises';
import { admin } from '../../support/service.ts';
import { createLoadClient, type LoadClient } from '../../support/load-client.ts';

const clients = 8;
const pauseMilliseconds = 30;
const manyItems = Array<object>(100).fill({ name: 'Green tea '.repeat(20), quantity: 1, unitPrice: 749 });

export type Acknowledged = { readonly id: number; readonly at: number };

export class OrderWriter {
  readonly acknowledged: Acknowledged[] = [];
  /** Milliseconds that each acknowledged order took. */
  readonly times: number[] = [];
  /** How many were rejected with 503. */
  unavailable = 0;
  #client: LoadClient | undefined;
  #token = '';
  #customerId = 0;
  /** Large orders without a pause between them. */
  isFast = false;
  #isOver = false;
  readonly #loops: Promise<void>[] = [];

  start(): void {
    for (let index = 0; index < clients; index += 1) this.#loops.push(this.#write());
  }

  /** The URL of the service from now on; undefined while it is down. */
  async connect(port: number | undefined): Promise<void> {
    this.#client?.close();
    this.#client = undefined;
    if (port === undefined) return;
    const client = createLoadClient(port, { connections: clients });
    const { thing } = await client.ask({ method: 'POST', path: '/api/sessions', body: admin });
    this.#token = String(thing['accessToken']);
    if (this.#customerId === 0) {
      const body = { name: 'Grace Hopper' };
      const made = await client.ask({ method: 'POST', path: '/customers', token: this.#token, body });
      this.#customerId = Number(made.thing['id']);
    }
    this.#client = client;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
    this.#client?.close();
  }

  async #write(): Promise<void> {
    while (!this.#isOver) {
      await pause(this.isFast ? 0 : pauseMilliseconds);
      const items = this.isFast ? manyItems : manyItems.slice(0, 1);
      const body = { customerId: this.#customerId, currency: 'EUR', items };
      const before = performance.now();
      const reply = await this.#client
        ?.ask({ method: 'POST', path: '/orders', token: this.#token, body })
        .catch(() => undefined); // the service was killed, so whether it stored the order is unknown
      if (reply?.status === 503) this.unavailable += 1;
      if (reply?.status !== 201) continue;
      this.times.push(performance.now() - before);
      this.acknowledged.push({ id: Number(reply.thing['id']), at: Date.now() });
    }
  }
}
