// What the documentation pages share as responses: their media type, caching and header fields.
import { htmlUtf8Type } from '../http/responses/media-types.ts';
import { sharedText, type SharedDocument } from '../http/responses/shared-document.ts';
import type { Page } from './page-layout.ts';

/** Documents change only with an update of the service. Clients see the change after five minutes at most. */
export const cachedBriefly = 'public, max-age=300';

type SharedPageOptions = {
  /** The value of Link: by default the OpenAPI document, which describes the service. */
  readonly links?: string;
  /** Further header fields. */
  readonly fields?: readonly string[];
};

export function sharedPage(
  { html: text, csp }: Page,
  { links = '</openapi.json>; rel="service-desc"', fields: others = [] }: SharedPageOptions = {},
): Promise<SharedDocument<never>> {
  const fields = [
    'Content-Security-Policy',
    csp,
    'Referrer-Policy',
    'no-referrer',
    'Cross-Origin-Opener-Policy',
    'same-origin',
    'Link',
    links,
    ...others,
  ];
  return sharedText(text, { mediaType: htmlUtf8Type, fields });
}
