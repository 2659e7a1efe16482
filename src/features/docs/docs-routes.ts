// The documentation over HTTP: /docs, which is also the page at the root.
import { anyone } from '../../auth/access.ts';
import { once } from '../../base/once.ts';
import { htmlType } from '../../http/responses/media-types.ts';
import type { SharedDocument } from '../../http/responses/shared-document.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { cachedBriefly, sharedPage } from '../../web/shared-page.ts';
import type { FeatureServices } from '../feature.ts';

type DocsServices = Pick<FeatureServices, 'describe' | 'turns' | 'publicUrl' | 'config'>;

/** The first request creates the page, and loads the page's generator, which takes a while. */
export function docsRoutes({ describe, turns, publicUrl, config }: DocsServices): Route[] {
  const docs = once(async () => {
    const document = await describe();
    const { docsPage } = await import('./docs-page.ts');
    const curl = config.tls.mode === 'self-signed' ? 'curl --cacert data/tls/ca.pem' : 'curl';
    return sharedPage(await turns.runSteps(docsPage(document, { publicUrl, curl })));
  });
  return [
    docsRoute('/docs', 'The documentation', docs),
    docsRoute('/', 'The documentation, at the root', docs),
  ];
}

function docsRoute(path: '/docs' | '/', summary: string, docs: () => Promise<SharedDocument<never>>): Route {
  return route({
    method: 'GET',
    path,
    tag: 'Service',
    summary,
    access: anyone,
    reply: { kind: 'shared document', mediaTypes: [htmlType], cacheControl: cachedBriefly },
    handle: docs,
  });
}
