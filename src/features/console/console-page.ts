// The page that the console runs in: its stylesheet, its modules, and the values that they need.
import { currencyDigits } from '../../schema/decimal.ts';
import { countries, currencies, withdrawnCurrencies } from '../../schema/iso-codes.ts';
import { html, icon, type Page } from '../../web/page-layout.ts';
import type { Shop } from '../shop/shop.ts';
import { entryFile, iconFile, manifestFile, styleFile } from './console-files.ts';

/** Allows only resources of the service itself, and no text that becomes markup or script. */
const consolePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export type ConsoleSettings = {
  /** Whether there is a documentation page, which the console links. */
  readonly hasDocs: boolean;
  /** Whether the service delivers events, which the console has a page for. */
  readonly hasWebhooks: boolean;
  /** Whether the service imports files, for which the console has pages. */
  readonly hasImports: boolean;
  /** Whether another program copies the database as it changes: then no backups are needed. */
  readonly isReplicated: boolean;
  /** Whether the certificate is of the service's own authority, which each device has to trust. */
  readonly hasOwnAuthority: boolean;
};

const withoutScripts = html`; the <a href="/docs">documentation</a> does not`;

/** What else the page is made from. */
type Known = {
  readonly shop: Shop;
  /** The names of the resources that the console has no pages of its own for: it makes some from the document. */
  readonly resources: readonly string[];
};

const withOwnPages = ['orders', 'customers', 'products', 'webhooks'];

/** Returns the resources of the document that have a list and objects, and no pages in the console. */
export function otherResources(document: object): readonly string[] {
  const { paths = {} } = document as { readonly paths?: object }; // as the service makes it
  return Object.keys(paths).flatMap((path) => {
    const [, name] = /^\/([a-z][a-z-]*)\/\{id\}$/.exec(path) ?? [];
    if (name === undefined || withOwnPages.includes(name)) return [];
    return Object.hasOwn(paths, `/${name}`) ? [name] : [];
  });
}

export function consolePage(settings: ConsoleSettings, { shop, resources }: Known): Page {
  const { hasDocs, hasWebhooks, hasImports, isReplicated, hasOwnAuthority } = settings;
  // browsers have other lists
  const withDigits = (code: string): string => `${code}:${currencyDigits(code)}`;
  // other withdrawn ones have two digits
  const withdrawn = [...withdrawnCurrencies].filter((code) => currencyDigits(code) === 0);
  const { markup } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#ffffff" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#14161a" media="(prefers-color-scheme: dark)">
<meta name="currencies" content="${[...currencies].map(withDigits).join(' ')}">
<meta name="whole-currencies" content="${withdrawn.join(' ')}">
<meta name="countries" content="${[...countries].join(' ')}">
<meta name="shop" content="${JSON.stringify(shop)}">
<meta name="replica" content="${isReplicated ? 'litestream' : ''}">
<meta name="certificate" content="${hasOwnAuthority ? '/certificate' : ''}">
<meta name="resources" content="${resources.join(' ')}">
<meta name="webhooks" content="${hasWebhooks ? '/webhooks' : ''}">
<meta name="imports" content="${hasImports ? '/imports' : ''}">
<meta name="documentation" content="${hasDocs ? '/docs' : ''}">
<title>orderly</title>
<link rel="icon" href="${icon}">
<link rel="apple-touch-icon" href="/console/${iconFile}">
<link rel="manifest" href="/console/${manifestFile}">
<link rel="stylesheet" href="/console/${styleFile}">
<script type="module" src="/console/${entryFile}"></script>
</head>
<body>
<div id="page"><p class="start" role="status">orderly …</p>
<p class="start not-started">This page has not started: the browser is too old (Chromium 109 and Firefox 121 aren’t), or blocks its script.</p>
<p class="start not-started" lang="de">Diese Seite ist nicht gestartet: Der Browser ist zu alt für sie (Chromium 109 und Firefox 121 sind es nicht) oder blockiert ihr Skript.</p></div>
<noscript>
<p class="start">The console needs JavaScript${hasDocs ? withoutScripts : ''}.</p>
<p class="start" lang="de">Die Konsole braucht JavaScript.</p>
</noscript>
</body>
</html>
`;
  return { html: markup, csp: consolePolicy };
}
