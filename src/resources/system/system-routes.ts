// The service's own routes: health, metrics, problem types, the OpenAPI document and its pages.
import { anyone, isAdmin, type Access, type Caller } from '../../auth/access.ts';
import { Problem, forbidden, problemCodes, notFound, type ProblemCode } from '../../problem.ts';
import {
  jsonDocument,
  sharedDocument,
  sharedHtml,
  sharedText,
  textDocument,
  type SharedDocument,
} from '../../http/handler-result.ts';
import { json } from '../../http/media-types.ts';
import { jsonPolicy } from '../../http/response-head.ts';
import { documentIn, sharedDocumentIn } from '../../http/reply.ts';
import { route, type Route } from '../../http/route.ts';
import { once } from '../../base/once.ts';
import { string } from '../../schema/schema.ts';
import type { Shop } from '../../web/console-page.ts';
import { consoleRoutes } from './console-routes.ts';
import { Health, problemType, ProblemType, ProblemTypes } from './system.ts';

export type SystemServices = {
  readonly publicUrl: string;
  readonly shop: Shop;
  readonly readiness: () => 'ready' | 'stopping' | 'read-only';
  readonly metrics: () => string;
  /** The OpenAPI document's JSON text. */
  readonly openapi: () => Promise<string>;
  readonly docsPage: () => Promise<Html>;
  readonly problemPage: (code: ProblemCode | undefined) => Promise<Html>;
};

/** A page, and its Content-Security-Policy. */
type Html = { readonly html: string; readonly policy: string };

const html = 'text/html';
/** Documents change only with an update of the service, which clients see five minutes later at most. */
const cachedBriefly = 'public, max-age=300';
const tag = 'Service';

export function systemRoutes(services: SystemServices): Route[] {
  const docs = once(async () => pageOf(await services.docsPage()));
  return [
    liveRoute(),
    readyRoute(services),
    metricsRoute(services),
    openapiRoute(services),
    docsRoute('/docs', 'The documentation', docs),
    docsRoute('/', 'The documentation, at the root', docs),
    ...consoleRoutes(services.shop),
    problemTypesRoute(services),
    problemTypeRoute(services),
  ];
}

function liveRoute(): Route {
  return route({
    method: 'GET',
    path: '/health/live',
    tag,
    summary: 'Whether the process runs',
    access: anyone,
    isUnlimited: true,
    reply: documentIn(json, Health),
    handle: () => jsonDocument({ status: 'ok' as const }),
  });
}

function readyRoute({ readiness }: SystemServices): Route {
  return route({
    method: 'GET',
    path: '/health/ready',
    tag,
    summary: 'Whether the service can handle requests',
    access: anyone,
    isUnlimited: true,
    reply: documentIn(json, Health),
    problems: ['unavailable'],
    handle() {
      const state = readiness();
      if (state === 'ready') return jsonDocument({ status: 'ready' as const });
      const detail = state === 'stopping' ? 'The service is stopping.' : 'The service can’t write.';
      throw new Problem('unavailable', detail, { retryAfterSeconds: 1 });
    },
  });
}

const loopbackOrAdmin: Access<object, Caller | undefined> = {
  description: 'Only the machine itself or an administrator may call this.',
  credentials: 'optional',
  permits: () => true, // the handler decides, since an access rule doesn't get the address
};

function metricsRoute({ metrics }: SystemServices): Route {
  return route({
    method: 'GET',
    path: '/metrics',
    tag,
    summary: 'Prometheus metrics',
    access: loopbackOrAdmin,
    scope: 'any',
    reply: documentIn('text/plain'),
    description: 'From the machine itself, or with an administrator’s access token or API key.',
    problems: ['forbidden', 'unauthenticated'],
    handle({ caller, isFromThisMachine }) {
      if (!isFromThisMachine && caller === undefined)
        throw new Problem('unauthenticated', loopbackOrAdmin.description);
      if (!isFromThisMachine && caller !== undefined && !isAdmin(caller))
        throw forbidden(loopbackOrAdmin.description);
      return textDocument(metrics(), 'text/plain; version=0.0.4; charset=utf-8');
    },
  });
}

function openapiRoute({ openapi }: SystemServices): Route {
  return route({
    method: 'GET',
    path: '/openapi.json',
    tag,
    summary: 'This description (OpenAPI 3.1)',
    access: anyone,
    reply: sharedDocumentIn([json], cachedBriefly),
    handle: once(async () => sharedText(await openapi(), { fields: openapiFields })),
  });
}

const openapiFields = ['Content-Security-Policy', jsonPolicy, 'Link', '</openapi.json>; rel="service-desc"'];

function docsRoute(path: '/docs' | '/', summary: string, docs: () => Promise<SharedDocument<never>>): Route {
  return route({
    method: 'GET',
    path,
    tag,
    summary,
    access: anyone,
    reply: sharedDocumentIn([html], cachedBriefly),
    handle: docs,
  });
}

function problemTypesRoute({ publicUrl, problemPage }: SystemServices): Route {
  const asPage = once(async () => pageOf(await problemPage(undefined)));
  const asJson = once(() =>
    sharedDocument({ data: problemCodes.map((code) => problemType(code, publicUrl)) }),
  );
  return route({
    method: 'GET',
    path: '/problems',
    tag,
    summary: 'All problem types',
    access: anyone,
    reply: sharedDocumentIn([html, json], cachedBriefly, ProblemTypes),
    handle: ({ mediaType }) => (mediaType === html ? asPage() : asJson()),
  });
}

function problemTypeRoute({ publicUrl, problemPage }: SystemServices): Route {
  const documents = new Map<string, ReturnType<typeof documentsOf>>();
  for (const code of problemCodes) documents.set(code, documentsOf(code));

  function documentsOf(code: ProblemCode) {
    return {
      asPage: once(async () => pageOf(await problemPage(code))),
      asJson: once(() => sharedDocument(problemType(code, publicUrl))),
    };
  }

  return route({
    method: 'GET',
    path: '/problems/{name}',
    nameSchema: string({ maxLength: 40, pattern: '^[a-z-]+$', description: 'The name of a problem type.' }),
    tag,
    summary: 'A problem type',
    access: anyone,
    reply: sharedDocumentIn([html, json], cachedBriefly, ProblemType),
    problems: ['not-found'],
    handle({ params, mediaType }) {
      const { asPage, asJson } = documents.get(params.name) ?? {};
      if (asPage === undefined || asJson === undefined) throw notFound('problem type', params.name);
      return mediaType === html ? asPage() : asJson();
    },
  });
}

function pageOf({ html: text, policy }: Html): Promise<SharedDocument<never>> {
  const fields = [
    'Content-Security-Policy',
    policy,
    'Referrer-Policy',
    'no-referrer',
    'Cross-Origin-Opener-Policy',
    'same-origin',
    'Link',
    '</openapi.json>; rel="service-desc"',
  ];
  return sharedHtml(text, fields);
}
