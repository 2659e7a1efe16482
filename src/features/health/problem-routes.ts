// Problem types over HTTP: all of them, and each at the URI that is the `type` of its problems.
import { anyone } from '../../auth/access.ts';
import { once } from '../../base/once.ts';
import { htmlType, jsonType } from '../../http/responses/media-types.ts';
import { problemCode, problemTypes, problemTypeUri } from '../../http/responses/problem-types.ts';
import { sharedDocument } from '../../http/responses/shared-document.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { problemCodes, notFound, type ProblemCode } from '../../problem.ts';
import { array, integer, named, object, string, type Infer, type Schema } from '../../schema/schema.ts';
import type { Page } from '../../web/page-layout.ts';
import { cachedBriefly, sharedPage } from '../../web/shared-page.ts';

const ProblemType = named(
  'ProblemType',
  object({
    type: sentence('https://localhost:8443/problems/not-found'),
    code: problemCode,
    title: sentence('Not found'),
    status: integer({ minimum: 400, maximum: 599, examples: [404] }),
    about: sentence('Nothing exists at this path, or no object has this id.'),
  }),
);
type ProblemType = Infer<typeof ProblemType>;
const ProblemTypes = named('ProblemTypes', object({ data: array(ProblemType, { maxItems: 100 }) }));

function sentence(example: string): Schema<string> {
  return string({ maxLength: 2_000, examples: [example] });
}

type ProblemServices = {
  readonly publicUrl: string;
  /** Returns the page of one type, or of all types; undefined if no feature has such pages. */
  readonly problemPage: ((code: ProblemCode | undefined) => Promise<Page>) | undefined;
};

const common = { method: 'GET', tag: 'Service', access: anyone } as const;

export function problemRoutes({ publicUrl, problemPage }: ProblemServices): Route[] {
  const mediaTypes = problemPage === undefined ? [jsonType] : [htmlType, jsonType];
  const reply = { kind: 'shared document', mediaTypes, cacheControl: cachedBriefly } as const;
  const typeOf = (code: ProblemCode): ProblemType => {
    return { type: problemTypeUri(code, publicUrl), code, ...problemTypes[code] };
  };
  const documentOfAll = documentOf(undefined, { data: problemCodes.map(typeOf) });
  const documents = new Map<string, ReturnType<typeof documentOf<ProblemType>>>();
  for (const code of problemCodes) documents.set(code, documentOf(code, typeOf(code)));

  /** Returns a function that returns the page or the JSON, each of which the first request for it creates. */
  function documentOf<T>(code: ProblemCode | undefined, content: T) {
    const asPage = problemPage && once(async () => sharedPage(await problemPage(code)));
    const asJson = once(() => sharedDocument(content));
    return (mediaType: string) => (mediaType === htmlType && asPage !== undefined ? asPage() : asJson());
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
