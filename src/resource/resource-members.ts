// The members that every declared resource has, and the usual filters of a list.
import { timeCell, writtenCell } from '../base/csv.ts';
import { id, sentTimestamp, timestamp } from '../schema/members.ts';
import { optional, type JsonSchema } from '../schema/schema.ts';
import { equals } from '../storage/keyset.ts';
import * as column from '../storage/table.ts';
import type { ListFilter } from './declared-resource.ts';

/** The first member. */
export const identity = {
  id: { shown: id, readOnly: optional(id), column: column.assigned, cell: writtenCell, isPersonal: false },
} as const;

const time = {
  shown: timestamp,
  readOnly: optional(sentTimestamp),
  cell: timeCell,
  isPersonal: false,
} as const;

/** The last members. */
export const times = {
  createdAt: { ...time, column: column.time },
  updatedAt: { ...time, column: column.time },
} as const;

/** Keeps the rows whose column has the value. */
export function equalTo(name: string, schema: JsonSchema, description?: string): ListFilter {
  const notes = description === undefined ? {} : { description };
  return { schema: optional(schema, notes), column: name, matches: equals };
}
