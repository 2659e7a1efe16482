// The members that every declared resource has, and the usual filters of a list.
import { idCell, textCell, timeCell, writtenCell } from '../base/csv.ts';
import { timestampOf } from '../base/timestamp.ts';
import { id, sentTimestamp, timestamp } from '../schema/members.ts';
import { timeAtOrAfter, toTime } from '../schema/rfc3339.ts';
import { named, nullable, oneOf, optional, type JsonSchema, type Schema } from '../schema/schema.ts';
import { atLeast, below, equals } from '../storage/keyset.ts';
import * as column from '../storage/table.ts';
import type { ListFilter } from './declared-resource.ts';

/** The first member. */
export const identity = {
  id: { shown: id, readOnly: optional(id), column: column.assigned, cell: writtenCell, isPersonal: false },
} as const;

/** A text that each object has. */
export function requiredText(schema: Schema<string>) {
  return { shown: schema, sent: schema, column: column.text(), cell: textCell } as const;
}

/** A text that an object may have; otherwise it is null. */
export function optionalText(schema: Schema<string>) {
  return {
    shown: nullable(schema),
    sent: optional(nullable(schema)),
    column: column.nullable(column.text()),
    cell: textCell,
  } as const;
}

/** One of these words; the first, if a request says none. Events show it. */
export function oneWord<const W extends string>(name: string, words: readonly [W, ...W[]]) {
  const schema = named(name, oneOf(words));
  return {
    shown: schema,
    sent: optional(schema),
    absent: words[0],
    column: column.text<W>(),
    cell: textCell,
    hasValuesInEvents: true,
  } as const;
}

/** The member of a resource whose rows each belong to a user. Staff may give a row to another one. */
export const ownership = {
  userId: {
    shown: nullable(id, { description: 'The owner; null once that user is deleted.' }),
    posted: optional(id, { description: 'The owner, if that is another user; only staff may set it.' }),
    sent: optional(nullable(id)),
    staysInPut: true,
    column: column.nullable(column.integer),
    cell: idCell,
    isPersonal: false,
  },
} as const;

/**
 * The member of a resource whose objects may be about a customer. Its column refers to `customers`, and says what
 * happens when the customer is deleted: with ON DELETE RESTRICT that is 409 `in-use`, with SET NULL it becomes null.
 * Erasing the customer clears the members that are personal.
 */
export const customerReference = {
  customerId: {
    shown: nullable(id, { description: 'The customer whom it is about, if any.' }),
    sent: optional(nullable(id, { description: 'The customer whom it is about, if any.' })),
    column: column.nullable(column.integer),
    cell: idCell,
    isPersonal: false,
  },
} as const;

/** A time that clients send. It is kept to the millisecond. */
export function sentTime(description: string) {
  return {
    shown: { ...timestamp, description },
    sent: { ...sentTimestamp, description },
    normal: (sent: string): string => timestampOf(toTime(sent)),
    column: column.sentTime,
    cell: timeCell,
    isPersonal: false,
  } as const;
}

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
  const { title: _title, ...untitled } = schema; // its component has the description of the member
  const own = description === undefined ? optional(schema) : optional(untitled, { description });
  return { schema: own, column: name, matches: equals };
}

/** Keeps the rows whose time is this or later. */
export function from(name: string, description: string): ListFilter {
  return rangeOf(name, description, atLeast);
}

/** Keeps the rows whose time is earlier. */
export function before(name: string, description: string): ListFilter {
  return rangeOf(name, description, below);
}

function rangeOf(name: string, description: string, matches: ListFilter['matches']): ListFilter {
  const schema = optional(sentTimestamp, { description });
  return { schema, column: name, matches, columnValueOf: timeAtOrAfter, isRange: true };
}
