// The schemas of the service's own routes: health, problem types, the catalog of its documents.
import { problemCode, problemTypes, problemTypeUri } from '../../http/problem-types.ts';
import type { ProblemCode } from '../../problem.ts';
import {
  array,
  integer,
  named,
  object,
  oneOf,
  string,
  type Infer,
  type Schema,
} from '../../schema/schema.ts';

export const Health = named('Health', object({ status: oneOf(['ok', 'ready']) }));
export const ProblemType = named(
  'ProblemType',
  object({
    type: sentence('https://localhost:8443/problems/not-found'),
    code: problemCode,
    title: sentence('Not found'),
    status: integer({ minimum: 400, maximum: 599, examples: [404] }),
    about: sentence('Nothing exists at this path, or no object has this id.'),
  }),
);
export const ProblemTypes = named('ProblemTypes', object({ data: array(ProblemType, { maxItems: 100 }) }));
const target = array(
  object({ href: sentence('https://localhost:8443/openapi.json'), type: sentence('application/json') }),
  { maxItems: 1 },
);
export const ApiCatalog = named(
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

function sentence(example: string): Schema<string> {
  return string({ maxLength: 2_000, pattern: '^[\\s\\S]*$', examples: [example] });
}

export function problemType(code: ProblemCode, publicUrl: string): Infer<typeof ProblemType> {
  return { type: problemTypeUri(code, publicUrl), code, ...problemTypes[code] };
}

/** The API catalog, as RFC 9727 defines it. */
export function apiCatalog(publicUrl: string): Infer<typeof ApiCatalog> {
  const to = (path: string, type: string) => [{ href: publicUrl + path, type }];
  return {
    linkset: [
      {
        anchor: `${publicUrl}/`,
        'service-desc': to('/openapi.json', 'application/json'),
        'service-doc': to('/docs', 'text/html'),
        status: to('/health/ready', 'application/json'),
      },
    ],
  };
}
