// What readers copy from the documentation page: samples in three languages, and the guides; its changelog.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { changes, guides } from '../../../src/features/docs/docs-guides.ts';
import { validate } from '../../support/conformance.ts';
import { serviceFor } from '../../support/service.ts';
import { plain } from './markup.ts';

type Json = { readonly [name: string]: unknown };
type Operation = {
  readonly operationId: string;
  readonly requestBody?: {
    readonly content: Record<string, { readonly schema: Json; readonly example: unknown }>;
  };
};

test('samples compile in each language, and bodies fit their schemas', async (t) => {
  const service = await serviceFor(t);
  const html = (await service.get('/docs')).text;
  const document = (await service.get('/openapi.json')).body;
  const paths = Object.values<Record<string, Operation>>(document.paths);
  const operations = paths.flatMap((item) => Object.values(item));
  const samples = (title: string): string[] =>
    [...html.matchAll(new RegExp(`<pre data-language="${title}"><code>([^]*?)</code>`, 'g'))].map(
      ([, code = '']) => plain(code.replaceAll(/<\/?(i|var)>/g, '')),
    );
  const [commands, scripts, programs] = [samples('curl'), samples('JavaScript'), samples('Python')];
  for (const each of [commands, scripts, programs]) assert.equal(each.length, operations.length);
  for (const script of scripts)
    assert.doesNotThrow(() => new Function(`return async (token) => {${script}}`), script);
  execFileSync('sh', ['-n'], { input: commands.join('\n') });
  for (const command of commands) assert.doesNotMatch(command, /--json/, 'curl knows it since 7.82 only');
  assertCompile(programs);
  for (const { operationId, requestBody } of operations) {
    for (const { schema, example } of Object.values(requestBody?.content ?? {}))
      assert.deepEqual(validate(document, schema, example, ''), [], operationId);
  }
});

test('the samples of the guides compile', () => {
  for (const { title, code } of guides) {
    const text = plain(code.markup.replace(/^[^]*<code>|<\/code>[^]*$/g, '').replaceAll(/<\/?i>/g, ''));
    const wrapped = `return async (base, get, use, token, session, response) => {${text.replace(
      /^const response = /gm,
      'response = ',
    )}}`;
    assert.doesNotThrow(() => new Function(wrapped), title);
  }
});

/** If the machine has Python: one process for all samples, since starting it takes longest. */
function assertCompile(programs: readonly string[]): void {
  const script = 'import ast, json, sys\nfor program in json.load(sys.stdin): ast.parse(program)';
  const { error, status, stderr } = spawnSync('python3', ['-c', script], {
    input: JSON.stringify(programs),
    encoding: 'utf8',
  });
  if (error === undefined) assert.equal(status, 0, stderr);
}

test('the page has every version of the changelog', () => {
  const text = readFileSync(new URL('../../../src/docs/CHANGELOG.md', import.meta.url), 'utf8');
  const versions = [...text.matchAll(/^## (\d+\.\d+\.\d+)/gm)].map(([, version]) => version);
  assert.deepEqual(
    changes.map(([version]) => version),
    versions,
  );
});
