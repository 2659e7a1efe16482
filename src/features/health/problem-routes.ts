// Problem types over HTTP: all of them, and each at the URI that is the `type` of its problems.
import { anyone } from '../../auth/access.ts';
import { once } from '../../base/once.ts';
import { html, json } from '../../http/responses/media-types.ts';
import { sharedDocument } from '../../http/responses/shared-document.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { problemCodes, notFound, type ProblemCode } from '../../problem.ts';
import { string } from '../../schema/schema.ts';
import type { Page } from '../../web/page-layout.ts';
import { cachedBriefly, sharedPage } from '../../web/shared-page.ts';
import { problemType, ProblemType, ProblemTypes } from './system.ts';

type ProblemServices = {
  readonly publicUrl: string;
  /** Returns the page of one type, or of all types; undefined if no feature has such pages. */
  readonly problemPage: ((code: ProblemCode | undefined) => Promise<Page>) | undefined;
};

const common = { method: 'GET', tag: 'Service', access: anyone } as const;

export function problemRoutes({ publicUrl, problemPage }: ProblemServices): Route[] {
  const mediaTypes = problemPage === undefined ? [json] : [html, json];
  const reply = { kind: 'shared document', mediaTypes, cacheControl: cachedBriefly } as const;
  const documentOfAll = documentOf(undefined, {
    data: problemCodes.map((code) => problemType(code, publicUrl)),
  });
  const documents = new Map<string, ReturnType<typeof documentOf<ProblemType>>>();
  for (const code of problemCodes) documents.set(code, documentOf(code, problemType(code, publicUrl)));

  /** Returns a function that returns the page or the JSON, each of which the first request for it creates. */
  function documentOf<T>(code: ProblemCode | undefined, content: T) {
    const asPage = problemPage && once(async () => sharedPage(await problemPage(code)));
    const asJson = once(() => sharedDocument(content));
    return (mediaType: string) => (mediaType === html && asPage !== undefined ? asPage() : asJson());
  }

  return [
    route({
      ...common,
      path: '/problems',
      summary: 'All problem types',
      reply: { ...reply, schema: ProblemTypes },
      handle: ({ mediaType }) => documentOfAll(mediaType),
    }),
    route({
      ...common,
      path: '/problems/{name}',
      nameSchema: string({ maxLength: 40, pattern: '^[a-z-]+$', description: 'The name of a problem type.' }),
      summary: 'A problem type',
      reply: { ...reply, schema: ProblemType },
      problems: ['not-found'],
      handle({ params, mediaType }) {
        const document = documents.get(params.name);
        if (document === undefined) throw notFound('problem type', params.name);
        return document(mediaType);
      },
    }),
  ];
}
