// The certificate of the service's own authority over HTTP: a page with the steps by which devices trust it, and
// the certificate alone, without its key.
import { X509Certificate } from 'node:crypto';
import { anyone } from '../../auth/access.ts';
import { once } from '../../base/once.ts';
import type { Config } from '../../config/config.ts';
import { html } from '../../http/responses/media-types.ts';
import { sharedText, type SharedDocument } from '../../http/responses/shared-document.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { Problem } from '../../problem.ts';
import type { PageLanguage } from '../../web/page-layout.ts';
import { sharedPage } from '../../web/shared-page.ts';

type CertificateServices = {
  readonly config: Pick<Config, 'tls'>;
  /** Returns the authority's certificate in PEM; undefined if the service has no authority of its own. */
  readonly authorityPem: () => string | undefined;
  readonly has: (feature: string) => boolean;
};

/** RFC 8555 section 9.1. */
const pem = 'application/pem-certificate-chain';
/** The type with which phones and Firefox begin the installation, from a file in PEM, too. */
const authorityType = 'application/x-x509-ca-cert';
/** Windows and macOS open a file with this ending as a certificate. */
const filePath = '/certificate/ca.crt';

const tag = 'Service';

export function certificateRoutes(services: CertificateServices): Route[] {
  const representations = representationsOf(services);
  return [
    route({
      method: 'GET',
      path: '/certificate',
      tag,
      operationId: 'getCertificate',
      summary: 'The authority to trust',
      description:
        'The certificate of the service’s own authority. Where HTML is asked for, a page with its SHA-256 ' +
        'fingerprint and the steps by which phones, computers and browsers trust it. A service with a ' +
        'configured certificate, or behind a proxy that terminates TLS, has no such authority: 404.',
      access: anyone,
      reply: { kind: 'shared document', mediaTypes: [pem, html], cacheControl: 'no-cache' },
      problems: ['not-found'],
      handle({ mediaType, headers }) {
        const { pages, chain } = representations();
        return mediaType === html ? pages[languageOf(headers['accept-language'])]() : chain();
      },
    }),
    route({
      method: 'GET',
      path: filePath,
      tag,
      operationId: 'getCertificateFile',
      summary: 'The authority to trust, as a file',
      description: 'The same certificate with the type and the name by which devices install it.',
      access: anyone,
      reply: { kind: 'shared document', mediaTypes: [authorityType], cacheControl: 'no-cache' },
      problems: ['not-found'],
      handle: () => representations().file(),
    }),
  ];
}

type Representations = {
  readonly pem: string;
  readonly pages: Readonly<Record<PageLanguage, () => Promise<SharedDocument<never>>>>;
  readonly chain: () => Promise<SharedDocument<never>>;
  readonly file: () => Promise<SharedDocument<never>>;
};

/** Returns a function that returns the representations of the present authority, which may be renewed. */
function representationsOf({ config, authorityPem, has }: CertificateServices): () => Representations {
  let current: Representations | undefined;
  return () => {
    const present = authorityPem();
    if (present === undefined) {
      const detail = `With --tls ${config.tls.mode} the service has no certificate authority of its own.`;
      throw new Problem('not-found', detail);
    }
    if (current?.pem !== present) {
      current = {
        pem: present,
        pages: { en: once(() => pageOf(present, has, 'en')), de: once(() => pageOf(present, has, 'de')) },
        chain: once(() => sharedText(present, { mediaType: pem })),
        file: once(() => sharedText(present, { mediaType: authorityType })),
      };
    }
    return current;
  };
}

/** The browsers' own order counts: their weights (RFC 9110 section 12.5.4) decrease with it. */
function languageOf(accept = ''): PageLanguage {
  const [first] = /\b(?:de|en)(?=[-,;]|$)/i.exec(accept) ?? [];
  return first?.toLowerCase() === 'de' ? 'de' : 'en';
}

async function pageOf(
  present: string,
  has: CertificateServices['has'],
  language: PageLanguage,
): Promise<SharedDocument<never>> {
  const { certificatePage } = await import('./certificate-page.ts');
  const { fingerprint256: fingerprint, validToDate } = new X509Certificate(present);
  const pages = (['console', 'docs'] as const).filter(has);
  const page = certificatePage({ fingerprint, validTo: validToDate, filePath, pages }, language);
  const links = `<${filePath}>; rel="alternate"; type="${authorityType}"`;
  return sharedPage(page, { links, fields: ['Vary', 'Accept-Language', 'Content-Language', language] });
}
