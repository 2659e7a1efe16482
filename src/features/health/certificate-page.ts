// The page by which phones, computers and browsers trust the service's own authority.
import { html, link, pageOf, type Html, type Page } from '../../web/page-layout.ts';

type CertificateFacts = {
  /** SHA-256, as certificates' viewers show it. */
  readonly fingerprint: string;
  readonly validTo: Date;
  /** Where the certificate is, as a file. */
  readonly filePath: string;
  /** The names of the pages that the service has besides this one. */
  readonly pages: readonly string[];
};

type Device = { readonly id: string; readonly name: string; readonly steps: readonly Html[] };

const devices: readonly Device[] = [
  {
    id: 'ios',
    name: 'iPhone and iPad',
    steps: [
      html`Open this page in Safari, tap the certificate above, and allow the download of the profile.`,
      html`<b>Settings</b> › <b>General</b> › <b>VPN &amp; Device Management</b>: tap the profile, then
<b>Install</b>.`,
      html`<b>Settings</b> › <b>General</b> › <b>About</b> › <b>Certificate Trust Settings</b>: switch the
certificate on. Without this step nothing changes.`,
    ],
  },
  {
    id: 'android',
    name: 'Android',
    steps: [
      html`Tap the certificate above. It is saved in the downloads.`,
      html`Open the settings, search for <b>CA certificate</b>, and choose it. On most devices it is at
<b>Security and privacy</b> › <b>More security settings</b> › <b>Encryption &amp; credentials</b> ›
<b>Install a certificate</b>.`,
      html`<b>Install anyway</b>, and choose <code>ca.crt</code> among the downloads.`,
    ],
  },
  {
    id: 'windows',
    name: 'Windows',
    steps: [
      html`Download the certificate above, and open it: <b>Install Certificate…</b>`,
      html`<b>Current User</b> (or <b>Local Machine</b>, for all accounts), then <b>Place all certificates in the
following store</b> › <b>Trusted Root Certification Authorities</b>.`,
      html`<b>Finish</b>, confirm, and start the browser again.`,
    ],
  },
  {
    id: 'macos',
    name: 'macOS',
    steps: [
      html`Download the certificate above, and open it: Keychain Access adds it.`,
      html`Double-click it in Keychain Access, open <b>Trust</b>, and choose <b>Always Trust</b> at <b>When using
this certificate</b>.`,
      html`Close the window, and confirm with the password of the Mac.`,
    ],
  },
  {
    id: 'firefox',
    name: 'Firefox on a computer',
    steps: [
      html`Open the certificate above in Firefox. If Firefox asks at once, tick <b>Trust this CA to identify
websites</b>, and that was all.`,
      html`Otherwise: <b>Settings</b> › <b>Privacy &amp; Security</b> › <b>View Certificates…</b> ›
<b>Authorities</b> › <b>Import…</b>, choose <code>ca.crt</code>, and tick the same.`,
    ],
  },
];

export function certificatePage({ fingerprint, validTo, filePath, pages }: CertificateFacts): Page {
  const main = html`<section id="certificate"><h1>Trust this service</h1>
<p class="lead">This service made its certificate itself. A device that has installed the certificate of its
authority once trusts the service, without warnings.</p>
<p>${link(filePath, html`<b>Certificate of the authority</b> (<code>ca.crt</code>)`)}</p>
<p>Compare the fingerprint (SHA-256) that the device shows with the one that the service prints at its start, or
with this page on the service’s own machine. Install nothing if they differ: then somebody else answers.</p>
<p><code id="fingerprint">${fingerprint}</code></p>
<p class="quiet">The certificate is valid until ${validTo.toISOString().slice(0, 10)}. Devices accept it only for
this service’s names, for names of private networks and for private addresses. It has no secret; the key stays on
the service’s machine.</p></section>
${devices.map(sectionOf)}`;
  return pageOf({
    title: 'Trust this service · orderly',
    description: 'How phones, computers and browsers trust this service.',
    home: `/${pages[0] ?? 'certificate'}`,
    tools: html``,
    contents: contentsFor(pages),
    main,
  });
}

function sectionOf({ id, name, steps }: Device): Html {
  return html`<section id="${id}" tabindex="-1"><h2>${name}</h2>
<ol>${steps.map((step) => html`<li>${step}</li>`)}</ol></section>`;
}

const titles: Readonly<Record<string, string>> = { console: 'Console', docs: 'API documentation' };

function contentsFor(pages: readonly string[]): Html {
  const entries = devices.map(({ id, name }) => html`<li><a href="#${id}"><span>${name}</span></a></li>`);
  return html`<ul>${pages.map((page) => html`<li>${link(`/${page}`, titles[page] ?? page)}</li>`)}
<li>${link('#certificate', 'Trust this service')}<ul>${entries}</ul></li></ul>`;
}
