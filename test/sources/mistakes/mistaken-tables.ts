// Mistakes in tables and schemas that must not compile. Compiled by types.test.ts, never run.
import type { Caller, RowAccess, Role } from '../../../src/auth/access.ts';
import { Problem } from '../../../src/problem.ts';
import { problemTypes } from '../../../src/http/responses/problem-types.ts';
import { stages } from '../../../src/features/orders/order-status.ts';
import type { UserPatch } from '../../../src/features/users/user.ts';
import {
  integer,
  nullable,
  object,
  optional,
  ruleFor,
  string,
  type Infer,
} from '../../../src/schema/schema.ts';
import type { PersonalOrNot } from '../../../src/resource/resource-members.ts';
import * as column from '../../../src/storage/table.ts';

export function mistakesOfTables(): unknown[] {
  const { open: _open, ...fewerSteps } = stages;
  const { forbidden: _forbidden, ...fewerProblems } = problemTypes;
  const reach: RowAccess = 'all';
  const note = { shown: string({ maxLength: 9 }), column: column.nullableColumn(column.textColumn()) };
  return [
    { note: { ...note, isPersonal: true } } satisfies PersonalOrNot,
    // @ts-expect-error TS2322
    { note } satisfies PersonalOrNot,
    // @ts-expect-error TS2322
    { note: { ...note, isPersonal: true, hasValuesInEvents: true } } satisfies PersonalOrNot,
    // @ts-expect-error TS2322
    { note: { ...note, column: column.textColumn(), isPersonal: true } } satisfies PersonalOrNot,
    reach,
    // @ts-expect-error TS2741
    fewerSteps satisfies typeof stages,
    // @ts-expect-error TS2741
    fewerProblems satisfies typeof problemTypes,
    // @ts-expect-error TS2345
    new Problem('teapot', 'I am a teapot.'),
    // @ts-expect-error TS2322
    ((): Role => 'root')(),
    (value: Caller) => {
      // @ts-expect-error TS2540
      value.role = 'admin';
    },
  ];
}

export function mistakesOfSchemas(): unknown[] {
  const thing = object({
    name: string({ maxLength: 9 }),
    size: nullable(integer()),
    note: optional(string({ maxLength: 9 })),
  });
  return [
    { name: 'x', size: null } satisfies Infer<typeof thing>,
    { name: 'x' } satisfies UserPatch,
    // @ts-expect-error TS1360
    { name: 'x' } satisfies Infer<typeof thing>,
    // @ts-expect-error TS2322
    { name: null, size: 1 } satisfies Infer<typeof thing>,
    // @ts-expect-error TS1360
    { name: 'x', size: 1, note: undefined } satisfies Infer<typeof thing>,
    // @ts-expect-error TS2353
    { name: 'x', size: 1, colour: 'red' } satisfies Infer<typeof thing>,
    // @ts-expect-error TS2322
    { role: 'root' } satisfies UserPatch,
    // @ts-expect-error TS2345
    string({ minLength: 1 }),
    object({ size: optional(integer()) }, {}, [ruleFor({ size: optional(integer()) }, () => [])]),
    // a rule that needs what the object may lack, or has of another type, or has not
    // @ts-expect-error TS2322
    object({ size: optional(integer()) }, {}, [ruleFor({ size: integer() }, () => [])]),
    // @ts-expect-error TS2322
    object({ size: nullable(integer()) }, {}, [ruleFor({ size: integer() }, () => [])]),
    // @ts-expect-error TS2322
    object({ size: integer() }, {}, [ruleFor({ length: integer() }, () => [])]),
  ];
}
