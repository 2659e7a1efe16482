// The page by which phones, computers and browsers trust the service's own authority.
import { html, link, pageOf, type Html, type Page, type PageLanguage } from '../../web/page-layout.ts';
import { certificateTexts, type CertificateTexts, type Device } from './certificate-texts.ts';

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
  const texts = certificateTexts[language];
  const { title, description, lead, certificate, comparison, validity, devices } = texts;
  const main = html`<section id="certificate"><h1>${title}</h1>
<p class="lead">${lead}</p>
<p>${link(filePath, html`<b>${certificate}</b> (<code>ca.crt</code>)`)}</p>
<p>${comparison}</p>
<p><code id="fingerprint">${fingerprint}</code></p>
<p class="quiet">${validity[0]}${validTo.toISOString().slice(0, 10)}${validity[1]}</p></section>
${devices.map(sectionOf)}`;
  return pageOf({
    language,
    title: `${title} · orderly`,
    description,
    home: `/${pages[0] ?? 'certificate'}`,
    tools: html``,
    contents: contentsFor(pages, texts),
    main,
  });
}

function sectionOf({ id, name, steps }: Device): Html {
  return html`<section id="${id}" tabindex="-1"><h2>${name}</h2>
<ol>${steps.map((step) => html`<li>${step}</li>`)}</ol></section>`;
}

function contentsFor(pages: CertificateFacts['pages'], texts: CertificateTexts): Html {
  const entries = texts.devices.map(
    ({ id, name }) => html`<li><a href="#${id}"><span>${name}</span></a></li>`,
  );
  return html`<ul>${pages.map((page) => html`<li>${link(`/${page}`, texts[page])}</li>`)}
<li>${link('#certificate', texts.title)}<ul>${entries}</ul></li></ul>`;
}
