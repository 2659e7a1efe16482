// Tools of others at pinned versions, from npm's own cache: they aren't installed in the project.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

// openapi-typescript and openapi-ts need the compiler interface of TypeScript 5, which 7 doesn't have.
export const toolsets = {
  redocly: ['@redocly/cli@2.77.0'],
  openapiFetch: ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3'],
  heyApi: ['@hey-api/openapi-ts@0.99.0', 'typescript@5.9.3'],
  swaggerTypescriptApi: ['swagger-typescript-api@13.12.3'],
  oazapfts: ['oazapfts@7.5.0', '@oazapfts/runtime@1.2.0', 'typescript@5.9.3'],
  orval7: ['orval@7.21.0', 'typescript@5.9.3'],
  orval8: ['orval@8.38.0', 'typescript@5.9.3'],
  kubb: [
    '@kubb/cli@4.39.3',
    '@kubb/core@4.39.3',
    '@kubb/plugin-oas@4.39.3',
    '@kubb/plugin-ts@4.39.3',
    '@kubb/plugin-client@4.39.3',
    'typescript@5.9.3',
  ],
  heyApiZod: ['@hey-api/openapi-ts@0.99.0', 'typescript@5.9.3', 'zod@4.6.7'],
  heyApiValibot: ['@hey-api/openapi-ts@0.99.0', 'typescript@5.9.3', 'valibot@1.5.0'],
  orvalZod: ['orval@8.38.0', 'typescript@5.9.3', 'zod@4.6.7'],
  eventSources: ['eventsource@5.1.5', 'undici@8.13.1'],
  prism: ['@stoplight/prism-cli@5.16.0'],
  re2: ['re2js@2.10.0'],
  ajv: ['ajv@8.20.0'],
  axe: ['axe-core@4.11.0'],
  cycloneDx: [
    '@cyclonedx/cyclonedx-library@10.3.0',
    'ajv@8.20.0',
    'ajv-formats@3.0.1',
    'ajv-formats-draft2019@1.6.1',
    'packageurl-js@2.0.1',
  ],
  litestream: ['@flydotio/litestream@1.0.1'],
} as const;
export type Toolset = keyof typeof toolsets;

/** A new folder in which the toolset's packages can be imported; npx fetches those that its cache lacks. */
export function folderWith(toolset: Toolset, parent: string): string {
  const folder = join(parent, toolset);
  mkdirSync(folder);
  const wanted = toolsets[toolset].flatMap((name) => ['--package', name]);
  const path = execFileSync('npx', ['--yes', ...wanted, '--call', 'echo $PATH'], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [bin = ''] = path.trim().split(':'); // npx puts its own first
  symlinkSync(join(bin, '..'), join(folder, 'node_modules'));
  return folder;
}

/** The output of the tool. Its exit status is ignored: linters use it to report findings. */
export function run(folder: string, tool: string, ...args: readonly string[]): string {
  const env = {
    ...process.env,
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    NO_COLOR: '1',
  };
  const { stdout, stderr, error, status } = spawnSync(process.execPath, [binOf(folder, tool), ...args], {
    cwd: folder,
    encoding: 'utf8',
    env,
    maxBuffer: 1e8,
  });
  if (error !== undefined || (status !== 0 && stdout === ''))
    throw new Error(`${tool} failed: ${error?.message ?? stderr}`);
  return stdout;
}

export function binOf(folder: string, tool: string): string {
  return join(folder, 'node_modules', '.bin', tool);
}
