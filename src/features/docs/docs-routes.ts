// The documentation over HTTP: /docs, which is also the page at the root.
import { anyone } from '../../auth/access.ts';
import type { SharedDocument } from '../../http/responses/shared-document.ts';
import { html } from '../../http/responses/media-types.ts';
import { route, type Route } from '../../http/routing/route.ts';
import type { Turns } from '../../base/turns.ts';
import { once } from '../../base/once.ts';
import type { DocsOptions } from './docs-page.ts';
import { cachedBriefly, sharedPage } from '../../web/shared-page.ts';

type DocsServices = Omit<DocsOptions, 'document'> & {
  readonly describe: () => Promise<object>;
  readonly turns: Turns;
};

/** The first request creates the page, and loads the page's generator, which takes a while. */
export function docsRoutes({ describe, turns, ...options }: DocsServices): Route[] {
  const docs = once(async () => {
    const document = await describe();
    const { docsPage } = await import('./docs-page.ts');
    return sharedPage(await turns.runSteps(docsPage({ document, ...options })));
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
    reply: { kind: 'shared document', mediaTypes: [html], cacheControl: cachedBriefly },
    handle: docs,
  });
}
