// For the tests of event streams: a client of GET /events that returns its events one by one.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { Call, TestResponse, TestService } from '../../support/service.ts';

export const sse = { accept: 'text/event-stream' };

/** Adds events at once: through HTTP very many would take too long. */
export async function addEvents(service: TestService, events: number, noteBytes = 0): Promise<void> {
  const sql =
    'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) ' +
    'INSERT INTO events (createdAt, type, topic, topicId, subjectId, changes) ' +
    `SELECT ?, 'order.changed', 'order', 1, 1, json_object('note', hex(zeroblob(?))) FROM n`;
  const { database } = service.inside ?? assert.fail('it is inside');
  await database.write((db) => void db.run(sql, events, service.clock.now, noteBytes / 2));
}

/** A block of the stream; a comment has neither. */
export type Block = {
  readonly retry?: string;
  readonly id?: string;
  readonly event?: string;
  readonly data?: TestResponse['body'];
};

export type StreamReader = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Returns the next event, and skips other blocks. */
  event(): Promise<Required<Omit<Block, 'retry'>>>;
  /** Returns the subjects of the next events. */
  subjects(count: number): Promise<string[]>;
  /** Returns the next block of any kind. */
  block(): Promise<Block>;
  /** Resolves at the end: whether the response is complete, and the blocks that were not returned before. */
  readonly ended: Promise<{ readonly isWhole: boolean; readonly left: readonly Block[] }>;
  readonly message: IncomingMessage;
  close(): void;
};

/** Streams are closed by their tests, or when the service stops. */
export async function openStream(
  { port }: Pick<TestService, 'port'>,
  { token, key, headers }: Call,
  path = '/events',
): Promise<StreamReader> {
  const credential = key === undefined ? { authorization: `Bearer ${token}` } : { 'x-api-key': key };
  const sent = { ...sse, ...credential, ...headers };
  const asked = request({ port, host: '127.0.0.1', path, agent: false, headers: sent });
  asked.end();
  const [message]: [IncomingMessage] = (await once(asked, 'response')) as [IncomingMessage]; // as documented
  const blocks: Block[] = [];
  let text = '';
  let isOver = false;
  let wake = (): void => {};
  message.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (text + chunk).split('\n\n');
    text = parts.pop() ?? '';
    blocks.push(...parts.map(blockOf));
    wake();
  });
  message.on('error', () => {}); // of a connection that was aborted
  const ended = new Promise<{ isWhole: boolean; left: Block[] }>((resolve) =>
    message.once('close', () => {
      isOver = true;
      wake();
      resolve({ isWhole: message.complete, left: blocks });
    }),
  );

  async function block(): Promise<Block> {
    for (;;) {
      const next = blocks.shift();
      if (next !== undefined) return next;
      assert.ok(!isOver, 'the stream is over');
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  async function event(): Promise<Required<Omit<Block, 'retry'>>> {
    for (;;) {
      const { id, event: type, data } = await block();
      if (id !== undefined && type !== undefined) return { id, event: type, data };
    }
  }
  async function subjects(count: number): Promise<string[]> {
    const seen: string[] = [];
    while (seen.length < count) seen.push((await event()).data.subject);
    return seen;
  }

  const { statusCode: status = 0 } = message;
  const close = (): void => void asked.destroy();
  return { status, headers: message.headers, event, subjects, block, ended, message, close };
}

function blockOf(text: string): Block {
  const fields = text.split('\n').map((line) => /^(\w*):? ?(.*)$/.exec(line) ?? []);
  const named = Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
  return 'data' in named ? { ...named, data: JSON.parse(named['data'] ?? '') } : named;
}
