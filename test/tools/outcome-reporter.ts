// A reporter of node:test for run-tests.ts: a line of JSON for each test that failed, and one with the counts
// at the end.
import type { TestEvent } from 'node:test/reporters';
import { relative, resolve } from 'node:path';
import { inspect } from 'node:util';

const root = resolve(import.meta.dirname, '../..');

export type OutcomeLine =
  { readonly failure: string } | { readonly counts: Readonly<Record<string, number>> };

export default async function* outcomes(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    const line = lineOf(event);
    if (line !== undefined) yield `${JSON.stringify(line)}\n`;
  }
}

function lineOf(event: TestEvent): OutcomeLine | undefined {
  if (event.type === 'test:summary') return { counts: event.data.counts };
  if (event.type !== 'test:fail') return undefined;
  const { name, file = '', line, details } = event.data;
  const { cause, failureType } = details.error as Error & { readonly failureType?: string }; // as documented
  if (failureType === 'subtestsFailed') return undefined; // those have lines of their own
  const error = inspect(cause)
    .replaceAll(/^ +at .*\bnode:internal\/.*\n?/gm, '')
    .trimEnd();
  return { failure: `✖ ${name}\n  ${relative(root, file)}:${line}\n${error.replaceAll(/^/gm, '  ')}\n` };
}
