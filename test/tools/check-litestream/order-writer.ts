// Clients that place orders continuously, whatever happens to the service, and record which were acknowledged.
import { setTimeout as pause } from 'node:timers/promises';
import { createLoadClient, type LoadRequest, type Reply } from '../../support/load-client.ts';
import { admin } from '../../support/service.ts';

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
  /** Large orders without a pause between them. */
  isFast = false;
  /** Places an order; undefined while the service is down. */
  #place: ((items: readonly object[]) => Promise<Reply>) | undefined;
  #isOver = false;
  #writing: Promise<unknown> = Promise.resolve();

  start(): void {
    this.#writing = Promise.all(Array.from({ length: clients }, () => this.#write()));
  }

  /** To a service that has just started. */
  async connect(port: number): Promise<void> {
    const { ask } = createLoadClient(port, { connections: clients });
    const { thing: session } = await ask({ method: 'POST', path: '/api/sessions', body: admin });
    const post = (path: string, body: object): Promise<Reply> => {
      const asked: LoadRequest = { method: 'POST', path, token: String(session['accessToken']), body };
      return ask(asked);
    };
    const { thing: customer } = await post('/customers', { name: 'Grace Hopper' });
    this.#place = (items) => post('/orders', { customerId: customer['id'], currency: 'EUR', items });
  }

  disconnect(): void {
    this.#place = undefined;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (!this.#isOver) {
      await pause(this.isFast ? 0 : pauseMilliseconds);
      // the service may be killed, and then whether it stored the order is unknown
      const placing = this.#place?.(this.isFast ? manyItems : manyItems.slice(0, 1));
      const reply = await placing?.catch(() => undefined);
      if (reply?.status === 503) this.unavailable += 1;
      if (reply?.status !== 201) continue;
      this.times.push(reply.milliseconds);
      this.acknowledged.push({ id: Number(reply.thing['id']), at: Date.now() });
    }
  }
}
