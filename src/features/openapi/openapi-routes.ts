// The OpenAPI document over HTTP.
import { anyone } from '../../auth/access.ts';
import { once } from '../../base/once.ts';
import { jsonCsp } from '../../http/responses/json-csp.ts';
import { sharedText } from '../../http/responses/shared-document.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { cachedBriefly } from '../../web/shared-page.ts';

export function openapiRoute(describe: () => Promise<object>): Route {
  return route({
    method: 'GET',
    path: '/openapi.json',
    tag: 'Service',
    summary: 'This description (OpenAPI 3.1)',
    access: anyone,
    reply: { kind: 'shared document', cacheControl: cachedBriefly },
    handle: once(async () => sharedText(JSON.stringify(await describe()), { fields: openapiFields })),
  });
}

const openapiFields = ['Content-Security-Policy', jsonCsp, 'Link', '</openapi.json>; rel="service-desc"'];
