// A reporter of node:test for run-tests.ts: a line of JSON for each test that failed, and one with the counts
// at the end.
import type { TestEvent } from 'node:test/reporters';
import { relative, resolve } from 'node:path';
import { inspect } from 'node:util';

const root = resolve(import.meta.dirname, '../..');

export type OutcomeLine =
  { readonly failure: string } | { readonly counts: Readonly<Record<string, number>> };

export default async function* outcomes(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const titles = new Set<string>();
  for await (const event of events) {
    for (const line of [lineOf(event), repeatedTitle(event, titles)])
      if (line !== undefined) yield `${JSON.stringify(line)}\n`;
  }
}

/** A title says what holds: two tests of a file that share one don't say how they differ. */
function repeatedTitle(event: TestEvent, titles: Set<string>): OutcomeLine | undefined {
  if (event.type !== 'test:pass' && event.type !== 'test:fail') return undefined;
  const { name, file = '', line, details } = event.data;
  if (details.type === 'suite') return undefined;
  const place = relative(root, file);
  const title = `${place}: ${name}`;
  if (titles.has(title)) return { failure: `✖ Two tests are called: ${name}\n  ${place}:${line}\n` };
  titles.add(title);
  return undefined;
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
