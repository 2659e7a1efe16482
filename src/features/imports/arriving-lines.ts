// The lines of an import, while its body arrives: lines of JSON, or rows of a table.
import { counted } from '../../base/counted.ts';
import { plainCell, trimmed } from '../../base/csv.ts';
import { CsvRows, type CsvRow } from './csv-rows.ts';
import { invalidAt, Problem } from '../../problem.ts';
import { parseJson } from '../../http/requests/strict-json.ts';
import type { LineConversion } from './import-line.ts';

export const importLineBytesMax = 64 * 1024;

const lineFeed = 0x0a;

/** A line that isn't blank: its number from 1, and its value, or the reason why it has no value. */
type ArrivingLine = { readonly number: number } & LineContent;
type LineContent = { readonly value: unknown } | { readonly problem: Problem };

/**
 * Splits a body: yields the lines that a chunk completes; without a chunk, the last line. Take all lines of a
 * chunk before the next call.
 */
export type LineReader = (chunk: Buffer | undefined) => Iterable<ArrivingLine>;

export function ndjsonReader(): LineReader {
  let number = 1;
  /** The beginning of the incomplete line; empty once the line is too long. */
  let parts: Buffer[] = [];
  let bytes = 0;
  const keep = (part: Buffer): void => {
    bytes += part.length;
    if (bytes > importLineBytesMax) parts = [];
    else parts.push(part);
  };
  function* endLine(): Generator<ArrivingLine> {
    const line = { number, whole: Buffer.concat(parts), isTooLong: bytes > importLineBytesMax };
    parts = [];
    bytes = 0;
    number += 1;
    if (line.isTooLong) yield { number: line.number, problem: tooLong() };
    else if (line.whole.length > 0) yield { number: line.number, ...parsed(line.whole) };
  }
  return function* (chunk) {
    if (chunk === undefined) return yield* endLine();
    let start = 0;
    for (;;) {
      // no Buffer for a blank line, since millions may arrive
      for (; bytes === 0 && (chunk[start] === lineFeed || isBlank(chunk[start])); start += 1)
        if (chunk[start] === lineFeed) number += 1;
      const end = chunk.indexOf(lineFeed, start);
      if (end === -1) break;
      keep(chunk.subarray(start, end));
      start = end + 1;
      yield* endLine();
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  };
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

function tooLong(): Problem {
  return new Problem('content-too-large', `The line must have at most ${importLineBytesMax} bytes.`);
}

function parsed(bytes: Buffer): LineContent {
  try {
    return { value: parseJson(bytes) };
  } catch (error) {
    if (error instanceof Problem) return { problem: error };
    throw error;
  }
}

/** Reads an object from each row. If a table can't be read any further, the last line says why. */
export function csvReader(conversion: LineConversion, country: string | undefined): LineReader {
  const rows = new CsvRows(importLineBytesMax);
  const decoder = new TextDecoder('utf-8', { fatal: true }); // removes a byte-order mark
  let heading: readonly string[] | undefined;
  let isUnreadable = false;
  let isFirst = true;
  function* rowsIn(chunk: Buffer | undefined): Generator<CsvRow> {
    if (isFirst && chunk !== undefined) checkIsTable(chunk);
    isFirst = false;
    yield* rows.add(decoded(decoder, chunk));
    if (chunk === undefined) yield* rows.end();
  }
  function* linesIn(chunk: Buffer | undefined): Generator<ArrivingLine> {
    for (const row of rowsIn(chunk)) {
      if (heading !== undefined) {
        yield lineOf(row, heading, { conversion, country });
        continue;
      }
      heading = headingOf(row.cells, conversion.columns);
      const problem = headingProblem(heading, conversion.columns);
      if (problem === undefined) continue;
      isUnreadable = true;
      return yield { number: row.number, problem };
    }
  }
  return function* (chunk) {
    if (isUnreadable) return;
    try {
      yield* linesIn(chunk);
    } catch (error) {
      isUnreadable = true;
      yield { number: rows.number, problem: unreadable(error) };
    }
  };
}

/** What other files begin with, and what to do with them. */
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

/** Throws a problem for the beginning of another file. A first piece that is shorter shows its faults later. */
function checkIsTable(piece: Buffer): void {
  const start = piece
    .subarray(0, 16)
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .toLowerCase();
  for (const [other, advice] of otherFiles)
    if (start.startsWith(other.toLowerCase())) throw new Problem('bad-request', advice);
}

/** Returns the names of the columns, whatever case they are in. Empty columns at the end are none. */
function headingOf(cells: readonly string[], columns: readonly string[]): string[] {
  const known = new Map(columns.map((name) => [name.toLowerCase(), name]));
  const names = cells.map(trimmed).map((name) => known.get(name.toLowerCase()) ?? name);
  return names.slice(0, names.findLastIndex((name) => name !== '') + 1);
}

function decoded(decoder: TextDecoder, chunk: Buffer | undefined): string {
  let text: string;
  try {
    text = chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    throw new Problem('bad-request', 'The table must be UTF-8.');
  }
  if (text.includes('\0')) throw new Problem('bad-request', 'This is no table: it contains NUL.');
  return text;
}

function unreadable(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof RangeError) return new Problem('content-too-large', error.message);
  if (error instanceof SyntaxError) return new Problem('bad-request', error.message);
  throw error;
}

function headingProblem(cells: readonly string[], columns: readonly string[]): Problem | undefined {
  const unknown = cells.find((name) => !columns.includes(name));
  if (unknown !== undefined) {
    const detail = `The heading names "${unknown}". Columns: ${columns.join(', ')}.`;
    return invalidAt('', 'unknown-member', detail);
  }
  if (new Set(cells).size < cells.length)
    return invalidAt('', 'conflict', 'The heading names a column twice.');
  return undefined;
}

function lineOf(
  { number, cells }: CsvRow,
  heading: readonly string[],
  { conversion, country }: { readonly conversion: LineConversion; readonly country: string | undefined },
): ArrivingLine {
  const isTooLong = cells.slice(heading.length).some((cell) => cell.trim() !== '');
  if (cells.length < heading.length || isTooLong) {
    const detail = `The row has ${counted(cells.length, 'cell')}, its heading ${heading.length}.`;
    return { number, problem: invalidAt('', 'conflict', detail) };
  }
  const filled = new Map<string, string>();
  for (const [index, name] of heading.entries()) {
    const cell = plainCell(cells[index] ?? '');
    if (trimmed(cell) === '') continue;
    if (roundedNumber.test(cell))
      return { number, problem: roundedProblem(conversion.pointerTo(name), cell) };
    filled.set(name, cell);
  }
  return { number, value: conversion.objectOf(filled, country) };
}

/** What a spreadsheet makes of a long number, such as a barcode or a phone number, when it saves a file. */
const roundedNumber = /^\d(?:[.,]\d+)?E\+\d+$/i;

function roundedProblem(pointer: string, cell: string): Problem {
  const name = pointer.slice(pointer.lastIndexOf('/') + 1);
  const detail = `${name} is ${cell}: a spreadsheet has rounded it. Format the column as text, and enter it again.`;
  return invalidAt(pointer, 'rounded', detail);
}
