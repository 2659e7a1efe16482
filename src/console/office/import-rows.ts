// The rows of a file as lines of a table with the API's names, and the service's answer to each.
import { type ApiClient, query } from '../service/api-client.ts';
import type { Issue } from '../words/api-types.ts';
import { count, priceReadings, priceText, typedPrice } from '../words/formats.ts';
import { issueText, throwIfInvalid } from '../forms/forms.ts';
import { inPieces } from '../browser/pieces.ts';
import { bodyOf } from '../service/request-errors.ts';
import { type FileRow, rowText } from '../lists/table-text.ts';
import { t } from '../words/texts.ts';
import { type ImportKind, memberName, membersOf, type Table } from './import-table.ts';

/** What a person says of the file. */
export type Choices = {
  readonly kind: ImportKind;
  /** The member of each column; empty for one that is left out. */
  readonly columns: readonly string[];
  /** The currency, or the country, of rows that name none. */
  readonly given: string;
  /** The sign before decimals; empty as long as each price says it. */
  readonly sign: string;
};

/** Of cells that no column has. */
export const tooMany = '';

/** A row, the text that is sent of it, and the service's answer or why the row can't be imported. */
export type Line = FileRow & {
  readonly text: string;
  answer?: Answer;
  problem?: string | undefined;
  /** The members that the problem is of, and `tooMany` for the cells without a column. */
  faulty?: readonly string[];
  /** Whether an earlier row has the same content. */
  isRepeated?: boolean;
  /** Whether no cell of the row can have what is missing. */
  lacksColumn?: boolean;
};
type Answer = {
  readonly result?: 'created' | 'changed' | 'unchanged';
  /** Null for what a check finds to be new. */
  readonly id?: number | null;
  readonly sameAs?: number | null;
  readonly warning?: string;
  readonly errors?: readonly Issue[];
};

/** Throws an issue at `/sign` for a price that can be read in two ways. */
export async function linesOf({ heading, rows }: Table, choices: Choices): Promise<Line[]> {
  const members = membersSent(choices);
  const lines: Line[] = [];
  await inPieces(rows, ({ number, cells }) => {
    const values = valuesOf(cells, choices);
    const text = rowText(
      members.map((name) => values.get(name) ?? ''),
      ',',
    );
    let problem: string | undefined;
    let faulty: string[] = [];
    const counts = { cells: cells.length, columns: heading.length };
    if (cells.slice(heading.length).some((cell) => cell.trim() !== '')) {
      problem = t('The row has {cells} cells, and the first row {columns}.', counts);
      faulty = [tooMany];
    } else if (values.size === 0) {
      problem = t('{label} is required.', { label: memberName('name') });
      faulty = ['name'];
    }
    lines.push({ number, cells, text, problem, faulty });
  });
  return lines;
}

function membersSent({ kind, columns }: Choices): string[] {
  const names = new Set(columns);
  if (names.has('company')) for (const name of ['name', 'note']) names.add(name);
  if (kind === 'products') names.add('currency');
  if (names.has('barcode')) names.add('sku');
  return [...names].filter((name) => name !== '' && name !== 'company');
}

/**
 * Returns what is sent of a row. What is no price stays as it is: the service says so. A product without a SKU of its own
 * gets its barcode, as in the form of one.
 */
export function valuesOf(cells: readonly string[], choices: Choices): ReadonlyMap<string, string> {
  const { kind, columns, given, sign } = choices;
  const values = membersOf(cells, columns);
  if (kind === 'customers') {
    // a country alone is no address
    const isAddress = [...values.keys()].some((name) => /^address\.(?!country$)/.test(name));
    if (!isAddress) values.delete('address.country');
    return values;
  }
  const sku = values.get('sku') ?? values.get('barcode');
  if (sku !== undefined) values.set('sku', sku);
  const currency = values.get('currency')?.toUpperCase() ?? given;
  values.set('currency', currency);
  const price = values.get('unitPrice') ?? '';
  const amount = typedPrice(price, currency, sign === '' ? undefined : sign);
  if (amount !== undefined) return values.set('unitPrice', priceText(amount, currency));
  const detail = t('The price {price} can be read in two ways: how does the file write prices?', { price });
  if (sign === '' && priceReadings(price, currency) !== undefined)
    throwIfInvalid([{ pointer: '/sign', detail }]);
  return values;
}

type SendOptions = {
  readonly client: ApiClient;
  readonly signal: AbortSignal;
  readonly isDryRun: boolean;
  /** Receives the share of the lines that have an answer. */
  readonly onProgress?: (share: number) => void;
};

/** The service sees only in one request which lines would make the same object. */
const checkedLinesMax = 100_000;
/** What has an answer isn't sent again when an import that failed goes on. */
const importedLinesMax = 1_000;

/** Sends the lines that have no answer yet, and adds their answers. */
export async function sendLines(
  lines: readonly Line[],
  choices: Choices,
  { client, signal, isDryRun, onProgress }: SendOptions,
): Promise<void> {
  const { kind, given } = choices;
  const country = kind === 'customers' ? given : undefined;
  const path = `/imports?${query({ of: kind, dryRun: isDryRun, country })}`;
  const members = membersSent(choices);
  const heading = rowText(members, ',');
  const met = new Map<string, Line>();
  const waiting = lines.filter(({ answer, problem }) => answer === undefined && problem === undefined);
  while (waiting.length > 0) {
    const batch = waiting.splice(0, isDryRun ? checkedLinesMax : importedLinesMax);
    const table = heading + batch.map(({ text }) => text).join('');
    const response = await client.request('POST', path, { table, accept: 'application/x-ndjson', signal });
    const answers = (await bodyOf(response)).split('\n');
    await inPieces(batch.entries(), ([index, line]) => {
      const answer: Answer = JSON.parse(answers[index] ?? '');
      if (answer.errors !== undefined) addProblem(line, answer.errors.map(ofMember), members);
      else if (isDryRun) line.problem = overwriting(line, answer, { met, choices });
      if (line.problem === undefined) line.answer = answer;
    });
    onProgress?.(1 - waiting.length / lines.length);
  }
}

/** The line has its object in the pointer: `#/customer/address/city`. */
function ofMember(issue: Issue): Issue {
  return { ...issue, pointer: (issue.pointer ?? '').replace(/^#\/\w+/, '#') };
}

function memberOf({ pointer = '' }: Issue): string {
  return pointer.slice(2).replaceAll('/', '.');
}

/** The codes of issues with what isn't there; most countries need postal codes. */
const missing = ['required', 'postal-code'];

function addProblem(line: Line, issues: readonly Issue[], members: readonly string[]): void {
  const lacking = issues.filter(
    (issue) => missing.includes(issue.code ?? '') && !members.includes(memberOf(issue)),
  );
  line.faulty = issues.map(memberOf);
  line.lacksColumn = lacking.length === issues.length;
  const texts = issues.map((issue) => issueText(issue));
  line.problem = [...texts, ...(line.lacksColumn ? [t('Choose its column below.')] : [])].join(' ');
}

/**
 * Says which earlier line this one would overwrite: the same file, imported again, would change it back and forth. `met`
 * has the first line of each object.
 */
function overwriting(line: Line, answer: Answer, { met, choices }: Earlier): string | undefined {
  const keys = keysOf(line, answer, choices);
  const earlier = keys.map((key) => met.get(key)).find((each) => each !== undefined);
  for (const key of keys) met.set(key, earlier ?? line);
  line.isRepeated = earlier?.text === line.text;
  const isNew = (answer.id ?? null) === null;
  if (isNew && answer.result !== 'changed') return undefined;
  if (earlier !== undefined) {
    const row = count(earlier.number);
    const text = t('Row {row} is of the same one, with other content, and would be overwritten.', { row });
    return earlier.text === line.text ? undefined : text;
  }
  return isNew
    ? t('An earlier row is of the same one, with other content, and would be overwritten.')
    : undefined;
}

type Earlier = { readonly met: Map<string, Line>; readonly choices: Choices };

/** By what the line's object is known: its id, or what the service finds a new one by. */
function keysOf({ cells }: Line, { id = null }: Answer, choices: Choices): string[] {
  if (id !== null) return [`id ${id}`];
  const values = valuesOf(cells, choices);
  return ['email', 'reference', 'sku'].flatMap((name) => {
    const value = values.get(name);
    return value === undefined ? [] : [`${name} ${value.normalize('NFKC').toLowerCase()}`];
  });
}
