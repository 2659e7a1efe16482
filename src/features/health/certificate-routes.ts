// The certificate of the service's own authority over HTTP: a page with the steps by which devices trust it, and
// the certificate alone, without its key.
import { X509Certificate } from 'node:crypto';
import { anyone } from '../../auth/access.ts';
import type { Config } from '../../config/config.ts';
import { htmlType } from '../../http/responses/media-types.ts';
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

export function certificateRoutes({ config, authorityPem, has }: CertificateServices): Route[] {
  function present(): string {
    const authority = authorityPem();
    if (authority !== undefined) return authority;
    const detail = `With --tls ${config.tls.mode} the service has no certificate authority of its own.`;
    throw new Problem('not-found', detail);
  }

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
      reply: { kind: 'shared document', mediaTypes: [pem, htmlType], cacheControl: 'no-cache' },
      problems: ['not-found'],
      handle({ mediaType, headers }) {
        if (mediaType === pem) return sharedText(present(), { mediaType });
        return page(present(), { has, language: languageOf(headers['accept-language']) });
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
      handle: () => sharedText(present(), { mediaType: authorityType }),
    }),
  ];
}

/** The browsers' own order counts: their weights (RFC 9110 section 12.5.4) decrease with it. */
function languageOf(accept = ''): PageLanguage {
  const [first] = /\b(?:de|en)(?=[-,;]|$)/i.exec(accept) ?? [];
  return first?.toLowerCase() === 'de' ? 'de' : 'en';
}

type PageOptions = Pick<CertificateServices, 'has'> & { readonly language: PageLanguage };

async function page(authority: string, { has, language }: PageOptions): Promise<SharedDocument<never>> {
  const { certificatePage } = await import('./certificate-page.ts');
  const { fingerprint256: fingerprint, validToDate: validTo } = new X509Certificate(authority);
  const pages = (['console', 'docs'] as const).filter(has);
  const links = `<${filePath}>; rel="alternate"; type="${authorityType}"`;
  return sharedPage(certificatePage({ fingerprint, validTo, filePath, pages }, language), {
    links,
    fields: ['Vary', 'Accept-Language', 'Content-Language', language],
  });
}
