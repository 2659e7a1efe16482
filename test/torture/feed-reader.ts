// A reader of the feed, as an integration would have: it stores its position in the feed, and keeps a copy of
// the objects that events name. After any number of kills the copy equals the database.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import { createLoadClient, type LoadClient, type Thing } from '../support/load-client.ts';

type Event = { readonly id: number; readonly type: string; readonly subject: string };
type Counts = { followed: number; streamed: number };

/** The subjects whose objects the copy has. */
const copied = /^\/(orders|customers|api\/users)\/\d+$/;
const pathOfKind: Readonly<Record<string, string>> = {
  order: '/orders',
  customer: '/customers',
  user: '/api/users',
};
const pauseMilliseconds = 20;

export class FeedReader {
  readonly #token: string;
  readonly #counts: Counts;
  readonly #copy = new Map<string, Thing>();
  readonly #issues: string[] = [];
  /** Stored together, once all earlier events were processed. */
  #stored = { cursor: '', id: 0 };

  constructor(token: string, counts: Counts) {
    this.#token = token;
    this.#counts = counts;
  }

  /** Reads during the writes, until the service is killed. */
  async follow(port: number, way: 'pages' | 'stream', isOver: () => boolean): Promise<void> {
    const client = createLoadClient(port, { connections: 8 });
    try {
      while (!isOver()) {
        if (way === 'stream') await this.#readStream(client, port);
        else if ((await this.#readPage(client)) === 0) await pause(pauseMilliseconds);
      }
    } catch (error) {
      if (!isOver()) this.#issues.push(`The reader of the feed failed: ${String(error)}`);
    } finally {
      client.close();
    }
  }

  /** Reads to the end, and compares the copy with the lists: a sentence for each difference. */
  async differences(
    client: LoadClient,
    found: readonly (readonly [name: string, thing: Thing])[],
  ): Promise<string[]> {
    while ((await this.#readPage(client)) > 0);
    const there = new Map<string, Thing>();
    for (const [name, thing] of found) {
      const path = pathOfKind[name.slice(0, name.indexOf(' '))];
      if (path !== undefined) there.set(`${path}/${String(thing['id'])}`, thing);
    }
    const issues = this.#issues.splice(0);
    for (const path of new Set([...there.keys(), ...this.#copy.keys()])) {
      const [is, was] = [there.get(path), this.#copy.get(path)];
      if (!isDeepStrictEqual(is, was))
        issues.push(`${path} is ${JSON.stringify(is)}, and a reader of the feed has ${JSON.stringify(was)}.`);
    }
    return issues;
  }

  /** Returns how many events the page had. */
  async #readPage(client: LoadClient): Promise<number> {
    const { cursor } = this.#stored;
    const path = `/events?limit=200&${cursor === '' ? 'from=oldest' : `cursor=${cursor}`}`;
    const { status, text, thing } = await client.ask({ method: 'GET', path, token: this.#token });
    assert.equal(status, 200, text);
    const events = thing['data'] as Event[]; // a list has its rows there
    const next = /[?&]cursor=(.*)$/.exec(String(thing['next']))?.[1] ?? '';
    await this.#take(client, events, next);
    return events.length;
  }

  /** Until the connection is cut: by a kill, or because this reader is too slow. */
  async #readStream(client: LoadClient, port: number): Promise<void> {
    const headers = {
      authorization: `Bearer ${this.#token}`,
      accept: 'text/event-stream',
      'last-event-id': this.#stored.cursor,
    };
    const asked = request({ port, host: '127.0.0.1', path: '/events?from=oldest', agent: false, headers });
    asked.end();
    const [message] = (await once(asked, 'response')) as [IncomingMessage]; // as documented
    assert.equal(message.statusCode, 200);
    let text = '';
    try {
      for await (const chunk of message.setEncoding('utf8')) {
        const blocks = (text + String(chunk)).split('\n\n');
        text = blocks.pop() ?? '';
        await this.#takeBlocks(client, blocks);
      }
    } catch {
      return; // cut: the next stream begins where this one was
    } finally {
      asked.destroy();
    }
  }

  async #takeBlocks(client: LoadClient, blocks: readonly string[]): Promise<void> {
    const fieldsOf = (name: string): string[] =>
      blocks.flatMap((block) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? []);
    const events = fieldsOf('data').map((data): Event => JSON.parse(data));
    const cursor = fieldsOf('id').at(-1);
    if (cursor === undefined) return;
    await this.#take(client, events, cursor);
    this.#counts.streamed += events.length;
  }

  async #take(client: LoadClient, events: readonly Event[], cursor: string): Promise<void> {
    let last = this.#stored.id;
    for (const { id } of events) {
      if (id !== last + 1) this.#issues.push(`After the event ${last} the feed had ${id}.`);
      last = id;
    }
    for (const event of events) if (event.type === 'user.deleted') this.#forgetOwner(event);
    const paths = new Set(events.map(({ subject }) => subject).filter((subject) => copied.test(subject)));
    await Promise.all([...paths].map((path) => this.#read(client, path)));
    this.#stored = { cursor, id: last };
    this.#counts.followed += events.length;
  }

  /** The objects of a deleted user lose their owner without an event for each. */
  #forgetOwner({ subject }: Event): void {
    const userId = Number(subject.slice(subject.lastIndexOf('/') + 1));
    for (const [path, thing] of this.#copy)
      if (thing['userId'] === userId) this.#copy.set(path, { ...thing, userId: null });
  }

  async #read(client: LoadClient, path: string): Promise<void> {
    const { status, thing, text } = await client.ask({ method: 'GET', path, token: this.#token });
    if (status === 200) this.#copy.set(path, thing);
    else if (status === 404) this.#copy.delete(path);
    else this.#issues.push(`${path} gave ${status}: ${text}`);
  }
}
