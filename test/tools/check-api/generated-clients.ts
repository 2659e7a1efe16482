// Clients that generators create from the document: generated, type-checked, and run through the
// walk-through.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Surroundings } from './clients/surroundings.ts';
import { madeUpAddress } from './clients/short-walk.ts';
import { folderWith, run, type Toolset } from './outside-tools.ts';

export type Walk = (surroundings: Surroundings) => Promise<void>;
export type GeneratedClient = { readonly name: string; readonly walk: Walk };

export async function generateClients(document: string, parent: string): Promise<GeneratedClient[]> {
  return [await openapiFetch(document, parent), await heyApi(document, parent)];
}

type Recipe = {
  readonly toolset: Toolset;
  /** The name of the walk's file, too. */
  readonly name: string;
  /** Settings of the generator, by file name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly command: readonly [tool: string, ...args: string[]];
};

const orvalSettings = {
  api: {
    input: 'openapi.json',
    output: { target: 'generated/api.ts', client: 'fetch', mode: 'single', baseUrl: madeUpAddress },
  },
};
const orval = {
  files: { 'orval.config.mjs': `export default ${JSON.stringify(orvalSettings)};\n` },
  command: ['orval', '--config', 'orval.config.mjs'],
} as const;
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

const recipes: readonly Recipe[] = [
  {
    toolset: 'swaggerTypescriptApi',
    name: 'swagger-typescript-api',
    command: [
      'swagger-typescript-api',
      'generate',
      ...['--path', 'openapi.json', '--output', 'generated', '--name', 'api.ts'],
      '--generate-union-enums',
    ],
  },
  { toolset: 'oazapfts', name: 'oazapfts', command: ['oazapfts', 'openapi.json', 'generated/api.ts'] },
  { toolset: 'orval7', name: 'orval-7', ...orval },
  { toolset: 'orval8', name: 'orval-8', ...orval },
  {
    toolset: 'kubb',
    name: 'kubb',
    files: { 'kubb.config.mjs': kubbSettings },
    command: ['kubb', 'generate'],
  },
];

/** The clients of further generators, which get through a short walk. */
export async function generateFurtherClients(document: string, parent: string): Promise<GeneratedClient[]> {
  const clients: GeneratedClient[] = [];
  for (const { toolset, name, files = {}, command } of recipes) {
    const folder = folderWith(toolset, parent);
    mkdirSync(join(folder, 'generated'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
    for (const [file, text] of Object.entries({ 'openapi.json': document, ...files }))
      writeFileSync(join(folder, file), text);
    run(folder, ...command);
    clients.push({ name, walk: await compiledWalk(folder, `${name}-walk`) });
  }
  return clients;
}

/**
 * Compiles the walk with the generated code, by the compiler's loosest rules: some of this code passes none
 * stricter. Node runs what that makes, since some of it has enums.
 */
async function compiledWalk(folder: string, name: string): Promise<Walk> {
  const walk = `${name}.ts`;
  for (const file of [walk, 'short-walk.ts', 'surroundings.ts'])
    copyFileSync(new URL(`clients/${file}`, import.meta.url), join(folder, file));
  compile(folder, walk, {
    strict: false,
    rewriteRelativeImportExtensions: true,
    outDir: 'made',
  });
  return walkOf(join(folder, 'made', `${name}.js`));
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

/** @hey-api/openapi-ts with what checks and converts each response: zod or valibot, and its transformers. */
export async function generateValidatingClient(
  validator: 'zod' | 'valibot',
  document: string,
  parent: string,
): Promise<GeneratedClient> {
  const folder = folderWith(validator === 'zod' ? 'heyApiZod' : 'heyApiValibot', parent);
  writeFileSync(join(folder, 'openapi.json'), document);
  const options = {
    input: 'openapi.json',
    output: { path: 'generated', module: { extension: '.ts' } },
    parser: { filters: { tags: { exclude: ['Service'] } } },
    plugins: [
      '@hey-api/client-fetch',
      '@hey-api/typescript',
      validator,
      { name: '@hey-api/transformers', bigInt: false },
      {
        name: '@hey-api/sdk',
        validator: { request: false, response: validator },
        transformer: '@hey-api/transformers',
      },
    ],
    logs: { file: false },
  };
  writeFileSync(join(folder, 'openapi-ts.config.mjs'), `export default ${JSON.stringify(options)};\n`);
  run(folder, 'openapi-ts', '--file', 'openapi-ts.config.mjs');
  return {
    name: `@hey-api/openapi-ts with ${validator} and transformers`,
    walk: await compiledWalk(folder, 'hey-api-walk'),
  };
}

/** The schemas of responses that orval makes for zod, over responses of the service. */
export async function generateOrvalZod(document: string, parent: string): Promise<GeneratedClient> {
  const folder = folderWith('orvalZod', parent);
  mkdirSync(join(folder, 'generated'));
  writeFileSync(join(folder, 'openapi.json'), document);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  const settings = {
    api: { input: 'openapi.json', output: { target: 'generated/api.ts', client: 'zod', mode: 'single' } },
  };
  writeFileSync(join(folder, 'orval.config.mjs'), `export default ${JSON.stringify(settings)};\n`);
  run(folder, 'orval', '--config', 'orval.config.mjs');
  return { name: 'orval with zod', walk: await compiledWalk(folder, 'orval-zod-walk') };
}

/** Runs the walk-through with the generated code, once both compile. */
async function checkedWalk(folder: string, walk: string): Promise<Walk> {
  for (const name of [walk, 'surroundings.ts'])
    copyFileSync(new URL(`clients/${name}`, import.meta.url), join(folder, name));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  compile(folder, walk, {
    strict: true,
    noUncheckedIndexedAccess: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  });
  return walkOf(join(folder, walk));
}

async function walkOf(file: string): Promise<Walk> {
  // the project's own files
  const module = (await import(pathToFileURL(file).href)) as { readonly walk: Walk };
  return module.walk;
}

function compile(folder: string, walk: string, options: object): void {
  const types = fileURLToPath(new URL('../../../node_modules/@types', import.meta.url));
  const compilerOptions = {
    target: 'esnext',
    lib: ['esnext', 'dom', 'dom.iterable'],
    module: 'nodenext',
    skipLibCheck: true,
    ...options,
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
}
