// A line of an import: its schema, and the lines that rows of tables and of exports stand for.
import assert from 'node:assert';
import type { Caller } from '../../auth/access.ts';
import { listed } from '../../base/listed.ts';
import { throwIfInvalid } from '../../problem.ts';
import {
  contentKey,
  fingerprintOf,
  type DryRun,
  type Importable,
  type LineOutcome,
} from '../../resource/imported-object-store.ts';
import { isObject } from '../../schema/json-objects.ts';
import { schemaIssues } from '../../schema/schema-check.ts';
import { singleLine } from '../../schema/members.ts';
import { named, object, optional, ruleFor, type Issue, type Schema } from '../../schema/schema.ts';
import type { Permit } from '../../storage/permit.ts';

const importKeyCharsMax = 255;

export const importKey = (description: string) => singleLine(importKeyCharsMax, description, 'shop-7');

/** A line has a key, and an object under the name of its kind. */
export type ImportLine = Readonly<Record<string, unknown>> & { readonly key?: string };

/** How the lines of one import are read and written. */
export type LineForm = {
  readonly kinds: readonly Importable[];
  readonly schema: Schema<ImportLine>;
  /** Throws the issues of the line. */
  readonly write: (permit: Permit<Caller>, line: ImportLine) => LineOutcome;
};

/** `dryRun` is undefined if the import writes. */
export function lineForm(kinds: readonly Importable[], dryRun: DryRun | undefined): LineForm {
  const objects = Object.fromEntries(kinds.map(({ name, schema }) => [name, optional(schema)]));
  const description =
    'Names the object in the system that it comes from, among all of its kind. A product needs none: its SKU names it.';
  const line = object(
    { key: optional(importKey(description)), ...objects },
    { description: 'A customer or an order, and its key; or a product.' },
    [ruleFor({}, (line) => kindIssues(kinds, line))],
  );
  return {
    kinds,
    schema: named('ImportLine', line),
    write(permit, line) {
      for (const { name, write } of kinds) {
        const value = line[name];
        if (isObject(value))
          return write(permit, { key: line.key, object: value, fingerprint: fingerprintOf(line) }, dryRun);
      }
      return assert.fail('a line that fits has an object');
    },
  };
}

function kindIssues(kinds: readonly Importable[], line: Readonly<Record<string, unknown>>): Issue[] {
  const named = kinds.filter(({ name }) => line[name] !== undefined);
  const issues: Issue[] = [];
  if (named.length !== 1) {
    const names = kinds.map(({ name }) => name);
    const detail = `A line must have one of ${listed(names, 'and')}.`;
    issues.push({ pointer: '', code: 'conflict', detail });
  }
  const isKnown = named.some(({ name, isUnique }) => isUnique || hasId(line[name]));
  if (line['key'] === undefined && !isKnown)
    issues.push({ pointer: '/key', code: 'required', detail: 'key is required.' });
  return issues;
}

function hasId(value: unknown): boolean {
  return isObject(value) && value['id'] !== undefined;
}

/** The objects of a file all of whose lines have one kind. */
export type ImportTable = Importable & { readonly conversion: NonNullable<Importable['conversion']> };

/** The non-empty cells of a row by their columns, and the country of addresses that name none. */
type Row = { readonly cells: ReadonlyMap<string, string>; readonly country: string | undefined };

/** Returns the line that a row stands for. Throws its issues in the words for cells, not for members. */
export function lineOfRow(
  { schema }: LineForm,
  { name, conversion }: ImportTable,
  { cells, country }: Row,
): ImportLine {
  const object = conversion.objectOf(cells, country);
  const line = lineFrom(name, object, cells.get('key'));
  throwIfInvalid(
    schemaIssues(schema, line).map((issue) => {
      const { pointer = '', code } = issue;
      const column = pointer.slice(`/${name}/`.length);
      const textFor = code === 'type' ? conversion.mustBe.get(column) : undefined;
      if (textFor === undefined) return issue;
      return { pointer, code: 'format', detail: `${column} must be ${textFor(object)}.` };
    }),
  );
  return line as ImportLine; // it has no issues
}

/** Returns the line of an object as an export has it; other lines stay as they are. */
export function lineOfExport({ kinds }: LineForm, table: Importable, value: unknown): unknown {
  const isLine = !isObject(value) || kinds.some(({ name }) => isObject(value[name]));
  return isLine ? value : lineFrom(table.name, value);
}

/** Without a key the line gets a key from its content, so that the same file creates nothing twice. */
function lineFrom(name: string, object: object, key = contentKey(object)): object {
  return { key, [name]: object };
}
