// npm run check:api: what a linter, generators, validators and a proxy of others report about the service's OpenAPI
// document, and how it gets on with a browser's page and EventSource clients. Needs Chromium.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { admin, withService } from '../support/service.ts';
import { compareWithAjv } from './check-api/ajv-comparison.ts';
import { walkInBrowser } from './check-api/browser-page.ts';
import { followOverRestart } from './check-api/event-sources.ts';
import { clientNames, generateClient, readmeClient } from './check-api/generated-clients.ts';
import { redoclyFindings, uncompiledPatterns } from './check-api/other-readers.ts';
import { walkThroughPrism } from './check-api/prism-proxy.ts';

/** As a service is by default, with tokens that are good for any port. */
const options = { settings: { 'rate-default': '600/60', 'public-url': 'https://orders.test' } };
const seed = Number(process.argv[2] ?? 20_260_301);
const folder = mkdtempSync(join(tmpdir(), 'orderly-check-api-'));
try {
  const document = await withService(options, async (service) => (await service.get('/openapi.json')).text);
  report('Redocly', redoclyFindings(document, folder));
  report('RE2 and PCRE, on the patterns', uncompiledPatterns(document, folder));
  await withService(options, async ({ inside }) => {
    const mounted = inside?.router.mounted ?? [];
    const { values, fitting, stricter, violations } = compareWithAjv(mounted, document, { folder, seed });
    report(
      `Ajv, on ${values} random values (seed ${seed}), of which ${fitting} fit`,
      violations.slice(0, 20),
    );
    const counts = [...stricter].map(([member, count]) => `${member} ${count}`);
    console.log(`  Stricter by rules of ours: ${counts.join(', ')}.`);
  });
  for (const name of clientNames) {
    const walk = await generateClient(name, document, folder);
    const ownFetch = fetch; // some walks replace it
    await withService(options, ({ url: baseUrl }) => walk({ baseUrl, fetch: ownFetch, admin }));
    globalThis.fetch = ownFetch;
    console.log(`${name}: type-checks, and walks through the service.`);
    if (name === readmeClient)
      await withService(options, async ({ url }) =>
        report(
          `Prism between ${name} and the service`,
          await walkThroughPrism(walk, { document, folder, url }),
        ),
      );
  }
  report('A page in Chromium, with foreign header fields', await walkInBrowser(options.settings));
  report('Three EventSource clients over a restart', await followOverRestart(options.settings, folder));
} finally {
  rmSync(folder, { recursive: true });
}

function report(what: string, violations: readonly string[]): void {
  console.log(`${what}: ${violations.length} violations.`);
  for (const violation of violations) console.error(`✗ ${violation}`);
  if (violations.length > 0) process.exitCode = 1;
}
