// Clients that generators create from the document: generated, type-checked, and run through the
// walk-through.
import { spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Surroundings } from './clients/surroundings.ts';
import { folderWith, run } from './outside-tools.ts';

export type Walk = (surroundings: Surroundings) => Promise<void>;
export type GeneratedClient = { readonly name: string; readonly walk: Walk };

export async function generateClients(document: string, parent: string): Promise<GeneratedClient[]> {
  return [await openapiFetch(document, parent), await heyApi(document, parent)];
}

async function openapiFetch(document: string, parent: string): Promise<GeneratedClient> {
  const folder = folderWith('openapiFetch', parent);
  writeFileSync(join(folder, 'openapi.json'), document);
  run(folder, 'openapi-typescript', 'openapi.json', '--output', 'generated/document.ts');
  return {
    name: 'openapi-typescript with openapi-fetch',
    walk: await checkedWalk(folder, 'openapi-fetch-walk.ts'),
  };
}

async function heyApi(document: string, parent: string): Promise<GeneratedClient> {
  const folder = folderWith('heyApi', parent);
  writeFileSync(join(folder, 'openapi.json'), document);
  const options = {
    input: 'openapi.json',
    output: { path: 'generated', module: { extension: '.ts' } },
    parser: { filters: { tags: { exclude: ['Service'] } } },
    logs: { file: false },
  };
  writeFileSync(join(folder, 'openapi-ts.config.mjs'), `export default ${JSON.stringify(options)};\n`);
  run(folder, 'openapi-ts', '--file', 'openapi-ts.config.mjs');
  return { name: '@hey-api/openapi-ts', walk: await checkedWalk(folder, 'hey-api-walk.ts') };
}

/** Runs the walk-through with the generated code, once both compile. */
async function checkedWalk(folder: string, walk: string): Promise<Walk> {
  for (const name of [walk, 'surroundings.ts'])
    copyFileSync(new URL(`clients/${name}`, import.meta.url), join(folder, name));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  const types = fileURLToPath(new URL('../../../node_modules/@types', import.meta.url));
  const compilerOptions = {
    target: 'esnext',
    lib: ['esnext', 'dom', 'dom.iterable'],
    module: 'nodenext',
    strict: true,
    noUncheckedIndexedAccess: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: ['node'],
    typeRoots: [types],
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: [walk, 'generated'] }),
  );
  const compiler = fileURLToPath(new URL('../../../node_modules/.bin/tsc', import.meta.url));
  const { stdout, status } = spawnSync(compiler, ['--project', folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The compiler has something against ${walk}:\n${stdout}`);
  // the project's own files
  const module = (await import(pathToFileURL(join(folder, walk)).href)) as { readonly walk: Walk };
  return module.walk;
}
