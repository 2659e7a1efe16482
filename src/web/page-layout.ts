// The layout of all pages: a template that escapes by default, the frame around a page, and its
// Content-Security-Policy.
import { hash } from 'node:crypto';
import { pageStyle } from './page-style.ts';

/** Markup that is safe to send: only `html` returns it. */
export type Html = { readonly markup: string };
type Part = string | number | Html | readonly Part[];
export type Page = { readonly html: string; readonly policy: string };

/** Escapes each value of the template, unless it is markup of `html`. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { markup: String.raw({ raw: strings }, ...parts.map(markupOf)) };
}

function markupOf(part: Part): string {
  if (typeof part === 'string')
    return part.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  if (typeof part === 'number') return String(part);
  return 'markup' in part ? part.markup : part.map(markupOf).join('');
}

/** Formats the texts of routes and schemas: blank lines separate paragraphs, backticks enclose code. */
export function prose(text: string): Html {
  return html`${text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`)}`;
}

export function inline(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

export function link(target: string, text: Part): Html {
  return html`<a href="${target}">${text}</a>`;
}

export type PageLanguage = keyof typeof frameTexts;

const frameTexts = {
  en: { skip: 'Skip to the content', contents: 'Contents' },
  de: { skip: 'Zum Inhalt springen', contents: 'Inhalt' },
};

type Frame = {
  readonly language?: PageLanguage;
  readonly title: string;
  readonly contents: Html;
  /** Of the page, for search engines and previews. */
  readonly description?: string;
  /** Where the name in the header leads. */
  readonly home?: string;
  /** Shown in the header, beside the name. */
  readonly tools?: Html;
  readonly main: Html;
  readonly dialogs?: Html;
  readonly script?: string;
};

const openapiLink = html`<a class="aside" href="/openapi.json">OpenAPI</a>`;

export function pageOf({ title, contents, main, ...options }: Frame): Page {
  const { tools = openapiLink, dialogs = html``, script = '', home = '/docs', language = 'en' } = options;
  const { skip, contents: contentsName } = frameTexts[language];
  const { description = 'Documentation of the orderly API: users, customers and orders.' } = options;
  const { markup } = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${description}">
<link rel="icon" href="${icon}">
<style>${{ markup: pageStyle }}</style>
</head>
<body>
<a class="skip" href="#main">${skip}</a>
<header><button type="button" class="menu" popovertarget="contents">${contentsName}</button>
<a class="brand" href="${home}">orderly</a>
${tools}</header>
<nav id="contents" popover aria-label="${contentsName}">${contents}</nav>
<main id="main" tabindex="-1">
${main}
</main>
${dialogs}
${script === '' ? '' : html`<script>${{ markup: script }}</script>`}
</body>
</html>
`;
  return { html: markup, policy: policyFor(script) };
}

export const icon =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>" +
  "<rect width='16' height='16' rx='4' fill='%233446c8'/>" +
  "<path d='M4 5h8M4 8h8M4 11h5' stroke='white' stroke-width='1.6' stroke-linecap='round'/></svg>";

/**
 * Returns a policy that allows the page's own style and script, the icon as the only image, and requests to
 * the service if there is a script. No text can become markup or script.
 */
function policyFor(script: string): string {
  const sourceOf = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;
  const directives = ["default-src 'none'", `style-src ${sourceOf(pageStyle)}`];
  if (script !== '') directives.push(`script-src ${sourceOf(script)}`, "connect-src 'self'");
  directives.push('img-src data:', "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'");
  directives.push("require-trusted-types-for 'script'", "trusted-types 'none'");
  return directives.join('; ');
}
