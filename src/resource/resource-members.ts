// The members of a resource, each declared once, and what follows (`usual-members.ts` has those that most have):
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
import type { CsvMember } from '../base/csv.ts';
import type { JsonSchema, ObjectOf } from '../schema/schema.ts';
import type { Metadata } from '../storage/metadata.ts';
import * as column from '../storage/table.ts';
import type { Column } from '../storage/table.ts';

export type Member = {
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
