// For the tests of connections: requests as bytes, and how many connections a service has.
import assert from 'node:assert/strict';
import type { TestService } from '../service.ts';

export const bodyBytesMax = 64 * 1024;

export const crlf = '\r\n';

export function request(line: string, fields: readonly string[] = [], body = ''): string {
  return [`${line} HTTP/1.1`, 'Host: localhost', ...fields, '', body].join(crlf);
}

export const chunk = (text: string): string => `${text.length.toString(16)}${crlf}${text}${crlf}`;

export const inBytes = (text: string): string => Array.from(text, chunk).join('');

export const live = request('GET /health/live');

/** What the service counts; one of them is the one that asks. */
export async function connections(service: TestService): Promise<number> {
  return Number(
    /^orderly_connections (\d+)$/m.exec((await service.get('/metrics')).text)?.[1] ??
      assert.fail('the metric has gone'),
  );
}
