// Shrinks heads of many small fields, which take twenty times their bytes in memory, to the fields in use.
import type { IncomingMessage } from 'node:http';
import { headerBytesMax } from '../limits.ts';
import { fieldLength, knownRequestFields } from './request-headers.ts';

/** Ordinary clients send fewer fields. */
const ordinaryFieldsMax = 64;
/** The lines that are kept of each field: `countOccurrences` only has to distinguish one from more. */
const linesKeptMax = 2;
const fieldsRead: ReadonlySet<string> = new Set(knownRequestFields);

/**
 * Drops the fields that nothing reads, since a request keeps its head while it waits or its body arrives, and
 * one address may have hundreds of connections.
 */
export function shrinkHead(request: IncomingMessage): void {
  if (request.rawHeaders.length <= 2 * ordinaryFieldsMax) return;
  request.rawHeaders = linesKept(request.rawHeaders);
  const headers: Record<string, string> = {};
  for (const name of knownRequestFields) {
    const value = request.headers[name];
    if (value !== undefined) headers[name] = copyFlat(String(value));
  }
  request.headers = headers;
}

/** Replaces all dropped lines by one without a name, so that `checkHeaderBytes` still counts their bytes. */
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

/** Copies a value: V8 keeps a string that was joined from many lines as a tree of them. */
function copyFlat(value: string): string {
  return Buffer.from(value, 'latin1').toString('latin1');
}
