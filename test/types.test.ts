// Mistakes that must not compile, each with its error.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compileErrors, projectFor, root, type Ending } from './type-project.ts';

const files = ['mistaken-routes.ts', 'mistaken-rows.ts', 'mistaken-tables.ts'];

for (const file of files) {
  test(`each mistake in ${file} is rejected by the compiler, for its own reason`, async (t) => {
    const source = readFileSync(join(root, 'test', 'mistakes', file), 'utf8');
    const marks = source.split('\n').map((line) => /@ts-expect-error (TS\d+)$/.exec(line)?.[1]);
    // The error expected on the next line.
    const expected = marks.flatMap((code, index) =>
      code === undefined ? [] : [`line ${index + 2}: ${code}`],
    );
    assert.ok(expected.length > 7);
    assert.deepEqual(await errorsWithoutMarks(t, source), expected);
  });
}

test('a new kind of invalidation or result does not compile before its case is written', async (t) => {
  const folder = projectFor(t, [
    'src/assembly/caches.ts',
    'src/feed/live-reader.ts',
    'src/http/responder.ts',
  ]);
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true });
  assert.deepEqual(await compileErrors(folder), []);
  for (const [path, lastKind] of [
    ['invalidation.ts', "{ readonly kind: 'everything' }"],
    ['http/handler-result.ts', '| Empty'],
  ] as const) {
    const declaration = join(folder, 'src', path);
    const extended = readFileSync(declaration, 'utf8').replace(lastKind, "$& | { readonly kind: 'invoice' }");
    writeFileSync(declaration, extended);
  }
  const errors = await compileErrors(folder);
  assert.deepEqual(
    errors.map(({ file, code }) => `${file} ${code}`),
    ['src/assembly/caches.ts TS1360', 'src/feed/live-reader.ts TS1360', 'src/http/responder.ts TS1360'],
  );
});

test('what Node 24 lacks does not compile', async (t) => {
  const folder = projectFor(t, ['newer.ts']);
  writeFileSync(join(folder, 'newer.ts'), 'export const now = Temporal.Now.instant();\n');
  const errors = await compileErrors(folder);
  assert.deepEqual(
    errors.map(({ file, code }) => `${file} ${code}`),
    ['newer.ts TS2304'],
  );
});

/** Compiles the source without the marks. */
async function errorsWithoutMarks(t: Ending, source: string): Promise<string[]> {
  const folder = projectFor(t, ['mistakes.ts']);
  const unmarked = source
    .replaceAll(/^( *\/\/) @ts-expect-error/gm, '$1')
    .replaceAll(/(?<= from ')\.\.\/\.\.(?=\/src\/)/g, root);
  writeFileSync(join(folder, 'mistakes.ts'), unmarked);
  const errors = await compileErrors(folder);
  return errors.filter(({ file }) => file === 'mistakes.ts').map(({ line, code }) => `line ${line}: ${code}`);
}
