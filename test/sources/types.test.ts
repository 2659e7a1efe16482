// Mistakes that must not compile, each with its error.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { compileErrors, projectFor, root, type CompileError, type Ending } from '../support/type-project.ts';

const files = ['mistaken-routes.ts', 'mistaken-rows.ts', 'mistaken-tables.ts'];
const newer = 'newer.ts';

/** Of all files at once: most of the time of a compilation goes to the types of Node. */
let found: Promise<CompileError[]> | undefined;

for (const file of files) {
  test(`each mistake in ${file} is rejected by the compiler, for its own reason`, async (t) => {
    const source = readFileSync(join(root, 'test/sources/mistakes', file), 'utf8');
    const marks = source.split('\n').map((line) => /@ts-expect-error (TS\d+)$/.exec(line)?.[1]);
    // The error expected on the next line.
    const expected = marks.flatMap((code, index) =>
      code === undefined ? [] : [`line ${index + 2}: ${code}`],
    );
    assert.ok(expected.length > 7);
    const errors = await (found ??= errorsWithoutMarks(t));
    const ofFile = errors.filter((error) => error.file === file);
    assert.deepEqual(
      ofFile.map(({ line, code }) => `line ${line}: ${code}`),
      expected,
    );
  });
}

test('a new kind of result does not compile before its case is written', async (t) => {
  const folder = projectFor(t, ['src/http/requests/responder.ts']);
  cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true });
  const declaration = join(folder, 'src/http/routing/reply.ts');
  const extended = readFileSync(declaration, 'utf8').replace('| Empty', "$& | { readonly kind: 'invoice' }");
  writeFileSync(declaration, extended);
  const errors = await compileErrors(folder);
  assert.deepEqual(
    errors.map(({ file, code }) => `${file} ${code}`),
    ['src/http/requests/responder.ts TS1360'],
  );
});

test('what Node 24 lacks does not compile', async (t) => {
  const errors = await (found ??= errorsWithoutMarks(t));
  assert.deepEqual(
    errors.filter(({ file }) => file === newer).map(({ code }) => code),
    ['TS2304'],
  );
});

/** Compiles the files without the marks, and the newer one. */
async function errorsWithoutMarks(t: Ending): Promise<CompileError[]> {
  const folder = projectFor(t, [...files, newer]);
  writeFileSync(join(folder, newer), 'export const now = Temporal.Now.instant();\n');
  for (const file of files) {
    const unmarked = readFileSync(join(root, 'test/sources/mistakes', file), 'utf8')
      .replaceAll(/^( *\/\/) @ts-expect-error/gm, '$1')
      .replaceAll(/(?<= from ')\.\.\/\.\.\/\.\.(?=\/src\/)/g, root);
    writeFileSync(join(folder, file), unmarked);
  }
  return compileErrors(folder);
}
