// The members of a resource, each declared once; the members that most have, and the usual filters of their lists:
//
//   const personMembers = {
//     id: { shown: id, readOnly: optional(id), column: column.assignedColumn, cell: integerCell },
//     name: { shown: name, sent: name, column: column.textColumn(), cell: textCell },
//     email: orNull({ shown: email, sent: email, column: column.textColumn() }),
//     createdAt: {
//       shown: timestamp,
//       readOnly: optional(sentTimestamp),
//       column: column.timeColumn,
//       cell: timeCell,
//     },
//   };
//
// The record is a plain value, in the order in which responses and files show the members. From it follow
//
//   object(shownIn(personMembers))      the schema of responses
//   object(postedIn(personMembers))     the body of POST: name, email
//   object(sentIn(personMembers))       the body of PUT, and what a PATCH makes: name, email, id, createdAt
//   columnsOf(personMembers)            the columns of its table
//   contentNames(personMembers)         what a change writes: name, email
//   contentReader(personMembers)        reads them from a body: in normal form, with null for an absent email
//   csvColumns(cellsIn(personMembers))  the columns of its files (`base/csv.ts`)
import {
  amountCell,
  trueOrFalseCell,
  integerCell,
  sentTimeCell,
  textCell,
  timeCell,
  trimmed,
  trimmedCell,
  type CsvMember,
} from '../base/csv.ts';
import { timestampOf } from '../base/timestamp.ts';
import { currencyDigits, decimalAmount, minorUnitsOf } from '../schema/decimal.ts';
import {
  activeCurrency,
  currency as anyCurrency,
  id,
  keyOfName,
  plainZero,
  sentTimestamp,
  timestamp,
} from '../schema/members.ts';
import { plainText } from '../schema/plain-text.ts';
import { timeAtOrAfter, toTime } from '../schema/rfc3339.ts';
import { fits } from '../schema/schema-check.ts';
import {
  boolean,
  named,
  nullable,
  oneOf,
  optional,
  type JsonSchema,
  type ObjectOf,
  type Schema,
} from '../schema/schema.ts';
import type { SqlValue } from '../storage/connection.ts';
import { atLeast, below, equals, type Condition } from '../storage/keyset.ts';
import type { Metadata } from '../storage/metadata.ts';
import * as column from '../storage/table.ts';
import type { Column } from '../storage/table.ts';

type Member = {
  /** In responses. */
  readonly shown: JsonSchema;
  /** In the bodies of POST and PUT, and in an object to which a PATCH was applied. */
  readonly sent?: JsonSchema;
  /** In the body of POST, if that isn't `sent`; null if POST doesn't have the member. */
  readonly posted?: JsonSchema | null;
  /** For a member that the service sets: PUT and PATCH may send it with its current value. */
  readonly readOnly?: JsonSchema;
  readonly column: Column<unknown, never>;
  /** What an absent member becomes; by default null. */
  readonly absent?: unknown;
  /** Whether a PUT that leaves the member out, or sends null, leaves it as it is. */
  readonly staysInPut?: boolean;
  /** Returns the form in which the service keeps what was sent. Never called for null. */
  readonly normal?: (sent: never) => unknown;
  readonly cell?: CsvMember;
  /** Whether events show its values. Of other members, which may be personal data, they show only the names. */
  readonly hasValuesInEvents?: boolean;
  /** Whether erasing the person clears it. */
  readonly isPersonal?: boolean;
};
export type Members = Readonly<Record<string, Member>>;
type ShownInEvents = Member & { readonly hasValuesInEvents: true; readonly isPersonal?: false };
type PersonalMemberOrNot = Member & { readonly hasValuesInEvents?: false } & (
    { readonly isPersonal: false } | { readonly isPersonal: true; readonly column: ClearedColumn }
  );
/** An erasure makes these null, or empties them. */
type ClearedColumn = Column<unknown, null> | Column<unknown, Metadata>;
/**
 * Each member says `isPersonal`, except those whose values are in events; those can't be personal, since events can't
 * be erased.
 */
export type PersonalOrNot = Readonly<Record<string, ShownInEvents | PersonalMemberOrNot>>;

type SchemaKind = 'sent' | 'posted' | 'readOnly';

type NamesWith<M, K extends SchemaKind> = {
  [N in keyof M]: M[N] extends { readonly [P in K]: JsonSchema } ? N : never;
}[keyof M];
type NamesWithPosted<M> = {
  [N in keyof M]: M[N] extends { readonly posted: JsonSchema | null } ? N : never;
}[keyof M];
type SchemaOf<M, K extends SchemaKind> = M extends { readonly [P in K]: infer S } ? S : never;
type SchemasOf<M, K extends SchemaKind> = { readonly [N in NamesWith<M, K>]: SchemaOf<M[N], K> };
type ShownIn<M extends Members> = { readonly [N in keyof M]: M[N]['shown'] };
type PostedIn<M> = Omit<SchemasOf<M, 'sent'>, NamesWithPosted<M>> & SchemasOf<M, 'posted'>;
type SentIn<M> = SchemasOf<M, 'sent'> & SchemasOf<M, 'readOnly'>;
type PersonalIn<M> = {
  [N in keyof M]: M[N] extends { readonly isPersonal: true } ? N : never;
}[keyof M];
type ColumnsOf<M extends Members> = { readonly [N in keyof M]: M[N]['column'] };

/** An object as its table has it: a member that responses leave out is null. */
export type RowOf<M extends Members> = {
  readonly [N in keyof M]: M[N]['column'] extends Column<infer T, never> ? T : never;
};

/** What requests set of an object, in the form in which the service keeps it. */
export type ContentOf<M extends Members> = {
  readonly [N in NamesWith<M, 'sent'>]: M[N]['column'] extends Column<infer T, never> ? T : never;
};

export function shownIn<M extends Members>(members: M): ShownIn<M> {
  return picked(members, ({ shown }) => shown) as ShownIn<M>;
}

export function postedIn<M extends Members>(members: M): PostedIn<M> {
  return picked(members, ({ posted, sent }) =>
    posted === null ? undefined : (posted ?? sent),
  ) as PostedIn<M>;
}

export function sentIn<M extends Members>(members: M): SentIn<M> {
  return picked(members, ({ sent, readOnly }) => sent ?? readOnly) as SentIn<M>;
}

export function columnsOf<M extends Members>(members: M): ColumnsOf<M> {
  return picked(members, ({ column }) => column) as ColumnsOf<M>;
}

export function cellsIn(
  members: Readonly<Record<string, { readonly cell: CsvMember }>>,
): Readonly<Record<string, CsvMember>> {
  return Object.fromEntries(Object.entries(members).map(([name, { cell }]) => [name, cell]));
}

/** The names of the members that requests set. */
export function contentNames<M extends Members>(members: M): NamesWith<M, 'sent'>[] {
  return Object.keys(picked(members, ({ sent }) => sent)) as NamesWith<M, 'sent'>[];
}

/** Returns a function that returns the content of an object, with which a PATCH is merged. */
export function contentPicker<M extends Members>(members: M): (object: ContentOf<M>) => ContentOf<M> {
  const names = contentNames(members);
  return (object) => Object.fromEntries(names.map((name) => [name, object[name]])) as ContentOf<M>;
}

/** Returns the body of a PUT with the members that stay though it leaves them out. */
export function withStaying<M extends Members>(members: M, current: RowOf<M>, body: object): object {
  const sent: Readonly<Record<string, unknown>> = { ...body };
  const staying = Object.keys(picked(members, ({ staysInPut }) => staysInPut));
  const kept: Readonly<Record<string, unknown>> = current;
  return { ...sent, ...Object.fromEntries(staying.map((name) => [name, sent[name] ?? kept[name]])) };
}

/** The names of the members that PUT and PATCH may send with their current values. */
export function readOnlyNames(members: Members): string[] {
  return Object.keys(picked(members, ({ readOnly }) => readOnly));
}

/** The names of the members whose values events show. */
export function namesInEvents(members: Members): string[] {
  return Object.keys(picked(members, ({ hasValuesInEvents }) => hasValuesInEvents));
}

/** The names of the members that erasing the person clears. */
export function personalNames<M extends Members>(members: M): PersonalIn<M>[] {
  return Object.keys(picked(members, ({ isPersonal }) => isPersonal || undefined)) as PersonalIn<M>[];
}

/** Returns a function that reads the content of a body that fits. */
export function contentReader<M extends Members>(members: M): (body: ObjectOf<SentIn<M>>) => ContentOf<M> {
  const sent = Object.entries(members).filter(([, member]) => member.sent !== undefined);
  return (body: Readonly<Record<string, unknown>>) => {
    const content: Record<string, unknown> = {};
    for (const [name, { absent = null, normal = column.asIs }] of sent) {
      const value = body[name] ?? absent;
      content[name] = value === null ? null : normal(value as never); // it fits the member's schema
    }
    return content as ContentOf<M>; // each member's value is in the form of its column
  };
}

/** Returns the results of `pick` by the names of the members, without undefined ones. */
function picked(members: Members, pick: (member: Member) => unknown): Readonly<Record<string, unknown>> {
  const entries = Object.entries(members).map(([name, member]) => [name, pick(member)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The first member. */
export const identity = {
  id: {
    shown: id,
    readOnly: optional(id),
    column: column.assignedColumn,
    cell: integerCell,
    isPersonal: false,
  },
} as const;

/** A text that each object has. */
export function requiredText(schema: Schema<string>) {
  return { shown: schema, sent: schema, column: column.textColumn(), cell: textCell } as const;
}

/** A whole number. */
export function wholeNumber(schema: Schema<number>) {
  const common = { shown: schema, sent: schema, normal: plainZero } as const;
  return { ...common, column: column.integerColumn, cell: integerCell } as const;
}

/**
 * An amount in the minor unit of the object's `currency`. Files have it in the main unit, such as 7.49. The console
 * shows it as money if the schema's description names the minor unit.
 */
export function money(schema: Schema<number>) {
  return { ...wholeNumber(schema), cell: moneyCell } as const;
}

const moneyCell: CsvMember = {
  write: (amount: number, { currency }: { readonly currency: string }) => [
    amountCell(decimalAmount(amount, currency)),
  ],
  read: (cell, cells) => amountIn(cell, currencyIn(cells.get('currency') ?? '')) ?? cell,
  mustBe: ({ currency }) =>
    'a decimal amount in the main unit of its currency, without the currency’s sign, such as 7.49' +
    (fits(activeCurrency, currency) ? `: ${currency} has ${decimalsOf(currency)}` : ''),
};

function currencyIn(cell: string): string {
  return trimmed(cell).toUpperCase();
}

function amountIn(cell: string, currency: string): number | undefined {
  return cell.length > amountCharsMax ? undefined : minorUnitsOf(plainAmount(cell), currency);
}

const amountCharsMax = 64;

function plainAmount(cell: string): string {
  return plainText(cell)
    .trim()
    .replace(/^\p{Pd}/u, '-')
    .replace(/^\+/, '')
    .replace('\u066b', '.'); // the Arabic decimal separator
}

function decimalsOf(currency: string): string {
  const digits = currencyDigits(currency);
  return digits === 0 ? 'no decimals' : `${digits} decimals`;
}

/** The member `currency`, which an object with `money` needs. Events show it. */
export const currency = {
  ...requiredText(anyCurrency),
  posted: activeCurrency,
  cell: { ...trimmedCell, read: currencyIn },
  hasValuesInEvents: true,
} as const;

/** Yes or no; `absent` if a request says nothing. */
export function trueOrFalse(description: string, absent: boolean) {
  const schema = boolean({ description });
  return {
    shown: schema,
    sent: optional(schema),
    absent,
    column: column.booleanColumn,
    cell: trueOrFalseCell,
  } as const;
}

/** The key by which the names of objects are sorted. */
export const nameKey = column.derivedColumn('name', keyOfName);

type Required<T> = Member & {
  readonly shown: Schema<T>;
  readonly sent: Schema<T>;
  readonly column: Column<T>;
};

/** Makes a member optional: an object without it has null. */
export function orNull<T, M extends Required<T>>(member: M & Required<T>) {
  const { shown, sent, column: own } = member;
  const changed = {
    shown: nullable(shown),
    sent: optional(nullable(sent)),
    column: column.nullableColumn(own),
  } as const;
  return { ...member, ...changed } as Omit<M, keyof typeof changed> & typeof changed; // as spread
}

/** A text that an object may have. */
export function optionalText(schema: Schema<string>) {
  return orNull(requiredText(schema));
}

/** One of these words; the first, if a request says none. Events show it. */
export function oneWord<const W extends string>(name: string, words: readonly [W, ...W[]]) {
  const schema = named(name, oneOf(words));
  return {
    shown: schema,
    sent: optional(schema),
    absent: words[0],
    column: column.textColumn<W>(),
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
    column: column.nullableColumn(column.integerColumn),
    cell: integerCell,
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
    column: column.nullableColumn(column.integerColumn),
    cell: integerCell,
    isPersonal: false,
  },
} as const;

/** A time that clients send. It is kept to the millisecond. */
export function sentTime(description: string) {
  return {
    shown: { ...timestamp, description },
    sent: { ...sentTimestamp, description },
    normal: (sent: string): string => timestampOf(toTime(sent)),
    column: column.sentTimeColumn,
    cell: sentTimeCell,
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
  createdAt: { ...time, column: column.timeColumn },
  updatedAt: { ...time, column: column.timeColumn },
} as const;

/** A parameter of a list, and the rows that it keeps. */
export type ListFilter = ColumnListFilter | LeadingFilter;
/** A parameter that keeps the rows whose column passes. */
export type ColumnListFilter = {
  readonly schema: JsonSchema;
  readonly column: string;
  readonly matches: (column: string, value: SqlValue) => Condition;
  /** Converts a parameter's text to the column's value. */
  readonly columnValueOf?: (text: string) => SqlValue;
  /** The sort columns for which an index begins with this column, and continues with the sort column and the id. */
  readonly ordered?: readonly string[];
  /** Whether it is a range of the column: an index serves it if the list is sorted by the column. */
  readonly isRange?: true;
};

/**
 * A parameter with one or more values of a column that precedes the sort's column in all indexes: each value is a
 * range of an index, and ranges are merged.
 */
type LeadingFilter = {
  readonly schema: JsonSchema;
  readonly column: string;
  readonly values: readonly string[];
};

/** Keeps the rows whose column has the value. */
export function equalTo<S extends JsonSchema>(name: string, schema: S, description?: string) {
  const { title: _title, ...untitled }: JsonSchema = schema; // its component has the description of the member
  const own = description === undefined ? optional(schema) : optional(untitled, { description });
  const typed = own as ReturnType<typeof optional<S>>; // the title is no part of the type
  return { schema: typed, column: name, matches: equals };
}

/** Keeps the rows whose time is this or later. */
export function fromFilter(name: string, description: string) {
  return rangeOf(name, description, atLeast);
}

/** Keeps the rows whose time is earlier. */
export function beforeFilter(name: string, description: string) {
  return rangeOf(name, description, below);
}

function rangeOf(name: string, description: string, matches: ColumnListFilter['matches']) {
  const schema = optional(sentTimestamp, { description });
  return { schema, column: name, matches, columnValueOf: timeAtOrAfter, isRange: true } as const;
}
