// Clients that generators create from the document: generated, compiled, and run through a walk.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { madeUpAddress } from './clients/short-walk.ts';
import type { Surroundings } from './clients/surroundings.ts';
import { folderWith, run, type Toolset } from './outside-tools.ts';

export type Walk = (surroundings: Surroundings) => Promise<void>;

type Recipe = {
  readonly toolset: Toolset;
  /** Settings of the generator, by file name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly command: readonly [tool: string, ...args: string[]];
  /** A file of `clients/`. */
  readonly walk: string;
  /** Whether the code passes the compiler's strict rules. */
  readonly isStrict?: true;
};

function orval(toolset: Toolset, walk: string, output: object): Recipe {
  const settings = { api: { input: 'openapi.json', output: { target: 'generated/api.ts', ...output } } };
  const files = { 'orval.config.mjs': `export default ${JSON.stringify(settings)};\n` };
  return { toolset, files, command: ['orval', '--config', 'orval.config.mjs'], walk };
}

function heyApi(toolset: Toolset, settings: object = {}): Recipe {
  const all = {
    input: 'openapi.json',
    output: { path: 'generated', module: { extension: '.ts' } },
    parser: { filters: { tags: { exclude: ['Service'] } } },
    logs: { file: false },
    ...settings,
  };
  const files = { 'openapi-ts.config.mjs': `export default ${JSON.stringify(all)};\n` };
  return { toolset, files, command: ['openapi-ts', '--file', 'openapi-ts.config.mjs'], walk: 'hey-api-walk' };
}

/** What checks and converts each response. */
function validating(validator: 'zod' | 'valibot'): object {
  const transformer = '@hey-api/transformers';
  return {
    plugins: [
      ...['@hey-api/client-fetch', '@hey-api/typescript', validator],
      { name: transformer, bigInt: false },
      { name: '@hey-api/sdk', validator: { request: false, response: validator }, transformer },
    ],
  };
}

const fetching = { client: 'fetch', mode: 'single', baseUrl: madeUpAddress };
const kubbSettings = `
import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';

export default defineConfig({
  root: '.',
  input: { path: 'openapi.json' },
  output: { path: 'generated', extension: { '.ts': '.ts' } },
  plugins: [pluginOas({ generators: [] }), pluginTs(), pluginClient({ client: 'fetch', bundle: true })],
});
`;

/** Its walk is that of the README. */
export const readmeClient = '@hey-api/openapi-ts';
const recipes: Readonly<Record<string, Recipe>> = {
  [readmeClient]: { ...heyApi('heyApi'), isStrict: true },
  'openapi-typescript with openapi-fetch': {
    toolset: 'openapiFetch',
    command: ['openapi-typescript', 'openapi.json', '--output', 'generated/document.ts'],
    walk: 'openapi-fetch-walk',
    isStrict: true,
  },
  'swagger-typescript-api': {
    toolset: 'swaggerTypescriptApi',
    command: [
      ...(['swagger-typescript-api', 'generate', '--path', 'openapi.json'] as const),
      ...['--output', 'generated', '--name', 'api.ts', '--generate-union-enums'],
    ],
    walk: 'swagger-typescript-api-walk',
  },
  oazapfts: {
    toolset: 'oazapfts',
    command: ['oazapfts', 'openapi.json', 'generated/api.ts'],
    walk: 'oazapfts-walk',
  },
  'orval 7': orval('orval7', 'orval-7-walk', fetching),
  'orval 8': orval('orval8', 'orval-8-walk', fetching),
  kubb: {
    toolset: 'kubb',
    files: { 'kubb.config.mjs': kubbSettings },
    command: ['kubb', 'generate'],
    walk: 'kubb-walk',
  },
  '@hey-api/openapi-ts with zod and transformers': heyApi('heyApiZod', validating('zod')),
  '@hey-api/openapi-ts with valibot and transformers': heyApi('heyApiValibot', validating('valibot')),
  'orval with zod': orval('orvalZod', 'orval-zod-walk', { client: 'zod', mode: 'single' }),
};
export const clientNames = Object.keys(recipes);

/** Returns its walk, once that compiles with the generated code. */
export async function generateClient(name: string, document: string, parent: string): Promise<Walk> {
  const recipe = recipes[name];
  if (recipe === undefined) throw new Error(`There is no recipe of ${name}.`);
  const { toolset, files = {}, command, walk, isStrict = false } = recipe;
  const folder = folderWith(toolset, parent);
  mkdirSync(join(folder, 'generated'));
  const own = { 'openapi.json': document, 'package.json': '{ "type": "module" }\n' };
  for (const [file, text] of Object.entries({ ...own, ...files })) writeFileSync(join(folder, file), text);
  run(folder, ...command);
  for (const file of [`${walk}.ts`, 'short-walk.ts', 'surroundings.ts'])
    copyFileSync(new URL(`clients/${file}`, import.meta.url), join(folder, file));
  compile(folder, { strict: isStrict, noUncheckedIndexedAccess: isStrict });
  // the project's own files
  const made = (await import(pathToFileURL(join(folder, 'made', `${walk}.js`)).href)) as {
    readonly walk: Walk;
  };
  return made.walk;
}

/** Node runs what the compiler makes, since some of the code has enums. */
function compile(folder: string, rules: object): void {
  const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
  const compilerOptions = {
    target: 'esnext',
    lib: ['esnext', 'dom', 'dom.iterable'],
    module: 'nodenext',
    skipLibCheck: true,
    rewriteRelativeImportExtensions: true,
    rootDir: '.',
    outDir: 'made',
    types: ['node'],
    typeRoots: [join(modules, '@types')],
    ...rules,
  };
  const settings = { compilerOptions, include: ['*-walk.ts', 'generated'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  const compiler = join(modules, '.bin/tsc');
  const { stdout, status } = spawnSync(compiler, ['--project', folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The compiler has something against ${folder}:\n${stdout}`);
}
