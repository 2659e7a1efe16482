// The lines of an import: their schema, and how they are read while the body arrives, from lines of JSON or from the rows
// of a table.
import assert from 'node:assert';
import type { Caller } from '../../auth/access.ts';
import { counted, listed } from '../../base/message-words.ts';
import { plainCell, trimmed } from '../../base/csv.ts';
import { parseJson } from '../../http/requests/strict-json.ts';
import { invalidAt, Problem, requireFitting, throwIfInvalid } from '../../problem.ts';
import {
  contentKey,
  fingerprintOf,
  type DryRun,
  type Importable,
  type LineOutcome,
} from '../../resource/imported-object-store.ts';
import { isObject } from '../../schema/json-objects.ts';
import { schemaIssues } from '../../schema/schema-check.ts';
import { named, object, optional, ruleFor, type Issue, type Schema } from '../../schema/schema.ts';
import type { Permit } from '../../storage/permit.ts';
import { CsvRows, type CsvRow } from './csv-rows.ts';
import { importKey } from './imported-orders.ts';

export const importLineBytesMax = 64 * 1024;

/** A line has a key, and an object under the name of its kind. */
export type ImportLine = Readonly<Record<string, unknown>> & { readonly key?: string };

/** How the lines of one import are read and written. */
type LineForm = {
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
  const isKnown = named.some(({ name, isUnique }) => {
    const { [name]: value } = line;
    return isUnique || (isObject(value) && value['id'] !== undefined);
  });
  if (line['key'] === undefined && !isKnown)
    issues.push({ pointer: '/key', code: 'required', detail: 'key is required.' });
  return issues;
}

/** A line that isn't blank. */
export type ArrivingLine = {
  /** Counted from 1. */
  readonly number: number;
  /** Throws a problem if the line isn't valid. */
  readonly parse: () => ImportLine;
};

/** Returns the lines that a piece of the body completes; for undefined, the end of the body, the last line. */
export type LineReader = (piece: Buffer | undefined) => ArrivingLine[];

const lineFeed = 0x0a;

/** With a table, lines may also be its objects as exports have them. */
export function ndjsonReader({ kinds, schema }: LineForm, table: Importable | undefined): LineReader {
  let number = 0;
  /** The beginning of the incomplete line. */
  let rest = Buffer.alloc(0);
  const parseLine = (line: Buffer): ImportLine => {
    const value = jsonOf(line);
    const isObjectOnly =
      table !== undefined && isObject(value) && !kinds.some(({ name }) => isObject(value[name]));
    return requireFitting(schema, isObjectOnly ? lineFrom(table.name, value) : value);
  };
  return (piece = Buffer.of(lineFeed)) => {
    const lines: ArrivingLine[] = [];
    const bytes = Buffer.concat([rest, piece]);
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      const line = bytes.subarray(start, end);
      start = end + 1;
      number += 1;
      if (!line.every(isBlank)) lines.push({ number, parse: () => parseLine(line) });
    }
    rest = bytes.subarray(start).subarray(0, importLineBytesMax + 1); // enough to see that a line is too long
    return lines;
  };
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

function jsonOf(line: Buffer): unknown {
  if (line.length <= importLineBytesMax) return parseJson(line);
  throw new Problem('content-too-large', `The line must have at most ${importLineBytesMax} bytes.`);
}

/** Without a key the line gets a key from its content, so that the same file creates nothing twice. */
function lineFrom(name: string, object: object, key = contentKey(object)): object {
  return { key, [name]: object };
}

/** The objects of a file all of whose lines have one kind. */
export type ImportTable = Importable & { readonly conversion: NonNullable<Importable['conversion']> };

/**
 * Reads an object from each row. If a table can't be read any further, the last line says why. `country` is the
 * default of addresses.
 */
export function csvReader({ schema }: LineForm, table: ImportTable, country: string | undefined): LineReader {
  const rows = new CsvRows(importLineBytesMax);
  const decoder = new TextDecoder('utf-8', { fatal: true }); // removes a byte-order mark
  let heading: readonly string[] | undefined;
  let isFirst = true;
  let isUnreadable = false;
  return (piece) => {
    const lines: ArrivingLine[] = [];
    if (isUnreadable) return lines;
    try {
      if (isFirst && piece !== undefined) checkIsTable(piece);
      isFirst = false;
      for (const row of rows.add(decoded(decoder, piece), piece === undefined)) {
        const names = heading;
        if (names === undefined) heading = headingOf(row, ['key', ...table.conversion.columns]);
        else {
          const parse = () => lineOfRow(schema, table, { cells: filledCells(row, names, table), country });
          lines.push({ number: row.number, parse });
        }
      }
    } catch (error) {
      isUnreadable = true;
      const parse = (): never => {
        throw error;
      };
      lines.push({ number: rows.number, parse });
    }
    return lines;
  };
}

/** How files of other formats begin, and what to do with such files. */
const otherFiles: readonly (readonly [start: string, advice: string])[] = [
  ['PK\x03\x04', 'This is a workbook or an archive. Save the sheet as CSV (UTF-8), and import that file.'],
  ['\xd0\xcf\x11\xe0', 'This is an old workbook. Save the sheet as CSV (UTF-8), and import that file.'],
  ['%PDF', 'This is a PDF. Export the list as CSV (UTF-8) where it comes from.'],
  ['BEGIN:VCARD', 'This is a list of contact cards. Export the contacts as CSV (UTF-8).'],
  ['{\\RTF', 'This is a text of a word processor. Save the table as CSV (UTF-8).'],
  ['<', 'This is a web page or XML. Save the table as CSV (UTF-8).'],
  ['[', 'This is JSON: send a line of JSON for each object, as application/x-ndjson.'],
  ['{', 'This is JSON: send a line of JSON for each object, as application/x-ndjson.'],
  ['\x1f\x8b', 'This is a compressed file: send what is in it.'],
  ['\xff\xfe', 'This is UTF-16. Save the table as CSV (UTF-8).'],
  ['\xfe\xff', 'This is UTF-16. Save the table as CSV (UTF-8).'],
];

/** Throws a problem if the file has another format. Faults of a file with a shorter first piece are found later. */
function checkIsTable(piece: Buffer): void {
  const start = piece
    .subarray(0, 16)
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .toLowerCase();
  for (const [other, advice] of otherFiles)
    if (start.startsWith(other.toLowerCase())) throw new Problem('bad-request', advice);
}

function decoded(decoder: TextDecoder, piece: Buffer | undefined): string {
  let text: string;
  try {
    text = decoder.decode(piece, { stream: piece !== undefined });
  } catch {
    throw new Problem('bad-request', 'The table must be UTF-8.');
  }
  if (text.includes('\0')) throw new Problem('bad-request', 'This is no table: it contains NUL.');
  return text;
}

/** Returns the names of the columns, which may be in any case. Empty columns at the end don't count. */
function headingOf({ cells }: CsvRow, columns: readonly string[]): string[] {
  const known = new Map(columns.map((name) => [name.toLowerCase(), name]));
  const all = cells.map(trimmed).map((name) => known.get(name.toLowerCase()) ?? name);
  const names = all.slice(0, all.findLastIndex((name) => name !== '') + 1);
  const unknown = names.find((name) => !columns.includes(name));
  if (unknown !== undefined) {
    const detail = `The heading names "${unknown}". Columns: ${columns.join(', ')}.`;
    throw invalidAt('', 'unknown-member', detail);
  }
  if (new Set(names).size < names.length)
    throw invalidAt('', 'conflict', 'The heading names a column twice.');
  return names;
}

/** Returns the cells of a row that aren't empty, by the names of their columns. */
function filledCells(
  { cells }: CsvRow,
  heading: readonly string[],
  { name: kind }: ImportTable,
): Map<string, string> {
  const isTooLong = cells.slice(heading.length).some((cell) => cell.trim() !== '');
  if (cells.length < heading.length || isTooLong) {
    const detail = `The row has ${counted(cells.length, 'cell')}, its heading ${heading.length}.`;
    throw invalidAt('', 'conflict', detail);
  }
  const filled = new Map<string, string>();
  for (const [index, name] of heading.entries()) {
    const cell = plainCell(cells[index] ?? '');
    if (trimmed(cell) === '') continue;
    if (roundedNumber.test(cell)) throw roundedProblem(kind, name, cell);
    filled.set(name, cell);
  }
  return filled;
}

/** The form in which a spreadsheet saves a long number, such as a barcode or a phone number. */
const roundedNumber = /^\d(?:[.,]\d+)?E\+\d+$/i;

function roundedProblem(kind: string, column: string, cell: string): Problem {
  const pointer = column === 'key' ? '/key' : `/${kind}/${column.replaceAll('.', '/')}`;
  const name = column.slice(column.lastIndexOf('.') + 1);
  const detail = `${name} is ${cell}: a spreadsheet has rounded it. Format the column as text, and enter it again.`;
  return invalidAt(pointer, 'rounded', detail);
}

/** The non-empty cells of a row by their columns, and the country of addresses that name none. */
type ImportRow = { readonly cells: ReadonlyMap<string, string>; readonly country: string | undefined };

/** Returns the line that a row stands for. Throws its issues in the words for cells, not for members. */
function lineOfRow(
  schema: LineForm['schema'],
  { name, conversion }: ImportTable,
  { cells, country }: ImportRow,
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
