// npm run check:api: what a linter, generators, a validator and a proxy of others report about the service's
// OpenAPI document.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareWithAjv } from './check-api/ajv-comparison.ts';
import { patternsIn, uncompiledPatterns } from './check-api/compile-patterns.ts';
import {
  generateClients,
  generateFurtherClients,
  type GeneratedClient,
} from './check-api/generated-clients.ts';
import { lintDocument } from './check-api/lint-document.ts';
import { admin, withService } from './check-api/local-service.ts';
import { folderWith } from './check-api/outside-tools.ts';
import { noting, startPrism, type Exchange } from './check-api/prism-proxy.ts';

const seed = Number(process.argv[2] ?? 20_260_301);

const folder = mkdtempSync(join(tmpdir(), 'orderly-check-api-'));
try {
  const violations = await checkApi(folder);
  for (const violation of violations) console.error(`✗ ${violation}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

async function checkApi(parent: string): Promise<string[]> {
  const document = await withService(async (_, baseUrl) => (await fetch(`${baseUrl}/openapi.json`)).text());
  const clients = await generateClients(document, parent);
  return [
    ...lint(document, parent),
    ...compilePatterns(document, parent),
    ...(await compare(document, parent)),
    ...(await walkDirectly([...clients, ...(await generateFurtherClients(document, parent))])),
    ...(await walkThroughPrism(clients, document, parent)),
  ];
}

function lint(document: string, parent: string): readonly string[] {
  const findings = lintDocument(document, parent);
  say(`Redocly: ${findings.length} findings.`);
  return findings;
}

function compilePatterns(document: string, parent: string): readonly string[] {
  const uncompiled = uncompiledPatterns(document, parent);
  say(`RE2 and PCRE on ${patternsIn(document).size} patterns: ${uncompiled.length} not compiled.`);
  return uncompiled;
}

async function compare(document: string, parent: string): Promise<readonly string[]> {
  const { values, fitting, stricter, violations } = await withService(({ app }) =>
    compareWithAjv(app.router.mounted, document, { parent, seed }),
  );
  say(
    `Ajv on ${values} random values (seed ${seed}), of which ${fitting} fit: ` +
      `${violations.length} disagreements.`,
  );
  say(
    '  Stricter by rules of ours: ' +
      `${[...stricter].map(([member, count]) => `${member} ${count}`).join(', ')}.`,
  );
  return violations.slice(0, 20);
}

async function walkDirectly(clients: readonly GeneratedClient[]): Promise<string[]> {
  for (const { name, walk } of clients) {
    await withService((_, baseUrl) => walk({ baseUrl, fetch, admin }));
    say(`${name}: type-checks, and walks through the service.`);
  }
  return [];
}

/** The only request that Prism reports has to be the one that is wrong on purpose. */
async function walkThroughPrism(
  clients: readonly GeneratedClient[],
  document: string,
  parent: string,
): Promise<string[]> {
  const prismFolder = folderWith('prism', parent);
  const violations: string[] = [];
  for (const { name, walk } of clients) {
    const exchanges: Exchange[] = [];
    await withService(async (_, upstream) => {
      const prism = await startPrism(prismFolder, document, upstream);
      await walk({ baseUrl: prism.url, fetch: noting(exchanges), admin }).finally(() => prism.stop());
    });
    const isOnPurpose = ({ status, violations }: Exchange): boolean =>
      status === 422 &&
      violations.length > 0 &&
      violations.every(({ location: [side] }) => side === 'request');
    const violating = exchanges.filter(
      (exchange) => exchange.violations.length > 0 && !isOnPurpose(exchange),
    );
    if (!exchanges.some(isOnPurpose))
      violations.push(`Prism saw nothing wrong with the order that is wrong on purpose (${name})`);
    violations.push(
      ...violating.map(
        ({ what, status, violations }) => `Prism: ${what} → ${status}: ${JSON.stringify(violations)}`,
      ),
    );
    say(
      `Prism between ${name} and the service: ${violating.length} violations in ` +
        `${exchanges.length} exchanges.`,
    );
  }
  return violations;
}

function say(line: string): void {
  console.log(line);
}
