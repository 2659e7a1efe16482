// The schemas of the service's own routes: health and problem types.
import { problemCode, problemTypes, problemTypeUri } from '../../http/responses/problem-types.ts';
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
export type ProblemType = Infer<typeof ProblemType>;
export const ProblemTypes = named('ProblemTypes', object({ data: array(ProblemType, { maxItems: 100 }) }));

function sentence(example: string): Schema<string> {
  return string({ maxLength: 2_000, examples: [example] });
}

export function problemType(code: ProblemCode, publicUrl: string): ProblemType {
  return { type: problemTypeUri(code, publicUrl), code, ...problemTypes[code] };
}
