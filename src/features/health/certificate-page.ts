// The page by which phones, computers and browsers trust the service's own authority, in English and German, with the
// names that each device gives its settings. `*` encloses what the device shows in bold, backticks code.
import { html, link, pageOf, type Html, type Page, type PageLanguage } from '../../web/page-layout.ts';

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
    ([id, name, ...steps]) => html`<section id="${id}"><h2>${name}</h2>
<ol>${steps.map((step) => html`<li>${marked(step)}</li>`)}</ol></section>`,
  );
  const entries = devices.map(([id, name]) => html`<li>${link(`#${id}`, name)}</li>`);
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

type Device = readonly [id: string, name: string, ...steps: string[]];
type PageTexts = Readonly<Record<'title' | 'description' | 'lead' | 'certificate' | 'comparison', string>> &
  Readonly<Record<CertificateFacts['pages'][number] | 'validity', string>> & {
    readonly devices: readonly Device[];
  };

const texts: Readonly<Record<PageLanguage, PageTexts>> = {
  en: {
    title: 'Trust this service',
    description: 'How phones, computers and browsers trust this service.',
    console: 'Console',
    docs: 'API documentation',
    lead:
      'This service made its certificate itself. A device that has installed the certificate of its authority ' +
      'once trusts the service, without warnings.',
    certificate: 'Certificate of the authority',
    comparison:
      'Compare the fingerprint (SHA-256) that the device shows with the one that the service prints at its ' +
      'start, or with this page on the service’s own machine. Install nothing if they differ: then somebody ' +
      'else answers.',
    validity:
      'The certificate is valid until DATE. Devices accept it only for this service’s names, for names of ' +
      'private networks and for private addresses. It has no secret; the key stays on the service’s machine.',
    devices: [
      [
        'ios',
        'iPhone and iPad',
        'Open this page in Safari, tap the certificate above, and allow the download of the profile.',
        '*Settings* › *General* › *VPN & Device Management*: tap the profile, then *Install*.',
        '*Settings* › *General* › *About* › *Certificate Trust Settings*: switch the certificate on. Without ' +
          'this step nothing changes.',
      ],
      [
        'android',
        'Android',
        'Tap the certificate above. It is saved in the downloads.',
        'Open the settings, search for *CA certificate*, and choose it. On most devices it is at *Security and ' +
          'privacy* › *More security settings* › *Encryption & credentials* › *Install a certificate*.',
        '*Install anyway*, and choose `ca.crt` among the downloads.',
      ],
      [
        'windows',
        'Windows',
        'Download the certificate above, and open it: *Install Certificate…*',
        '*Current User* (or *Local Machine*, for all accounts), then *Place all certificates in the following ' +
          'store* › *Trusted Root Certification Authorities*.',
        '*Finish*, confirm, and start the browser again.',
      ],
      [
        'macos',
        'macOS',
        'Download the certificate above, and open it: Keychain Access adds it.',
        'Double-click it in Keychain Access, open *Trust*, and choose *Always Trust* at *When using this ' +
          'certificate*.',
        'Close the window, and confirm with the password of the Mac.',
      ],
      [
        'firefox',
        'Firefox on a computer',
        'Open the certificate above in Firefox. If Firefox asks at once, tick *Trust this CA to identify ' +
          'websites*, and that was all.',
        'Otherwise: *Settings* › *Privacy & Security* › *View Certificates…* › *Authorities* › *Import…*, ' +
          'choose `ca.crt`, and tick the same.',
      ],
    ],
  },
  de: {
    title: 'Diesem Dienst vertrauen',
    description: 'Wie Handys, Computer und Browser diesem Dienst vertrauen.',
    console: 'Konsole',
    docs: 'API-Dokumentation (englisch)',
    lead:
      'Dieser Dienst hat sein Zertifikat selbst gemacht. Ein Gerät, auf dem das Zertifikat seiner ' +
      'Zertifizierungsstelle einmal installiert ist, vertraut dem Dienst, ohne zu warnen.',
    certificate: 'Zertifikat der Zertifizierungsstelle',
    comparison:
      'Vergleichen Sie den Fingerabdruck (SHA-256), den das Gerät zeigt, mit dem, den der Dienst beim Start ' +
      'ausgibt, oder mit dieser Seite auf dem Rechner des Dienstes. Installieren Sie nichts, wenn sie ' +
      'verschieden sind: Dann antwortet jemand anders.',
    validity:
      'Das Zertifikat gilt bis DATE. Geräte akzeptieren es nur für die Namen dieses Dienstes, für Namen privater ' +
      'Netze und für private Adressen. Es enthält kein Geheimnis; der Schlüssel bleibt auf dem Rechner des ' +
      'Dienstes.',
    devices: [
      [
        'ios',
        'iPhone und iPad',
        'Öffnen Sie diese Seite in Safari, tippen Sie oben auf das Zertifikat, und erlauben Sie, das Profil zu ' +
          'laden.',
        '*Einstellungen* › *Allgemein* › *VPN und Geräteverwaltung*: Tippen Sie auf das Profil, dann auf ' +
          '*Installieren*.',
        '*Einstellungen* › *Allgemein* › *Info* › *Zertifikatsvertrauenseinstellungen*: Schalten Sie das ' +
          'Zertifikat ein. Ohne diesen Schritt ändert sich nichts.',
      ],
      [
        'android',
        'Android',
        'Tippen Sie oben auf das Zertifikat. Es wird unter den Downloads gespeichert.',
        'Öffnen Sie die Einstellungen, suchen Sie *CA-Zertifikat*, und wählen Sie es. Auf den meisten Geräten ' +
          'ist es unter *Sicherheit und Datenschutz* › *Weitere Sicherheitseinstellungen* › *Verschlüsselung ' +
          'und Anmeldedaten* › *Zertifikat installieren*.',
        '*Trotzdem installieren*, und wählen Sie `ca.crt` unter den Downloads.',
      ],
      [
        'windows',
        'Windows',
        'Laden Sie das Zertifikat oben herunter, und öffnen Sie es: *Zertifikat installieren…*',
        '*Aktueller Benutzer* (oder *Lokaler Computer*, für alle Konten), dann *Alle Zertifikate in folgendem ' +
          'Speicher speichern* › *Vertrauenswürdige Stammzertifizierungsstellen*.',
        '*Fertig stellen*, bestätigen Sie, und starten Sie den Browser neu.',
      ],
      [
        'macos',
        'macOS',
        'Laden Sie das Zertifikat oben, und öffnen Sie es: Die Schlüsselbundverwaltung fügt es hinzu.',
        'Doppelklicken Sie es dort, öffnen Sie *Vertrauen*, und wählen Sie bei *Bei Verwendung dieses ' +
          'Zertifikats* *Immer vertrauen*.',
        'Schließen Sie das Fenster, und bestätigen Sie mit dem Passwort des Macs.',
      ],
      [
        'firefox',
        'Firefox auf einem Computer',
        'Öffnen Sie das Zertifikat oben in Firefox. Fragt Firefox gleich, dann setzen Sie das Häkchen bei ' +
          '*Dieser CA vertrauen, um Websites zu identifizieren*, und das war alles.',
        'Sonst: *Einstellungen* › *Datenschutz & Sicherheit* › *Zertifikate anzeigen…* › ' +
          '*Zertifizierungsstellen* › *Importieren…*, wählen Sie `ca.crt`, und setzen Sie dasselbe Häkchen.',
      ],
    ],
  },
};
