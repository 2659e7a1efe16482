// The layout of all pages: a template that escapes by default, the frame around a page, and its
// Content-Security-Policy.
import { hash } from 'node:crypto';
import { pageStyle } from './page-style.ts';

/** Markup that is safe to send: only `html` returns it. */
export type Html = { readonly markup: string };
type Part = string | number | Html | readonly Part[];
export type Page = { readonly html: string; readonly csp: string };

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
  /** The page's description for search engines and previews. */
  readonly description?: string;
  /** Where the name in the header leads. */
  readonly home?: string;
  /** Shown in the header, beside the name. */
  readonly tools?: Html;
  readonly main: Html;
};

const openapiLink = html`<a href="/openapi.json">OpenAPI</a>`;

/** On a narrow screen the contents are shown while they are the target of the address, so no page needs a script. */
export function pageOf({ title, contents, main, ...options }: Frame): Page {
  const { tools = openapiLink, home = '/docs', language = 'en' } = options;
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
<header><a class="menu" href="#contents">${contentsName}</a>
<a class="brand" href="${home}">orderly</a>
${tools}</header>
<nav id="contents" aria-label="${contentsName}">${contents}</nav>
<main id="main">
${main}
</main>
</body>
</html>
`;
  return { html: markup, csp };
}

export const icon =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>" +
  "<rect width='16' height='16' rx='4' fill='%233446c8'/>" +
  "<path d='M4 5h8M4 8h8M4 11h5' stroke='white' stroke-width='1.6' stroke-linecap='round'/></svg>";

/** The page's own style, and the icon as the only image: nothing runs, loads or is sent. */
const csp = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', pageStyle, 'base64')}'`,
  'img-src data:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
