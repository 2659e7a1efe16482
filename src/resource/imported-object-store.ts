// How a line of an import is written: it creates an object, changes one, or changes nothing. A line means the object with
// its `id`, or else the object that a line with its key has created, or else the object that `knownBy` of the
// declaration finds.
//
// A key names an object in the system from which the file comes. A table has a row for each key. A line without a key
// gets one from its content, so that the same file creates nothing twice.
//
// A dry run writes likewise, and its caller undoes that. It remembers what its earlier lines would have created.
import assert from 'node:assert';
import { hash } from 'node:crypto';
import { checkScope, type Caller } from '../auth/access.ts';
import type { CsvConversion } from '../base/csv.ts';
import { invalidAt, Problem, throwIfInvalid } from '../problem.ts';
import { id, readOnlyIssues, sentTimestamp, withdrawnCurrencyIssues } from '../schema/members.ts';
import {
  named,
  nullable,
  object,
  optional,
  type Issue,
  type JsonSchema,
  type MemberSchemas,
} from '../schema/schema.ts';
import type { Connection } from '../storage/connection.ts';
import { changesNothing, requireOwned } from '../storage/object-access.ts';
import type { Permit } from '../storage/permit.ts';
import {
  capitalized,
  type RowMatch,
  type Resource,
  type ResourceMembers,
  type Shown,
} from './declared-resource.ts';
import { userIssues } from './owner-store.ts';
import type { ContentOf } from './resource-members.ts';

export const importDryRunKeysMax = 200_000;

/** A kind of objects that can be imported. */
export type Importable = {
  /** The member of a line that has the object. */
  readonly name: string;
  readonly plural: string;
  readonly schema: JsonSchema;
  /** Whether an object has a unique member by which it is known: then its id and its key have no effect. */
  readonly isUnique: boolean;
  /** Reads the rows of tables; undefined if lines of JSON alone are imported. */
  readonly conversion: CsvConversion | undefined;
  /** Throws the issues of the line. `dryRun` is undefined if the import writes. */
  readonly write: (permit: Permit<Caller>, line: ObjectLine, dryRun: DryRun | undefined) => LineOutcome;
};

/** A line whose object fits the schema of its kind. */
export type ObjectLine = {
  readonly key: string | undefined;
  readonly object: object;
  /** Differs for lines with the same key and different content. */
  readonly fingerprint: string;
};

export type LineOutcome = {
  /** Null for an object that a dry run would create. */
  readonly id: number | null;
  readonly result: 'created' | 'changed' | 'unchanged';
  /** An object that may be the same as the new one; null if an earlier line of the dry run would create it. */
  readonly sameAs?: number | null | undefined;
  /** A mistake that the line may contain. */
  readonly warning?: string | undefined;
};

/** Returns a hash of the content: it depends on the order of members, but not on blanks between them. */
export function fingerprintOf(content: unknown): string {
  return hash('sha256', JSON.stringify(content), 'base64url');
}

/** Returns the key of an object that has none of its own. */
export function contentKey(object: object): string {
  return `row:${fingerprintOf(object)}`;
}

function isContentKey(key: string): boolean {
  return key.startsWith('row:');
}

/** An imported object, and the fingerprint of its last line. The id is null in a dry run. */
type Imported = { readonly id: number | null; readonly fingerprint: string };

/** The statement that makes the table of the keys of a resource: never edited once it is released. */
export function importKeysMigration(name: string, plural: string): string {
  return `
CREATE TABLE imported${capitalized(plural)} (
  key TEXT PRIMARY KEY,
  ${name}Id INTEGER NOT NULL UNIQUE REFERENCES ${plural} ON DELETE CASCADE,
  fingerprint BLOB NOT NULL
) STRICT, WITHOUT ROWID;
`;
}

/** The keys of imported objects of a kind; in a dry run also the keys of its earlier lines. */
export function importKeys(name: string, plural: string) {
  const table = `imported${capitalized(plural)}`;
  const findSql = `SELECT ${name}Id, fingerprint FROM ${table} WHERE key = ?`;
  const storeSql =
    `INSERT INTO ${table} (key, ${name}Id, fingerprint) VALUES (?, ?, ?) ` +
    'ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint';
  return {
    find(db: Connection, key: string, dryRun: DryRun | undefined): Imported | undefined {
      const earlier = dryRun?.find(name, key);
      if (earlier !== undefined) return earlier;
      const row = db.get<[id: number, fingerprint: Uint8Array]>(findSql, key);
      return row && { id: row[0], fingerprint: Buffer.from(row[1]).toString('base64url') };
    },
    store(db: Connection, key: string, imported: Imported, dryRun: DryRun | undefined): void {
      if (dryRun !== undefined) dryRun.add(name, key, imported);
      else db.run(storeSql, key, imported.id, Buffer.from(imported.fingerprint, 'base64url'));
    },
  };
}

/** What earlier lines of a dry run would have created. */
export class DryRun {
  readonly #keys = new Map<string, Imported>();
  /**
   * For each match, by its values: what the object has in the column `distinguishedBy`; undefined if several objects
   * have these values.
   */
  readonly #known = new Map<object, Map<string, string | null | undefined>>();

  find(kind: string, key: string): Imported | undefined {
    return this.#keys.get(`${kind} ${key}`);
  }

  add(kind: string, key: string, imported: Imported): void {
    const name = `${kind} ${key}`;
    if (this.#keys.size >= importDryRunKeysMax && !this.#keys.has(name)) {
      const detail = `A dry run checks at most ${importDryRunKeysMax} new objects; check the rest by itself.`;
      throw new Problem('content-too-large', detail);
    }
    this.#keys.set(name, imported);
  }

  addContent<C>(matches: readonly RowMatch<C>[], content: C, distinction: string | null): void {
    for (const match of new Set(matches)) {
      const values = textOf(match, content);
      if (values === undefined) continue;
      const known = this.#known.get(match) ?? new Map<string, string | null | undefined>();
      this.#known.set(match, known.set(values, known.has(values) ? undefined : distinction));
    }
  }

  /** Whether an earlier line would create the same object. */
  knows<C>(matches: readonly RowMatch<C>[], content: C, distinction: string | null): boolean {
    return matches.some((match) => {
      const other = this.#known.get(match)?.get(textOf(match, content) ?? '');
      return other !== undefined && isSameOrNone(other, distinction);
    });
  }

  /** Whether an earlier object has something in common with the content. */
  hasAlike<C>(matches: readonly RowMatch<C>[], content: C): boolean {
    return matches.some((each) => this.#known.get(each)?.has(textOf(each, content) ?? '') === true);
  }
}

/** Returns the values as a text; undefined if there are none. */
function textOf<C>({ valuesOf }: RowMatch<C>, content: C): string | undefined {
  const values = valuesOf(content);
  return values.includes(null) ? undefined : values.join('\n');
}

function isSameOrNone(known: string | null, distinction: string | null): boolean {
  return known === null || distinction === null || known === distinction;
}

type Sent = { readonly id?: number; readonly userId?: number | null };

/** Returns the kind of imported objects of a resource that declares imports. */
export function importable<M extends ResourceMembers>(resource: Resource<M>): Importable {
  const { name, plural, source, imports, isOwned, conversion } = resource;
  assert(imports !== undefined, `${plural} are not declared to be imported`);
  const { alike = [], distinguishedBy, warningOf } = imports;
  const isUnique = typeof imports.knownBy === 'string';
  const knownBy = rowMatchesOf(resource);
  const keys = importKeys(name, plural);
  const searched = `SELECT id, ${distinguishedBy ?? 'NULL'} FROM ${plural} WHERE`;

  function write(permit: Permit<Caller>, line: ObjectLine, dryRun: DryRun | undefined): LineOutcome {
    checkScope(permit.caller, `${plural}:write`);
    const { writer } = permit;
    const { object, fingerprint } = line;
    const { id }: Sent = object;
    if (id !== undefined && !isUnique) {
      if (source.find(writer, id) !== undefined) return change(permit, id, object);
      const detail = `There is no ${name} ${id}. Without an id a new ${name} is created.`;
      throw invalidAt(`/${name}/id`, 'unknown', detail);
    }
    const content = resource.read(object);
    const key = isUnique || line.key === undefined ? contentKey(object) : line.key;
    const imported = isUnique ? dryRun?.find(name, key) : keys.find(writer, key, dryRun);
    if (isContentKey(key)) {
      const knownId = findKnown(writer, content);
      if (knownId !== undefined) return change(permit, knownId, object);
      if (imported !== undefined) return { id: imported.id, result: 'unchanged' };
    } else if (imported !== undefined) {
      if (imported.fingerprint === fingerprint) return { id: imported.id, result: 'unchanged' };
      const outcome = change(permit, imported.id, object);
      keys.store(writer, key, { id: imported.id, fingerprint }, dryRun);
      return outcome;
    }
    return create(permit, { ...line, key, content }, dryRun);
  }

  type NewLine = ObjectLine & { readonly key: string; readonly content: ContentOf<M> };
  function create(permit: Permit<Caller>, line: NewLine, dryRun: DryRun | undefined): LineOutcome {
    const { writer, caller, origin } = permit;
    const { key, object, content, fingerprint } = line;
    const { userId }: Sent = object;
    const owner = isOwned ? { userId: userId ?? caller.userId } : {};
    throwIfInvalid(
      within(name, [
        ...(owner.userId === undefined ? [] : userIssues(writer, owner.userId)),
        ...issuesOf(permit, content, { current: {}, sent: object }),
      ]),
    );
    const own = distinctionOf(content);
    const isEarlier = isContentKey(key) && dryRun?.knows(knownBy, content, own) === true;
    if (isEarlier) return { id: null, result: 'changed' };
    const sameAs =
      findAlike(writer, content) ?? (dryRun?.hasAlike(alike, content) === true ? null : undefined);
    const added = resource.add(permit, { ...content, ...owner }, origin.now).id;
    const id = dryRun === undefined ? added : null;
    if (isUnique) dryRun?.add(name, key, { id, fingerprint });
    else keys.store(writer, key, { id, fingerprint }, dryRun);
    dryRun?.addContent([...knownBy, ...alike], content, own); // only once there was room for its key
    return { id, result: 'created', sameAs, warning: warningOf?.(content, {}) };
  }

  /** Members that the line leaves out stay. The id is null for an object that an earlier line would create. */
  function change(permit: Permit<Caller>, id: number | null, object: object): LineOutcome {
    if (id === null) return { id, result: 'changed' };
    const { id: _id, createdAt: _created, updatedAt: _updated, userId, ...sent }: ReadOnlyMembers = object;
    const current = requireOwned(source, permit, id);
    const wanted = resource.read({ ...current, ...sent });
    throwIfInvalid(
      within(name, [
        ...readOnlyIssues(current, { userId: userId ?? undefined }, ['userId']),
        ...issuesOf(permit, wanted, { current, sent }),
      ]),
    );
    const warning = warningOf?.(wanted, current);
    if (changesNothing<object>(current, wanted)) return { id, result: 'unchanged', warning };
    resource.replace(permit, current, wanted);
    return { id, result: 'changed', warning };
  }

  function issuesOf(
    permit: Permit<Caller>,
    wanted: ContentOf<M>,
    { current, sent }: { readonly current: Partial<Shown<M>>; readonly sent: object },
  ): Issue[] {
    return [
      ...withdrawnCurrencyIssues(current, { ...sent }),
      ...resource.storedIssues(permit, wanted, current),
    ];
  }

  /**
   * Finds the only object that has the values of a match, unless it has another value in the column
   * `distinguishedBy`.
   */
  function findKnown(db: Connection, content: ContentOf<M>): number | undefined {
    for (const { sql, valuesOf } of knownBy) {
      const found = db.all<[id: number, distinction: string | null]>(
        `${searched} ${sql} LIMIT 2`,
        ...valuesOf(content),
      );
      const [[id, other] = [0, null]] = found;
      if (found.length === 1 && isSameOrNone(other, distinctionOf(content))) return id;
    }
    return undefined;
  }

  function findAlike(db: Connection, content: ContentOf<M>): number | undefined {
    for (const { sql, valuesOf } of alike) {
      const found = db.get<[id: number, distinction: string | null]>(
        `${searched} ${sql} LIMIT 1`,
        ...valuesOf(content),
      );
      if (found !== undefined) return found[0];
    }
    return undefined;
  }

  function distinctionOf(content: Readonly<Record<string, unknown>>): string | null {
    const value = distinguishedBy === undefined ? null : content[distinguishedBy];
    return typeof value === 'string' ? value : null;
  }

  return { name, plural, isUnique, conversion, schema: importedSchema(resource), write };
}

/** How objects are known without id and key. */
function rowMatchesOf<M extends ResourceMembers>({
  plural,
  imports,
  uniqueMatches,
}: Resource<M>): readonly RowMatch<ContentOf<M>>[] {
  const knownBy = imports?.knownBy ?? [];
  if (typeof knownBy !== 'string') return knownBy;
  const match = uniqueMatches.get(knownBy);
  assert(match !== undefined, `${plural} are known by ${knownBy}, which is not unique`);
  return [match];
}

type ReadOnlyMembers = Sent & { readonly createdAt?: unknown; readonly updatedAt?: unknown };

/** Returns issues of an object as issues of its line. */
export function within(name: string, issues: readonly Issue[]): Issue[] {
  return issues.map((issue) => ({ ...issue, pointer: `/${name}${issue.pointer}` }));
}

/** Members that the service sets: a line may have them, as exports do, but they have no effect. */
const exported = {
  createdAt: optional(sentTimestamp, { description: 'As an export has it; without effect.' }),
  updatedAt: optional(sentTimestamp, { description: 'As an export has it; without effect.' }),
};

/** The schema of an object in a line: a body of POST, with the members of an export. */
function importedSchema<M extends ResourceMembers>({
  name,
  isOwned,
  imports,
  ...bodies
}: Resource<M>): JsonSchema {
  const { properties = {}, required }: JsonSchema = bodies.New;
  const { properties: sent = {} }: JsonSchema = bodies.Replacement;
  const isRequired = ([each]: readonly [string, unknown]): boolean =>
    Array.isArray(required) && required.includes(each);
  const posted = Object.entries(properties).toSorted((a, b) => Number(isRequired(b)) - Number(isRequired(a)));
  const members: MemberSchemas = Object.fromEntries(
    posted.map(([each, schema]) => [each, sent[each] ?? schema]),
  );
  const meant =
    typeof imports?.knownBy === 'string'
      ? {}
      : { description: `The ${name} to change, as an export has it.` };
  const { userId = id } = properties;
  return named(
    `Imported${capitalized(name)}`,
    object(
      {
        id: optional(id, meant),
        ...members,
        ...(isOwned ? { userId: optional(nullable(userId)) } : {}),
        ...exported,
      },
      imports?.description === undefined ? {} : { description: imports.description },
    ),
  );
}
