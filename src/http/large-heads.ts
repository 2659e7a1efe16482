// Heads of many small fields take twenty times their bytes in memory: only what is read of them is kept.
import type { IncomingMessage } from 'node:http';
import { headerBytesMax } from '../limits.ts';
import { fieldLength, requestFields } from './request-headers.ts';

/** What clients send has fewer fields. */
const ordinaryFieldsMax = 64;
/** Of each field: whether it has one line or more is all that `countOccurrences` is asked. */
const linesKeptMax = 2;
const fieldsRead: ReadonlySet<string> = new Set(requestFields);

/**
 * For as long as a request or its idle connection lasts. One address may have hundreds of connections, each
 * with a request that waits or whose body never ends.
 */
export function shrinkHead(request: IncomingMessage): void {
  if (request.rawHeaders.length <= 2 * ordinaryFieldsMax) return;
  request.rawHeaders = linesKept(request.rawHeaders);
  const headers: Record<string, string> = {};
  for (const name of requestFields) {
    const value = request.headers[name];
    if (value !== undefined) headers[name] = flat(String(value));
  }
  request.headers = headers;
}

/** What is left out is still counted by `checkHeaderBytes`, as one field without a name. */
function linesKept(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  const lines = new Map<string, number>();
  let leftOutBytes = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = [rawHeaders[index], rawHeaders[index + 1]];
    const key = name.toLowerCase();
    const line = (lines.get(key) ?? 0) + 1;
    lines.set(key, line);
    if (fieldsRead.has(key) && line <= linesKeptMax) kept.push(name, value);
    else leftOutBytes += fieldLength(name, value);
  }
  const bytes = Math.min(leftOutBytes - fieldLength(), headerBytesMax);
  return bytes < 0 ? kept : [...kept, '', ' '.repeat(bytes)];
}

/** A value that was joined from many lines is a tree of them until it is copied. */
function flat(value: string): string {
  return Buffer.from(value, 'latin1').toString('latin1');
}
