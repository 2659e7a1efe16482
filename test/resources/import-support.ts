// For the tests of imports: sends lines, as one body or one by one, and parses their results.
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

/** Returns lines of JSON; a text is a line as it is. */
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

export type ImportResult = {
  readonly line: number;
  readonly status: number;
  readonly id?: number;
  readonly errors?: readonly { readonly pointer: string; readonly code: string; readonly detail: string }[];
};

export function resultsOf(text: string): ImportResult[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** Imports lines with a response 200, and returns their results. */
export async function importLines(
  service: TestService,
  token: string,
  values: readonly unknown[],
): Promise<ImportResult[]> {
  const { status, text } = await sendImport(service, linesOf(values), { token });
  assert.equal(status, 200, text);
  return resultsOf(text);
}

/** Returns a text such as `3 422 #/order/currency pattern`. */
export function summaryOf({ line, status, errors = [] }: ImportResult): string {
  const issues = errors.map(({ pointer, code }) => ` ${pointer} ${code}`);
  return `${line} ${status}${issues.sort().join('')}`;
}

const quietMilliseconds = 1_000;

/** An import whose lines a test writes one by one. */
export type OpenImport = {
  write(text: string | Buffer): void;
  /** Ends the body. */
  end(): void;
  /** Returns the next results; undefined once the response has ended. */
  next(): Promise<ImportResult[] | undefined>;
  /** Returns all further results, and whether the response is complete. */
  rest(): Promise<{ readonly results: ImportResult[]; readonly isWhole: boolean }>;
  /** Stops reading the response until `resume`. */
  pause(): void;
  resume(): void;
  destroy(): void;
};

type Where = { readonly port: number; readonly clock?: FrozenClock };

/** Resolves once the response has begun, as it does for a client that has sent nothing for a second. */
export async function openImport({ port, clock }: Where, token: string): Promise<OpenImport> {
  const headers = { ...ndjson, authorization: `Bearer ${token}`, 'transfer-encoding': 'chunked' };
  const sent = request({ port, host: '127.0.0.1', method: 'POST', path: '/imports', agent: false, headers });
  sent.on('error', () => {}); // of a connection that was aborted
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
  message.on('error', () => {}); // of a connection that was aborted
  message.on('close', () => {
    isOver = true;
    wake();
  });
  const next = async (): Promise<ImportResult[] | undefined> => {
    while (pieces.length === 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve));
    if (pieces.length === 0) return undefined;
    text += pieces.splice(0).join('');
    const end = text.lastIndexOf('\n') + 1;
    const results = resultsOf(text.slice(0, end));
    text = text.slice(end);
    return results;
  };
  return {
    write: (piece) => void sent.write(piece),
    end: () => void sent.end(),
    next,
    async rest() {
      const results: ImportResult[] = [];
      for (let more = await next(); more !== undefined; more = await next()) results.push(...more);
      assert.equal(text, '', 'a line was cut');
      return { results, isWhole: message.complete };
    },
    pause: () => void message.pause(),
    resume: () => void message.resume(),
    destroy: () => void sent.destroy(),
  };
}
