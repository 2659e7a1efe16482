// The words of the page by which devices trust the service: what each device calls its settings, in its language.
import { html, type Html } from '../../web/page-layout.ts';

export type Device = { readonly id: string; readonly name: string; readonly steps: readonly Html[] };

export type CertificateTexts = {
  readonly title: string;
  readonly description: string;
  readonly console: string;
  readonly docs: string;
  readonly lead: string;
  readonly certificate: string;
  readonly comparison: string;
  /** The date comes between the two. */
  readonly validity: readonly [before: string, after: string];
  readonly devices: readonly Device[];
};

const english: CertificateTexts = {
  title: 'Trust this service',
  description: 'How phones, computers and browsers trust this service.',
  console: 'Console',
  docs: 'API documentation',
  lead:
    'This service made its certificate itself. A device that has installed the certificate of its authority once ' +
    'trusts the service, without warnings.',
  certificate: 'Certificate of the authority',
  comparison:
    'Compare the fingerprint (SHA-256) that the device shows with the one that the service prints at its start, or ' +
    'with this page on the service’s own machine. Install nothing if they differ: then somebody else answers.',
  validity: [
    'The certificate is valid until ',
    '. Devices accept it only for this service’s names, for names of private networks and for private addresses. It ' +
      'has no secret; the key stays on the service’s machine.',
  ],
  devices: [
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
  ],
};

const german: CertificateTexts = {
  title: 'Diesem Dienst vertrauen',
  description: 'Wie Handys, Computer und Browser diesem Dienst vertrauen.',
  console: 'Konsole',
  docs: 'API-Dokumentation (englisch)',
  lead:
    'Dieser Dienst hat sein Zertifikat selbst gemacht. Ein Gerät, auf dem das Zertifikat seiner Zertifizierungsstelle ' +
    'einmal installiert ist, vertraut dem Dienst, ohne zu warnen.',
  certificate: 'Zertifikat der Zertifizierungsstelle',
  comparison:
    'Vergleichen Sie den Fingerabdruck (SHA-256), den das Gerät zeigt, mit dem, den der Dienst beim Start ausgibt, oder ' +
    'mit dieser Seite auf dem Rechner des Dienstes. Installieren Sie nichts, wenn sie verschieden sind: Dann antwortet ' +
    'jemand anders.',
  validity: [
    'Das Zertifikat gilt bis ',
    '. Geräte akzeptieren es nur für die Namen dieses Dienstes, für Namen privater Netze und für private Adressen. Es ' +
      'enthält kein Geheimnis; der Schlüssel bleibt auf dem Rechner des Dienstes.',
  ],
  devices: [
    {
      id: 'ios',
      name: 'iPhone und iPad',
      steps: [
        html`Öffnen Sie diese Seite in Safari, tippen Sie oben auf das Zertifikat, und erlauben Sie, das Profil zu laden.`,
        html`<b>Einstellungen</b> › <b>Allgemein</b> › <b>VPN und Geräteverwaltung</b>: Tippen Sie auf das Profil, dann
auf <b>Installieren</b>.`,
        html`<b>Einstellungen</b> › <b>Allgemein</b> › <b>Info</b> › <b>Zertifikatsvertrauenseinstellungen</b>: Schalten
Sie das Zertifikat ein. Ohne diesen Schritt ändert sich nichts.`,
      ],
    },
    {
      id: 'android',
      name: 'Android',
      steps: [
        html`Tippen Sie oben auf das Zertifikat. Es wird unter den Downloads gespeichert.`,
        html`Öffnen Sie die Einstellungen, suchen Sie <b>CA-Zertifikat</b>, und wählen Sie es. Auf den meisten Geräten ist
es unter <b>Sicherheit und Datenschutz</b> › <b>Weitere Sicherheitseinstellungen</b> › <b>Verschlüsselung und
Anmeldedaten</b> › <b>Zertifikat installieren</b>.`,
        html`<b>Trotzdem installieren</b>, und wählen Sie <code>ca.crt</code> unter den Downloads.`,
      ],
    },
    {
      id: 'windows',
      name: 'Windows',
      steps: [
        html`Laden Sie das Zertifikat oben herunter, und öffnen Sie es: <b>Zertifikat installieren…</b>`,
        html`<b>Aktueller Benutzer</b> (oder <b>Lokaler Computer</b>, für alle Konten), dann <b>Alle Zertifikate in
folgendem Speicher speichern</b> › <b>Vertrauenswürdige Stammzertifizierungsstellen</b>.`,
        html`<b>Fertig stellen</b>, bestätigen Sie, und starten Sie den Browser neu.`,
      ],
    },
    {
      id: 'macos',
      name: 'macOS',
      steps: [
        html`Laden Sie das Zertifikat oben, und öffnen Sie es: Die Schlüsselbundverwaltung fügt es hinzu.`,
        html`Doppelklicken Sie es dort, öffnen Sie <b>Vertrauen</b>, und wählen Sie bei <b>Bei Verwendung dieses
Zertifikats</b> <b>Immer vertrauen</b>.`,
        html`Schließen Sie das Fenster, und bestätigen Sie mit dem Passwort des Macs.`,
      ],
    },
    {
      id: 'firefox',
      name: 'Firefox auf einem Computer',
      steps: [
        html`Öffnen Sie das Zertifikat oben in Firefox. Fragt Firefox gleich, dann setzen Sie das Häkchen bei <b>Dieser CA
vertrauen, um Websites zu identifizieren</b>, und das war alles.`,
        html`Sonst: <b>Einstellungen</b> › <b>Datenschutz &amp; Sicherheit</b> › <b>Zertifikate anzeigen…</b> ›
<b>Zertifizierungsstellen</b> › <b>Importieren…</b>, wählen Sie <code>ca.crt</code>, und setzen Sie dasselbe Häkchen.`,
      ],
    },
  ],
};

export const certificateTexts = { en: english, de: german };
