// The page by which phones, computers and browsers trust the service's own authority, in English and German. Its texts
// have the names that each device gives its settings: `*` encloses those, which are bold, and backticks enclose code.
import { html, link, pageOf, type Html, type Page, type PageLanguage } from '../../web/page-layout.ts';
import texts from './certificate-texts.json' with { type: 'json' };

type CertificateFacts = {
  /** SHA-256, as certificates' viewers show it. */
  readonly fingerprint: string;
  readonly validTo: Date;
  /** Where the certificate is, as a file. */
  readonly filePath: string;
  /** The names of the pages that the service has besides this one. */
  readonly pages: readonly ('console' | 'docs')[];
};

export function certificatePage(
  { fingerprint, validTo, filePath, pages }: CertificateFacts,
  language: PageLanguage,
): Page {
  const { title, description, lead, certificate, comparison, validity, devices, ...names } = texts[language];
  const sections = devices.map(
    ({ id, name, steps }) => html`<section id="${id}"><h2>${name}</h2>
<ol>${steps.map((step) => html`<li>${marked(step)}</li>`)}</ol></section>`,
  );
  const entries = devices.map(({ id, name }) => html`<li>${link(`#${id}`, name)}</li>`);
  return pageOf({
    language,
    title: `${title} · orderly`,
    description,
    home: `/${pages[0] ?? 'certificate'}`,
    tools: html``,
    contents: html`<ul>${pages.map((page) => html`<li>${link(`/${page}`, names[page])}</li>`)}
<li>${link('#certificate', title)}<ul>${entries}</ul></li></ul>`,
    main: html`<section id="certificate"><h1>${title}</h1>
<p class="lead">${lead}</p>
<p>${link(filePath, html`<b>${certificate}</b> (<code>ca.crt</code>)`)}</p>
<p>${comparison}</p>
<p><code id="fingerprint">${fingerprint}</code></p>
<p class="quiet">${validity.replace('DATE', validTo.toISOString().slice(0, 10))}</p></section>
${sections}`,
  });
}

function marked(text: string): Html {
  const parts = text.split(/(\*.*?\*|`.*?`)/).map((part) => {
    if (part.startsWith('*')) return html`<b>${part.slice(1, -1)}</b>`;
    return part.startsWith('`') ? html`<code>${part.slice(1, -1)}</code>` : part;
  });
  return html`${parts}`;
}
