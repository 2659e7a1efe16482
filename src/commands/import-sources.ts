// The files of `orderly import`: reads the values of their lines, from NDJSON or a CSV table of customers.
import { CommandError } from '../config/command-error.ts';
import { counted } from '../counted.ts';
import { withoutFormulaGuard } from '../csv.ts';
import { CsvRows, type CsvRow } from '../csv-rows.ts';
import { NdjsonLines, parseLine } from '../http/ndjson-lines.ts';
import { importLineBytesMax } from '../limits.ts';
import { Problem } from '../problem.ts';
import { addressColumns } from '../resources/customers/address-csv.ts';

/** A line of a file: its value, or the reason why it can't be read. */
export type FileLine =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly unreadable: string };

type Chunks = Iterable<Buffer>;

export function* ndjsonFileLines(chunks: Chunks): Generator<FileLine> {
  const lines = new NdjsonLines(importLineBytesMax);
  for (const chunk of chunks) {
    lines.add(chunk);
    yield* wholeLines(lines);
  }
  lines.end();
  yield* wholeLines(lines);
}

function* wholeLines(lines: NdjsonLines): Generator<FileLine> {
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    const parsed = parseLine(line, importLineBytesMax);
    if (parsed instanceof Problem) yield { number: line.number, unreadable: parsed.detail };
    else yield { number: line.number, value: parsed.value };
  }
}

const addressMembers = addressColumns('address');
const columns: readonly string[] = ['key', 'userId', 'name', 'email', 'phone', ...addressMembers];

/** Reads a customer from each row; the heading names the members, and an empty cell leaves one out. */
export function* csvFileLines(chunks: Chunks): Generator<FileLine> {
  let heading: readonly string[] | undefined;
  for (const row of csvRowsOf(chunks)) {
    if (heading === undefined) heading = requireHeading(row.cells);
    else yield lineOf(heading, row);
  }
}

function* csvRowsOf(chunks: Chunks): Generator<CsvRow> {
  const rows = new CsvRows(importLineBytesMax);
  const decoder = new TextDecoder('utf-8', { fatal: true }); // takes a byte-order mark away
  try {
    for (const chunk of chunks) yield* rows.add(decoder.decode(chunk, { stream: true }));
    yield* rows.add(decoder.decode());
    yield* rows.end();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError)
      throw new CommandError(`The table can't be read: ${error.message}.`);
    if (error instanceof TypeError) throw new CommandError('The table must be UTF-8.', { cause: error });
    throw error;
  }
}

function requireHeading(cells: readonly string[]): readonly string[] {
  const unknown = cells.filter((name) => !columns.includes(name));
  const [first] = unknown;
  if (first !== undefined)
    throw new CommandError(`The heading names "${first}"; there are ${columns.join(', ')}.`);
  if (new Set(cells).size < cells.length) throw new CommandError('The heading names a column twice.');
  for (const name of ['key', 'name'])
    if (!cells.includes(name)) throw new CommandError(`The heading must name ${name}.`);
  return cells;
}

function lineOf(heading: readonly string[], { line: number, cells }: CsvRow): FileLine {
  if (cells.length !== heading.length)
    return {
      number,
      unreadable: `The row has ${counted(cells.length, 'cell')}, its heading ${heading.length}.`,
    };
  const members = new Map<string, string>();
  for (const [index, name] of heading.entries()) {
    const cell = withoutFormulaGuard(cells[index] ?? '');
    if (cell !== '') members.set(name, cell);
  }
  return { number, value: customerLineOf(members) };
}

/** Converts only: the line is validated later. */
function customerLineOf(members: ReadonlyMap<string, string>): unknown {
  const customer: Record<string, unknown> = {};
  const address: Record<string, string> = {};
  for (const [name, cell] of members) {
    if (name === 'userId') customer[name] = /^[1-9]\d{0,15}$/.test(cell) ? Number(cell) : cell;
    else if (name.startsWith('address.')) address[name.slice('address.'.length)] = cell;
    else if (name !== 'key') customer[name] = cell;
  }
  if (Object.keys(address).length > 0) customer['address'] = address;
  const key = members.get('key');
  return key === undefined ? { customer } : { key, customer };
}
