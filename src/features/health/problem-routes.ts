// Problem types over HTTP: all of them, and each at the URI that is the `type` of its problems.
import { anyone } from '../../auth/access.ts';
import { problemCodes, notFound, type ProblemCode } from '../../problem.ts';
import { sharedDocument } from '../../http/responses/shared-document.ts';
import { json, html } from '../../http/responses/media-types.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { once } from '../../base/once.ts';
import { string } from '../../schema/schema.ts';
import type { Page } from '../../web/page-layout.ts';
import { cachedBriefly, sharedPage } from '../../web/shared-page.ts';
import { problemType, ProblemType, ProblemTypes } from './system.ts';

type ProblemServices = {
  readonly publicUrl: string;
  /** Returns the page of one type, or of all types; undefined if no feature has such pages. */
  readonly problemPage: ((code: ProblemCode | undefined) => Promise<Page>) | undefined;
};

const tag = 'Service';

export function problemRoutes(services: ProblemServices): Route[] {
  return [problemTypesRoute(services), problemTypeRoute(services)];
}

function problemTypesRoute({ publicUrl, problemPage }: ProblemServices): Route {
  const asPage = problemPage && once(async () => sharedPage(await problemPage(undefined)));
  const asJson = once(() =>
    sharedDocument({ data: problemCodes.map((code) => problemType(code, publicUrl)) }),
  );
  return route({
    method: 'GET',
    path: '/problems',
    tag,
    summary: 'All problem types',
    access: anyone,
    reply: {
      kind: 'shared document',
      mediaTypes: mediaTypesOf(problemPage),
      schema: ProblemTypes,
      cacheControl: cachedBriefly,
    },
    handle: ({ mediaType }) => (mediaType === html && asPage !== undefined ? asPage() : asJson()),
  });
}

function problemTypeRoute({ publicUrl, problemPage }: ProblemServices): Route {
  const documents = new Map<string, ReturnType<typeof documentsOf>>();
  for (const code of problemCodes) documents.set(code, documentsOf(code));

  function documentsOf(code: ProblemCode) {
    return {
      asPage: problemPage && once(async () => sharedPage(await problemPage(code))),
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
    reply: {
      kind: 'shared document',
      mediaTypes: mediaTypesOf(problemPage),
      schema: ProblemType,
      cacheControl: cachedBriefly,
    },
    problems: ['not-found'],
    handle({ params, mediaType }) {
      const { asPage, asJson } = documents.get(params.name) ?? {};
      if (asJson === undefined) throw notFound('problem type', params.name);
      return mediaType === html && asPage !== undefined ? asPage() : asJson();
    },
  });
}

function mediaTypesOf(problemPage: ProblemServices['problemPage']): string[] {
  return problemPage === undefined ? [json] : [html, json];
}
