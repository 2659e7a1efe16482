// A resource from one declaration: its schemas, its rows, its list, its events, its audit and its file.
//
//   const suppliers = resource({ name: 'supplier', plural: 'suppliers', …, members: { … }, sorts: { … } });
//
//   suppliers.Shown, New, Replacement, Patch   the schemas of responses and bodies
//   suppliers.add(permit, content, createdAt)  inserts a row, and records supplier.created
//   suppliers.replace(permit, current, wanted) changes an `Owned` row, and records supplier.changed
//   suppliers.remove(permit, current)          removes an `Owned` row, and records supplier.deleted
//   suppliers.overwrite(permit, current, …)    replaces a row likewise, with another event
//   suppliers.selection(access, query)         the rows of its list
//   suppliers.audit                            what `orderly check` verifies
//
// `resource-routes.ts` makes the routes of it, and `features/resource-feature.ts` a feature. Each function here is
// plain: a resource with other rules writes its own beside it. Nothing that a resource must decide has a default:
// whose its rows are, who may read and change them, and how it is searched.
import assert from 'node:assert';
import { rowAccessOf, type Caller, type RowAccess } from '../auth/access.ts';
import { csvColumns, writtenCell, type CsvConversion, type CsvMember, type CsvTable } from '../base/csv.ts';
import { timestampOf } from '../base/timestamp.ts';
import { recordEvent } from '../features/events/event-store.ts';
import { changesBetween, topicOf } from '../features/events/event.ts';
import { requireFittingMerge, type ProblemCode } from '../problem.ts';
import { mergePatch } from '../schema/json-objects.ts';
import { id, readOnlyIssues, withdrawnCurrencyIssues } from '../schema/members.ts';
import { keptIssues, schemaIssues } from '../schema/schema-check.ts';
import {
  named,
  object,
  optional,
  partial,
  type Issue,
  type JsonSchema,
  type MemberSchemas,
} from '../schema/schema.ts';
import { wordPhrases } from '../schema/search-text.ts';
import { searchParameter } from '../schema/search-parameter.ts';
import { issueUnless } from '../storage/audit.ts';
import type { Connection, SqlValue } from '../storage/connection.ts';
import {
  and,
  type Condition,
  type SearchDatabase,
  type SearchScope,
  type SearchSelection,
  type Selection,
} from '../storage/keyset.ts';
import {
  indexMetadata,
  metadataCheck,
  metadataFilter,
  metadataMember,
  noMetadata,
  type Metadata,
} from '../storage/metadata.ts';
import { ownerIdOf, unlessInUse, type ObjectSource, type Owned } from '../storage/object-access.ts';
import type { Permit } from '../storage/permit.ts';
import * as column from '../storage/table.ts';
import { table, type Column } from '../storage/table.ts';
import { assertOwnerExists, customerIssues, ownedBy, ownerIsKnownSql, ownerSql } from './owner-store.ts';
import { listOf, type ColumnListFilter } from './resource-list.ts';
import {
  cellsIn,
  columnsOf,
  contentPicker,
  contentNames,
  contentReader,
  namesInEvents,
  personalNames,
  postedIn,
  readOnlyNames,
  sentIn,
  shownIn,
  withStaying,
  type ContentOf,
  type Members,
  type PersonalOrNot,
  type RowOf,
} from './resource-members.ts';

/** The products of the sample data. */
export type SampleProducts = readonly (readonly [sku: string, name: string, cents: number])[];
type ResourceColumns = Readonly<Record<string, Column<unknown, never>>>;
type SortedQuery = { readonly sort?: string };
type CommonMembers = { readonly id: number; readonly createdAt: string; readonly updatedAt: string };
type ResourceMember = Members[string] & { readonly cell: CsvMember };
export type ResourceMembers = Readonly<Record<string, ResourceMember>>;

/** If rows have an owner (`ownership`), users read and change their own, and staff all of them. */
type RightsOf<M> = M extends { readonly userId: unknown }
  ? { readonly owner: 'user' } & Deleters
  : { readonly owner: 'none'; readonly readers: Audience; readonly writers: Audience } & Deleters;
type Audience = 'everyone' | 'staff';
/** By default whoever may change an object may also delete it. */
type Deleters = { readonly deleters?: 'administrators' };
/** Both forms of `RightsOf`. */
type Rights = {
  readonly owner: 'user' | 'none';
  readonly readers?: Audience;
  readonly writers?: Audience;
} & Deleters;

type ResourceDeclaration<M extends ResourceMembers> = {
  /** The noun for one object. Event types (`supplier.created`) and schemas (`SupplierPatch`) begin with it. */
  readonly name: string;
  /** The name of the table, and of a section of the document. Paths and scopes begin with it. */
  readonly plural: string;
  readonly rights: RightsOf<M>;
  /** In the order in which responses and files show them. */
  readonly members: M;
  /** Columns that derive from members, which responses don't show: the list sorts and searches by them. */
  readonly keys?: Readonly<Record<string, Column<string | null, never>>>;
  readonly examples: { readonly whole: object; readonly patch: object };
  /** The description of the body of PUT, if there is more to say. */
  readonly replacement?: string;
  /** The columns of the list's sorts by their names, the usual one first. Each has an index, and so has the id. */
  readonly sorts: Readonly<Record<string, string>>;
  readonly filters: Readonly<Record<string, ColumnListFilter>>;
  /** How `q` finds rows. */
  readonly search: ScannedSearch | IndexedSearch | null;
  /** Members with unique values, each with its UNIQUE columns: its own, or columns of keys. */
  readonly unique?: { readonly [N in keyof M]?: readonly string[] };
  /** Issues that only the database shows. */
  readonly issues?: (
    db: Connection,
    wanted: ContentOf<M>,
    current: Partial<RowOf<M> & CommonMembers>,
  ) => Issue[];
  /** What else keeps an object from being deleted: `checkAllowed` throws one of the problems. */
  readonly deletion?: {
    readonly problems: readonly ProblemCode[];
    readonly checkAllowed: (db: Connection, id: number) => void;
  };
  /** Updates what derives from a row, in the write that changes the row. */
  readonly onWrite?: (db: Connection, id: number, change: Change<ContentOf<M>>) => void;
  /** Whether files of the objects are imported; by default they aren't. */
  readonly imports?: ImportRules<M>;
  /** What is no damage, but should be looked at: the start and `orderly check` print it. */
  readonly notes?: (db: Connection) => readonly string[];
  /** Rows for `orderly sample`. */
  readonly samples?: (products: SampleProducts) => readonly ContentOf<M>[];
};

/** Finds rows by words in these columns, after the rows that `firstOf` finds by the whole text. */
type ScannedSearch = {
  readonly description: string;
  readonly columns: readonly string[];
  readonly firstOf?: (q: string) => Condition;
};
/** Finds rows by an index of the resource, which `onWrite` updates and `orderly check` verifies. */
type IndexedSearch = {
  readonly description: string;
  readonly indexCheck: ReturnType<typeof metadataCheck>;
  readonly matching: (scope: SearchScope, q: string) => SearchSelection;
};
/** How an import finds the object that a line without id and key means (`imported-object-store.ts`). */
type ImportRules<M extends ResourceMembers> = {
  /**
   * Tried in order: the first that matches exactly one row finds the object. Or the name of a unique member: this
   * alone names an object then, and ids and keys have no effect.
   */
  readonly knownBy: readonly RowMatch<ContentOf<M>>[] | (keyof M & string);
  /** A line never means a row with another text in this column. */
  readonly distinguishedBy?: keyof M & string;
  /** Find rows that may be the same as a new object: the result of its line names one. */
  readonly alike?: readonly RowMatch<ContentOf<M>>[];
  /** Returns a warning of a mistake that the line may contain. `current` is empty for a new object. */
  readonly warningOf?: (wanted: ContentOf<M>, current: Partial<RowOf<M>>) => string | undefined;
  /** The description of the object in a line. */
  readonly description?: string;
};
/** A condition on rows, and the values for an object. A value of null matches no row. */
export type RowMatch<Content> = {
  readonly sql: string;
  readonly valuesOf: (content: Content) => readonly SqlValue[];
};
type EventVerb = 'created' | 'changed' | 'deleted' | 'erased';
type Change<Content> = { readonly before?: Content; readonly after?: Content };

/** An object with the members that all have. */
export type Shown<M extends ResourceMembers> = RowOf<M> & CommonMembers;
export type Resource<M extends ResourceMembers> = ReturnType<typeof resource<M>>;

/** Where objects may be about a customer, each member says whether it is personal: an erasure clears those. */
type SaysWhatIsPersonal<M> = M extends { readonly customerId: unknown }
  ? { readonly members: PersonalOrNot }
  : unknown;

export function resource<M extends ResourceMembers>(
  declaration: ResourceDeclaration<M> & SaysWhatIsPersonal<M>,
) {
  const { readers = 'everyone', writers = 'everyone', deleters }: Rights = declaration.rights;
  const rights = { isOwned: hasOwners(declaration.rights), readers, writers, deleters };
  const bodies = bodiesOf(declaration);
  const rows = tableOf(declaration);
  return {
    ...declaration,
    ...rights,
    tag: capitalized(declaration.plural),
    /** The members that erasing a customer clears, if objects may be about customers. */
    personal:
      'customerId' in declaration.members ? personalNames(declaration.members).map(String) : undefined,
    ...bodies,
    ...fileOf<M>(declaration),
    ...changesOf(declaration, rows),
    ...storedIssuesOf(declaration, rows),
    ...auditOf(declaration, rows, bodies),
    ...listFor(declaration),
  };
}

/** The schemas of responses and bodies, and what a body makes of an object. */
function bodiesOf<M extends ResourceMembers>({
  name,
  members,
  examples,
  replacement = `The whole ${name}: omitted members get their defaults.`,
}: ResourceDeclaration<M>) {
  const example = { examples: [examples.whole] };
  const title = capitalized(name);
  const Shown = named(title, object(shownIn(members)));
  const New = named(`New${title}`, object(postedIn(members), example));
  const Replacement = named(
    `${title}Replacement`,
    object(sentIn(members), { description: replacement, ...example }),
  );
  const description = 'A JSON Merge Patch (RFC 7396).';
  const Patch = named(`${title}Patch`, partial(Replacement, { description, examples: [examples.patch] }));
  const contentOf = contentReader(members);
  const currentContent = contentPicker(members);
  const readOnly = readOnlyNames(members);

  /** Merges a body into the current object. Throws all issues of the result. */
  function merge(
    current: RowOf<M>,
    body: object,
    { method, ownerIssues }: { readonly method: 'PUT' | 'PATCH'; readonly ownerIssues: readonly Issue[] },
  ): ContentOf<M> {
    const sent: Readonly<Record<string, unknown>> = { ...body };
    const wanted =
      method === 'PUT' ? withStaying(members, current, body) : mergePatch(currentContent(current), body);
    const issues = [...readOnlyIssues(current, sent, readOnly), ...ownerIssues];
    if (method === 'PATCH' && sent['userId'] === null && ownerIdOf(current) !== null)
      issues.push(ownerMissing);
    issues.push(...withdrawnCurrencyIssues(current, sent));
    return contentOf(requireFittingMerge(Replacement, wanted, issues));
  }
  /** Reads the content of a body that a route has checked. */
  function read(body: object): ContentOf<M> {
    return contentOf(body as Parameters<typeof contentOf>[0]); // it fits `New`, and `Replacement` has the same members
  }
  return { Shown, New, Replacement, Patch, read, merge };
}

const ownerMissing: Issue = { pointer: '/userId', code: 'type', detail: 'userId must be the id of a user.' };

/** The columns of its file, as exports write and imports read them. */
function fileOf<M extends ResourceMembers>({ members, imports }: ResourceDeclaration<M>) {
  const cells = cellsIn(members);
  const ids = typeof imports?.knownBy === 'string' ? { id: writtenCell } : {}; // they have no effect
  const { columns, cellsOf, objectOf, mustBe } = csvColumns({ ...cells, ...ids });
  const csv: CsvTable<object> = { columns, rowsOf: (row) => [cellsOf({ ...row })] };
  const conversion: CsvConversion = { columns, objectOf, mustBe };
  return { csv, conversion };
}

/** The table: the columns of members, and those of keys, which derive from members. */
function tableOf<M extends ResourceMembers>({ plural, members, keys = {} }: ResourceDeclaration<M>) {
  const shown: ResourceColumns = columnsOf(members);
  const columns: ResourceColumns = { ...shown, ...keys };
  return { shown, columns, rows: table(plural, columns) };
}
type ResourceTable = ReturnType<typeof tableOf>;

/** How a row is found, inserted, changed and removed: each change with its event, and with what derives from the row. */
function changesOf<M extends ResourceMembers>(
  declared: ResourceDeclaration<M>,
  { shown, rows }: ResourceTable,
) {
  type Shown = RowOf<M> & CommonMembers;
  type Content = ContentOf<M>;
  const { name, plural, members, keys = {}, deletion, onWrite } = declared;
  const isOwned = hasOwners(declared.rights);
  const ownerColumn: ResourceColumns = isOwned
    ? { userId: column.computedColumn(ownerSql(plural), column.integerColumn) }
    : {};
  const found = rows.select({ ...shown, ...ownerColumn });
  /** A key kept from an older version is recomputed only when its text changes. */
  const keySources = Object.values(keys).flatMap(({ source, storeLegacy }) => (storeLegacy && source) ?? []);
  const content: readonly string[] = contentNames(members).map(String);
  const replaceContent = rows.update([...content.filter((each) => !keySources.includes(each)), 'updatedAt']);
  const replaceKeySource = keySources.map((each) => ({ name: each, replace: rows.update([each]) }));
  const membersInEvents = namesInEvents(members);
  const topic = topicOf(`${name}.created`) ?? plural;

  const source: ObjectSource<Shown> = {
    name,
    find: (db, id) => found.find(db, id) as Shown | undefined, // of its columns
    ownerIdOf,
    accessOf: (caller) => (isOwned ? rowAccessOf(caller) : 'all'),
  };

  function add(permit: Permit, wanted: Content & { readonly userId?: number }, createdAt: number): Shown {
    const { userId = null } = wanted;
    if (userId !== null) assertOwnerExists(permit, userId);
    const values = { ...wanted, createdAt, updatedAt: createdAt };
    const id = rows.insert(permit.writer, values);
    afterChange(permit, id, { after: wanted });
    const given: Readonly<Record<string, unknown>> = wanted;
    const shownNow = Object.fromEntries(membersInEvents.map((each) => [each, given[each] ?? null]));
    const changes = changesBetween({}, shownNow, membersInEvents);
    record(permit, 'created', { subjectId: id, ownerId: userId, changes, createdAt });
    return found.written({ userId: null, ...values, id }) as Shown; // of its columns
  }

  function replace(permit: Permit, current: Owned<Shown>, wanted: Content): Shown {
    return overwrite(permit, current, { wanted, verb: 'changed' });
  }

  function overwrite(
    permit: Permit,
    current: Owned<Shown>,
    { wanted, verb }: { readonly wanted: Content; readonly verb: EventVerb },
  ): Shown {
    const { id: subjectId } = current;
    const updatedAt = column.changeTime(current, permit.origin.now);
    const values: Readonly<Record<string, unknown>> = { ...wanted, updatedAt };
    replaceContent(permit.writer, values, subjectId);
    const before: Readonly<Record<string, unknown>> = current;
    for (const each of replaceKeySource)
      if (values[each.name] !== before[each.name]) each.replace(permit.writer, values, subjectId);
    afterChange(permit, subjectId, { before: current, after: wanted });
    const [ownerId, owner] = [ownerIdOf(wanted), ownerIdOf(current)];
    const formerOwnerId = owner === ownerId ? null : owner;
    const changes = changesBetween(current, wanted, membersInEvents);
    record(permit, verb, { subjectId, ownerId, formerOwnerId, changes });
    return { ...current, ...wanted, updatedAt: timestampOf(updatedAt) };
  }

  function remove(permit: Permit, current: Owned<Shown>): void {
    deletion?.checkAllowed(permit.writer, current.id);
    unlessInUse(name, current.id, () => rows.remove(permit.writer, current.id));
    afterChange(permit, current.id, { before: current });
    record(permit, 'deleted', { subjectId: current.id, ownerId: ownerIdOf(current) });
  }

  type EventDetails = Omit<Parameters<typeof recordEvent>[1], 'type' | 'topic'>;
  function record(permit: Permit, verb: EventVerb, details: EventDetails): void {
    recordEvent(permit, { type: `${name}.${verb}`, topic, ...details });
  }

  /** Brings up to date what derives from the row: the index of metadata, if the resource has them, and its own. */
  function afterChange(permit: Permit, id: number, change: Change<Content>): void {
    if (hasMetadata(members)) {
      const { before, after } = change;
      indexMetadata(permit.writer, plural, { id, before: metadataOf(before), after: metadataOf(after) });
    }
    onWrite?.(permit.writer, id, change);
  }

  return { topic, membersInEvents, source, add, replace, overwrite, remove, hasRows: rows.hasRows };
}

/** The issues of a change that only the database shows. */
function storedIssuesOf<M extends ResourceMembers>(
  { name, plural, unique = {}, issues }: ResourceDeclaration<M>,
  { columns }: ResourceTable,
) {
  type Content = ContentOf<M>;
  type Current = Partial<RowOf<M> & CommonMembers>;
  /** For each unique member, the rows that have its value in one of its UNIQUE columns. */
  const uniqueMatches = new Map<string, RowMatch<Content>>();
  for (const [member, names = []] of Object.entries<readonly string[] | undefined>(unique))
    uniqueMatches.set(member, {
      sql: names.map((each) => `${each} = ?`).join(' OR '),
      valuesOf({ [member]: value = null }: Readonly<Record<string, unknown>>) {
        return names.map((each) => (value === null ? null : (columns[each]?.store(value as never) ?? null))); // in its form
      },
    });

  /** The caller sees the customer whom the row will be about, and no other row has the value of a unique member. */
  function storedIssues(permit: Permit<Caller>, wanted: Content, current: Current): Issue[] {
    const [sent, kept] = [customerIn(wanted), customerIn(current)];
    return [
      ...(sent === null || sent === kept ? [] : customerIssues(permit, sent)),
      ...takenIssues(permit.writer, wanted, current),
      ...(issues?.(permit.writer, wanted, current) ?? []),
    ];
  }

  /** A value that stays as it is may be taken. */
  function takenIssues(db: Connection, wanted: Content, current: Current): Issue[] {
    const values: Readonly<Record<string, unknown>> = wanted;
    const before: Readonly<Record<string, unknown>> = current;
    return [...uniqueMatches].flatMap(([member, { sql, valuesOf }]) => {
      if (values[member] === before[member]) return [];
      const others = `SELECT id FROM ${plural} WHERE (${sql}) AND id <> ?`;
      const [id] = db.get<[number]>(others, ...valuesOf(wanted), current.id ?? 0) ?? [];
      if (id === undefined) return [];
      const detail = `${capitalized(name)} ${id} has the ${member} ${String(values[member])}.`;
      return [{ pointer: `/${member}`, code: 'taken', detail }];
    });
  }

  return { uniqueMatches, storedIssues };
}

/** Asserts that `unique` has each UNIQUE column of the table: otherwise a taken value would be a 500. */
export function assertUniqueDeclared(
  db: Connection,
  { plural, unique = {} }: { readonly plural: string; readonly unique?: object },
): void {
  const declared: readonly unknown[] = Object.values(unique).flat();
  const indexes = 'SELECT name FROM pragma_index_list(?) WHERE "unique" = 1';
  for (const [index = ''] of db.all<[string]>(indexes, plural)) {
    const columns = db.all<[string]>('SELECT name FROM pragma_index_info(?)', index).flat().join(', ');
    assert(declared.includes(columns), `${plural}: UNIQUE (${columns}) is not in "unique"`);
  }
}

function customerIn(row: object): number | null {
  return 'customerId' in row && typeof row.customerId === 'number' ? row.customerId : null;
}

/** What `orderly check` verifies. */
function auditOf<M extends ResourceMembers>(
  { name, plural, members, rights, search }: ResourceDeclaration<M>,
  { shown, columns, rows }: ResourceTable,
  { Shown, Replacement }: { readonly Shown: JsonSchema; readonly Replacement: JsonSchema },
) {
  const ownerIsKnown = column.computedColumn(ownerIsKnownSql(plural), column.booleanColumn);
  const known: ResourceColumns = hasOwners(rights) ? { ownerIsKnown } : {};
  const audit = rows.audit({
    thing: name,
    columns: { ...columns, ...known },
    issues: (row) => rowIssues(row, { names: Object.keys(shown), Shown, Replacement }),
  });
  const checks = [
    ...(search !== null && 'indexCheck' in search ? [search.indexCheck] : []),
    ...(hasMetadata(members) ? [metadataCheck(plural)] : []),
  ];
  return { audit, checks };
}

type RowSchemas = {
  /** The names of the members that `Shown` has. */
  readonly names: readonly string[];
  readonly Shown: JsonSchema;
  readonly Replacement: JsonSchema;
};

/**
 * What `orderly check` verifies of a row: it fits its schema and the rules of a whole object, its times are in order, and
 * its owner exists. The rules of texts that are sent aren't applied again.
 */
export function rowIssues(
  row: Readonly<Record<string, unknown>>,
  { names, Shown, Replacement }: RowSchemas,
): Issue[] {
  const { createdAt, updatedAt, userId, ownerIsKnown = true } = row;
  const seen = Object.fromEntries(names.map((each) => [each, row[each]]));
  const unfit = schemaIssues(Shown, seen);
  if (unfit.length > 0) return unfit;
  return [
    ...keptIssues(Replacement, seen),
    ...issueUnless(String(createdAt) <= String(updatedAt), '/updatedAt', 'updatedAt is before createdAt.'),
    ...issueUnless(ownerIsKnown === true, '/userId', `There is no user ${String(userId)}.`),
  ];
}

/** The list: its parameters, and the rows that they select. */
function listFor<M extends ResourceMembers>(declared: ResourceDeclaration<M>) {
  const { name, plural, members, sorts, filters, search, rights } = declared;
  const { userId = ownerFilter(Object.values(sorts)[0] ?? 'id'), ...others } = filters;
  const access = hasOwners(rights) ? userId : null;
  const all: Readonly<Record<string, ColumnListFilter>> = {
    ...(access === null ? {} : { userId: access }),
    ...others,
    ...(hasMetadata(members) ? { metadata: metadataFilter(plural) } : {}),
  };
  const list = listOf({ name, table: plural, sorts, access, filters: all });
  const query: MemberSchemas =
    search === null ? list.query : { q: searchParameter(search.description), ...list.query };

  /** Selects as `selection` does, or what `q` finds. */
  function selectionOrSearch(
    access: RowAccess,
    { q, ...query }: SortedQuery & { readonly q?: string },
  ): Selection {
    if (q === undefined || search === null) return list.selection(access, query);
    const scope = list.selection(access, query);
    return 'matching' in search ? search.matching(scope, q) : scanned(search, plural, { scope, q });
  }
  return { ...list, query, selectionOrSearch };
}

/** The filter `userId` of rows with an owner, unless one of this name is declared. */
function ownerFilter(firstSort: string): ColumnListFilter {
  const schema = optional(id, { description: 'Only those of this user.' });
  return { schema, column: 'userId', matches: ownedBy, ordered: [firstSort] };
}

/** Finds rows of the table by their words, in the read worker. */
function scanned(
  { columns, firstOf }: ScannedSearch,
  table: string,
  { scope, q }: { readonly scope: SearchScope; readonly q: string },
): SearchSelection {
  const { owners, where } = scope;
  const phrases = wordPhrases(q);
  const newest = `SELECT id, ${columns.join(', ')} FROM ${table} WHERE ${where.sql} ORDER BY id DESC`;
  const findFirst = async (database: SearchDatabase) => {
    if (firstOf === undefined) return [];
    const { sql, params } = and([firstOf(q), where]);
    return database.readInWorker<[key: number, id: number]>(
      `SELECT id, id FROM ${table} WHERE ${sql}`,
      params,
    );
  };
  return {
    owners,
    async search(database, rowsMax) {
      const [first, byWords] = await Promise.all([
        findFirst(database),
        database.readInWorker<[key: number, id: number]>(newest, where.params, {
          search: { phrases, columns: 'texts', rowsMax },
        }),
      ]);
      const ids = new Set([...first, ...byWords].map(([, id]) => id));
      return [...ids].slice(0, rowsMax).map((id) => [id, id]);
    },
  };
}

function hasMetadata({ metadata }: ResourceMembers): boolean {
  return metadata?.column === metadataMember.column; // the member may say more, such as that it is personal
}

function metadataOf(row: { readonly metadata?: Metadata } | undefined): Metadata {
  return row?.metadata ?? noMetadata;
}

function hasOwners({ owner }: Rights): boolean {
  return owner === 'user';
}

export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
