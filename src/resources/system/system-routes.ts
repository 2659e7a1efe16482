// The service about itself: health, metrics, problem types, its description.
import { anyone, isAdmin, type Access, type Caller } from '../../auth/access.ts';
import { Problem, forbidden, problemKinds, notFound, type ProblemKind } from '../../errors.ts';
import { jsonPolicy } from '../../http/responder.ts';
import { problems, typeOf } from '../../http/problem.ts';
import { page, represent, representText, shared, type Representation } from '../../http/representation.ts';
import { document, route, type Route } from '../../http/route.ts';
import { once } from '../../memoize-last.ts';
import {
  integer,
  named,
  object,
  oneOf,
  array,
  string,
  type Infer,
  type Schema,
} from '../../schema/schema.ts';

export type SystemServices = {
  readonly publicUrl: string;
  readonly readiness: () => 'ready' | 'stopping' | 'read-only';
  readonly metrics: () => string;
  /** The OpenAPI document's JSON text. */
  readonly openapi: () => string;
  readonly docsPage: () => { readonly html: string; readonly policy: string };
  readonly problemPage: (kind: ProblemKind | undefined) => { readonly html: string; readonly policy: string };
};

const Health = named('Health', object({ status: oneOf(['ok', 'ready']) }));
const sentence = (example: string): Schema<string> =>
  string({ maxLength: 2_000, pattern: '^[\\s\\S]*$', examples: [example] });
const ProblemType = named(
  'ProblemType',
  object({
    type: sentence('https://localhost:8443/problems/not-found'),
    title: sentence('Not found'),
    status: integer({ minimum: 400, maximum: 599, examples: [404] }),
    about: sentence('Nothing exists at this path, or no object has this id.'),
  }),
);
const ProblemTypes = object({ data: array(ProblemType, { maxItems: 100 }) });
const target = array(
  object({ href: sentence('https://localhost:8443/openapi.json'), type: sentence('application/json') }),
  { maxItems: 1 },
);
const ApiCatalog = named(
  'ApiCatalog',
  object({
    linkset: array(
      object({
        anchor: sentence('https://localhost:8443/'),
        'service-desc': target,
        'service-doc': target,
        status: target,
      }),
      { maxItems: 1 },
    ),
  }),
);

const json = 'application/json';
const linkset = 'application/linkset+json';
const html = 'text/html';
const brief = 'public, max-age=300';

export function systemRoutes({
  publicUrl,
  readiness,
  metrics,
  openapi,
  docsPage,
  problemPage,
}: SystemServices): Route[] {
  const live = route({
    method: 'GET',
    path: '/health/live',
    tag: 'Service',
    summary: 'Whether the process runs',
    access: anyone,
    isUnlimited: true,
    reply: document([json], 'no-store', Health),
    handle: () => represent({ status: 'ok' as const }),
  });

  const ready = route({
    method: 'GET',
    path: '/health/ready',
    tag: 'Service',
    summary: 'Whether the service can handle requests',
    access: anyone,
    isUnlimited: true,
    reply: document([json], 'no-store', Health),
    problems: ['unavailable'],
    handle() {
      const state = readiness();
      if (state === 'ready') return represent({ status: 'ready' as const });
      throw new Problem(
        'unavailable',
        state === 'stopping' ? 'The service is stopping.' : 'The service can’t write.',
        { retryAfterSeconds: 1 },
      );
    },
  });

  const loopbackOrAdmin: Access<object, Caller | undefined> = {
    description: 'Only the machine itself or an administrator may call this.',
    credentials: 'optional',
    permits: () => true,
  };
  const metricsText = route({
    method: 'GET',
    path: '/metrics',
    tag: 'Service',
    summary: 'Prometheus metrics',
    access: loopbackOrAdmin,
    scope: 'any',
    reply: document(['text/plain'], 'no-store'),
    description: 'From the machine itself, or with an administrator’s access token or API key.',
    problems: ['forbidden', 'unauthenticated'],
    handle({ caller, isLoopback }) {
      if (!isLoopback && caller === undefined)
        throw new Problem('unauthenticated', loopbackOrAdmin.description);
      if (!isLoopback && caller !== undefined && !isAdmin(caller))
        throw forbidden(loopbackOrAdmin.description);
      return { ...representText<unknown>(metrics()), mediaType: 'text/plain; version=0.0.4; charset=utf-8' };
    },
  });

  const openapiDocument = once(() => shared({ ...representText<unknown>(openapi()), fields: described }));
  const description = route({
    method: 'GET',
    path: '/openapi.json',
    tag: 'Service',
    summary: 'This description (OpenAPI 3.1)',
    access: anyone,
    reply: document([json], brief),
    handle: openapiDocument,
  });

  const shownDocs = once(() => shown(docsPage()));
  const docsAt = (path: '/docs' | '/', summary: string): Route =>
    route({
      method: 'GET',
      path,
      tag: 'Service',
      summary,
      access: anyone,
      reply: document([html], brief),
      handle: shownDocs,
    });
  const docs = docsAt('/docs', 'The documentation');
  const home = docsAt('/', 'The documentation, at the root');

  const apiCatalog = once(() =>
    shared({
      ...represent(catalogOf(publicUrl)),
      mediaType: `${linkset}; profile="https://www.rfc-editor.org/info/rfc9727"`,
      fields: catalogued,
    }),
  );
  const catalog = route({
    method: 'GET',
    path: '/.well-known/api-catalog',
    tag: 'Service',
    summary: 'The API catalog (RFC 9727)',
    access: anyone,
    reply: document([linkset], brief, ApiCatalog),
    handle: apiCatalog,
  });

  const problemsPage = once(() => shown(problemPage(undefined)));
  const problemsList = once(() => shared(represent({ data: problemKinds.map(typeText) })));
  const allProblems = route({
    method: 'GET',
    path: '/problems',
    tag: 'Service',
    summary: 'All problem types',
    access: anyone,
    reply: document([html, json], brief, ProblemTypes),
    handle: ({ mediaType }) => (mediaType === html ? problemsPage() : problemsList()),
  });

  const problemTypes = new Map(problemKinds.map((kind) => [kind as string, typeDocuments(kind)]));
  const oneProblem = route({
    method: 'GET',
    path: '/problems/{name}',
    tag: 'Service',
    summary: 'A problem type',
    access: anyone,
    reply: document([html, json], brief, ProblemType),
    problems: ['not-found'],
    handle({ params, mediaType }) {
      const found = problemTypes.get(params.name);
      if (found === undefined) throw notFound('problem type', params.name);
      return mediaType === html ? found.page() : found.text();
    },
  });

  function typeDocuments(kind: ProblemKind) {
    return {
      page: once(() => shown(problemPage(kind))),
      text: once(() => shared(represent(typeText(kind)))),
    };
  }

  function typeText(kind: ProblemKind): { type: string } & (typeof problems)[ProblemKind] {
    return { type: typeOf(kind, publicUrl), ...problems[kind] };
  }

  return [live, ready, metricsText, description, docs, home, catalog, allProblems, oneProblem];
}

function catalogOf(publicUrl: string): Infer<typeof ApiCatalog> {
  const to = (path: string, type: string) => [{ href: publicUrl + path, type }];
  return {
    linkset: [
      {
        anchor: `${publicUrl}/`,
        'service-desc': to('/openapi.json', json),
        'service-doc': to('/docs', html),
        status: to('/health/ready', json),
      },
    ],
  };
}

const catalogued = [
  'Content-Security-Policy',
  jsonPolicy,
  'Link',
  '</.well-known/api-catalog>; rel="api-catalog"',
];
const described = ['Content-Security-Policy', jsonPolicy, 'Link', '</openapi.json>; rel="service-desc"'];

function shown({
  html: text,
  policy,
}: {
  readonly html: string;
  readonly policy: string;
}): Representation<never> {
  const fields = [
    'Content-Security-Policy',
    policy,
    'Referrer-Policy',
    'no-referrer',
    'Link',
    '</openapi.json>; rel="service-desc"',
  ];
  return shared(page(text, fields));
}
