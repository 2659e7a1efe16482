// For the tests of imports: lines sent as one body, and the lines that answer them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { Call, TestResponse, TestService } from '../service.ts';
import type { FrozenClock } from '../frozen-clock.ts';
import { items } from './resource-support.ts';

export const ndjson = { 'content-type': 'application/x-ndjson' };

export const customerLine = (key: string, members: object = {}): object => ({
  key,
  customer: { name: 'Grace Hopper', ...members },
});

export const orderLine = (key: string, customerKey: string, members: object = {}): object => ({
  key,
  order: { customerKey, currency: 'EUR', items, ...members },
});

/** What is no text becomes JSON; each line gets its end. */
export function linesOf(values: readonly unknown[]): string {
  return values.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('');
}

export function sendImport(
  service: TestService,
  body: string | Buffer,
  call: Pick<Call, 'token' | 'key'>,
): Promise<TestResponse> {
  return service.post('/imports', { ...call, body, headers: ndjson });
}

export type ImportAnswer = {
  readonly line: number;
  readonly status: number;
  readonly id?: number;
  readonly errors?: readonly { readonly pointer: string; readonly code: string; readonly detail: string }[];
};

export function answersOf(text: string): ImportAnswer[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** The answers to lines that are all taken. */
export async function importLines(
  service: TestService,
  token: string,
  values: readonly unknown[],
): Promise<ImportAnswer[]> {
  const { status, text } = await sendImport(service, linesOf(values), { token });
  assert.equal(status, 200, text);
  return answersOf(text);
}

/** `3 422 #/order/currency pattern`. */
export function summaryOf({ line, status, errors = [] }: ImportAnswer): string {
  const issues = errors.map(({ pointer, code }) => ` ${pointer} ${code}`);
  return `${line} ${status}${issues.sort().join('')}`;
}

const quietMilliseconds = 1_000;

/** An import whose lines come as a test writes them. */
export type OpenImport = {
  write(text: string | Buffer): void;
  /** No more lines come. */
  end(): void;
  /** The next answers; undefined once the response has ended. */
  next(): Promise<ImportAnswer[] | undefined>;
  /** All answers that are still to come, and whether the response is whole. */
  rest(): Promise<{ readonly answers: ImportAnswer[]; readonly isWhole: boolean }>;
  /** Reads no more answers, until `resume`. */
  pause(): void;
  resume(): void;
  destroy(): void;
};

type Where = { readonly port: number; readonly clock?: FrozenClock };

/** Resolves once the service has begun to answer: to a client that has sent nothing for a second. */
export async function openImport({ port, clock }: Where, token: string): Promise<OpenImport> {
  const headers = { ...ndjson, authorization: `Bearer ${token}`, 'transfer-encoding': 'chunked' };
  const sent = request({ port, host: '127.0.0.1', method: 'POST', path: '/imports', agent: false, headers });
  sent.on('error', () => {}); // one that is broken off
  sent.flushHeaders();
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>; // as documented
  if (clock !== undefined) {
    await clock.timer(quietMilliseconds);
    clock.advance(quietMilliseconds);
  }
  const [message] = await answered;
  assert.equal(message.statusCode, 200);
  const pieces: string[] = [];
  let [text, isOver] = ['', false];
  let wake = (): void => {};
  message.setEncoding('utf8').on('data', (piece: string) => {
    pieces.push(piece);
    wake();
  });
  message.on('error', () => {}); // one that is broken off
  message.on('close', () => {
    isOver = true;
    wake();
  });
  const next = async (): Promise<ImportAnswer[] | undefined> => {
    while (pieces.length === 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve));
    if (pieces.length === 0) return undefined;
    text += pieces.splice(0).join('');
    const end = text.lastIndexOf('\n') + 1;
    const answers = answersOf(text.slice(0, end));
    text = text.slice(end);
    return answers;
  };
  return {
    write: (piece) => void sent.write(piece),
    end: () => void sent.end(),
    next,
    async rest() {
      const answers: ImportAnswer[] = [];
      for (let more = await next(); more !== undefined; more = await next()) answers.push(...more);
      assert.equal(text, '', 'a line was cut');
      return { answers, isWhole: message.complete };
    },
    pause: () => void message.pause(),
    resume: () => void message.resume(),
    destroy: () => void sent.destroy(),
  };
}
