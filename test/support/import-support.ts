// For the tests of imports: sends lines, as one body or one by one, and parses their results.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { Call, TestResponse, TestService } from './service.ts';
import { openRaw } from './raw-connection.ts';
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

/** Imports a table of customers with a response 200, and returns its results. */
export async function importTable(
  service: TestService,
  table: { readonly token: string; readonly text: string | Buffer; readonly query?: string },
): Promise<ImportResult[]> {
  const { token, text, query = '?of=customers' } = table;
  const headers = { 'content-type': 'text/csv' };
  const response = await service.post(`/imports${query}`, { token, body: text, headers });
  assert.equal(response.status, 200, response.text);
  return resultsOf(response.text);
}

export type ImportResult = {
  readonly line: number;
  readonly status: number;
  readonly id?: number | null;
  readonly result?: 'created' | 'changed' | 'unchanged';
  readonly sameAs?: number | null;
  readonly warning?: string;
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

/** An import whose lines a test writes one by one, and whose results it reads when it asks for them. */
export type OpenImport = {
  write(text: string | Buffer): void;
  /** Ends the body. */
  end(): void;
  /** Returns the next results; undefined once the response has ended. */
  next(): Promise<ImportResult[] | undefined>;
  /** Returns all further results, and whether the response is complete. */
  rest(): Promise<{ readonly results: ImportResult[]; readonly isWhole: boolean }>;
  destroy(): void;
};

export function openImport({ port }: { readonly port: number }, token: string): OpenImport {
  const headers = { ...ndjson, authorization: `Bearer ${token}`, 'transfer-encoding': 'chunked' };
  const sent = request({ port, host: '127.0.0.1', method: 'POST', path: '/imports', agent: false, headers });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>; // as documented
  answered.catch(() => {}); // of a connection that was aborted
  sent.on('error', () => {});
  sent.flushHeaders();
  let pieces: AsyncIterator<string> | undefined;
  let text = '';
  const next = async (): Promise<ImportResult[] | undefined> => {
    pieces ??= (await answered)[0].setEncoding('utf8')[Symbol.asyncIterator]();
    const { value, done } = await pieces.next().catch(() => ({ value: '', done: true }));
    if (done === true) return undefined;
    text += value;
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
      const [{ statusCode, complete }] = await answered;
      assert.equal(statusCode, 200);
      return { results, isWhole: complete };
    },
    destroy: () => void sent.destroy(),
  };
}

/** An import whose chunks a test writes as they are. */
export async function openChunked({ port }: TestService, token: string, type = 'application/x-ndjson') {
  const connection = await openRaw(port);
  const { write } = connection;
  write(
    `POST /imports HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\n` +
      'Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n',
  );
  const chunk = (content: string | Buffer): void => {
    const bytes = Buffer.from(content);
    write(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]));
  };
  return { ...connection, chunk, end: () => write('0\r\n\r\n') };
}

/** Resolves once the service has this many customers. */
export async function untilCustomers(service: TestService, token: string, count: number): Promise<void> {
  const total = async (): Promise<number> =>
    (await service.get('/customers?total=true', { token })).body.total;
  while ((await total()) < count) continue;
}
