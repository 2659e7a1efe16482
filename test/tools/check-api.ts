// npm run check:api: what a linter, generators, validators and a proxy of others report about the service's OpenAPI
// document, and how it gets on with a browser's page, EventSource clients, and proxies that compress. Needs Chromium, nginx
// and Caddy.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareWithAjv } from './check-api/ajv-comparison.ts';
import { walkInBrowser } from './check-api/browser-page.ts';
import { patternsIn, uncompiledPatterns } from './check-api/compile-patterns.ts';
import { walkThroughCompression } from './check-api/compressing-proxies.ts';
import { followOverRestart } from './check-api/event-sources.ts';
import {
  generateClients,
  generateFurtherClients,
  generateOrvalZod,
  generateValidatingClient,
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
    ...(await walkDirectly([
      ...clients,
      ...(await generateFurtherClients(document, parent)),
      await generateValidatingClient('zod', document, parent),
      await generateValidatingClient('valibot', document, parent),
      await generateOrvalZod(document, parent),
    ])),
    ...(await walkThroughPrism(clients, document, parent)),
    ...(await compress()),
    ...told('A page in Chromium, with foreign header fields', await walkInBrowser()),
    ...told('Three EventSource clients over a restart', await followOverRestart(parent)),
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
  const ownFetch = fetch; // some walks replace it
  for (const { name, walk } of clients) {
    await withService((_, baseUrl) => walk({ baseUrl, fetch: ownFetch, admin }));
    globalThis.fetch = ownFetch;
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

async function compress(): Promise<readonly string[]> {
  const { notes, violations } = await walkThroughCompression();
  for (const note of notes) say(`${note}.`);
  return violations;
}

function told(what: string, violations: readonly string[]): readonly string[] {
  say(`${what}: ${violations.length} violations.`);
  return violations;
}

function say(line: string): void {
  console.log(line);
}
