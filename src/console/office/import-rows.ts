// The rows of a file as lines of a table with the API's names, and the service's answer to each: it is new, a change,
// the same as what is known, or has a fault.
import { type ApiClient, query } from '../parts/api-client.ts';
import type { Issue } from '../parts/api-types.ts';
import { count, countryName, priceIssue, priceReadings, priceText, typedPrice } from '../parts/formats.ts';
import { throwIfInvalid } from '../parts/forms.ts';
import { issueInWords } from '../parts/issue-words.ts';
import { bodyOf } from '../parts/request-errors.ts';
import { type FileRow, rowText } from '../parts/table-text.ts';
import { t } from '../parts/texts.ts';
import { inTurns } from '../parts/turns.ts';
import { type ImportKind, memberName, membersOf } from './import-columns.ts';
import type { Table } from './import-file.ts';

/** What a person says of the file. */
type Choices = {
  readonly kind: ImportKind;
  /** The member of each column. */
  readonly columns: readonly string[];
  /** The currency, or the country, of rows that name none. */
  readonly given: string;
  /** The sign before decimals; empty as long as each price says it. */
  readonly sign: string;
};

/** A row, and the text that is sent of it. */
type Line = FileRow & { readonly text: string };
/** A row that can't be imported, and why. */
export type Fault = FileRow & { readonly problem: string };
/** The answer to a line, as the API documents it: it has a result, or errors. */
type Answer = {
  readonly result?: 'created' | 'changed' | 'unchanged';
  /** Null for what a check finds to be new. */
  readonly id?: number | null;
  readonly sameAs?: number | null;
  readonly warning?: string;
  readonly errors?: readonly Issue[];
};
export type Answered = Line & Omit<Answer, 'errors'> & { readonly problem: string | undefined };

export type Lines = {
  readonly choices: Choices;
  /** The members that lines have, in their order. */
  readonly members: readonly string[];
  readonly lines: readonly Line[];
  readonly faults: readonly Fault[];
};

/** Throws an issue at `/sign` for a price that can be read in two ways. */
export async function linesOf({ heading, rows }: Table, choices: Choices): Promise<Lines> {
  const names = new Set(choices.columns);
  if (names.has('company')) for (const name of ['name', 'note']) names.add(name);
  if (choices.kind === 'products') names.add('currency');
  const members = [...names].filter((name) => name !== '' && name !== 'company');
  const lines: Line[] = [];
  const faults: Fault[] = [];
  await inTurns(rows, (row) => {
    try {
      checkLength(row.cells, heading);
      const values = valuesOf(row.cells, choices);
      if (values.size === 0) throw new RangeError(t('{label} is required.', { label: memberName('name') }));
      lines.push({
        ...row,
        text: rowText(
          members.map((name) => values.get(name) ?? ''),
          ',',
        ),
      });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      faults.push({ ...row, problem: error.message });
    }
  });
  return { choices, members, lines, faults };
}

function checkLength(cells: readonly string[], heading: readonly string[]): void {
  if (cells.slice(heading.length).every((cell) => cell.trim() === '')) return;
  const counts = { cells: cells.length, columns: heading.length };
  throw new RangeError(t('The row has {cells} cells, and the first row {columns}.', counts));
}

/** Returns what is sent of a row. */
export function valuesOf(cells: readonly string[], choices: Choices): ReadonlyMap<string, string> {
  const { kind, columns, given, sign } = choices;
  const values = membersOf(cells, columns);
  if (kind === 'customers') {
    // a country alone is no address
    const isAddress = [...values.keys()].some((name) => /^address\.(?!country$)/.test(name));
    if (!isAddress) values.delete('address.country');
    return values;
  }
  const currency = values.get('currency')?.toUpperCase() ?? given;
  values.set('currency', currency);
  const price = values.get('unitPrice');
  if (price === undefined) return values;
  const amount = typedPrice(price, currency, sign === '' ? undefined : sign);
  if (amount === undefined && sign === '' && priceReadings(price, currency) !== undefined) {
    const detail = t('The price {price} can be read in two ways: how does the file write prices?', { price });
    throwIfInvalid([{ pointer: '/sign', detail }]);
  }
  if (amount === undefined) throw new RangeError(priceIssue(price, currency));
  return values.set('unitPrice', priceText(amount, currency));
}

type SendOptions = {
  readonly client: ApiClient;
  readonly signal: AbortSignal;
  readonly isDryRun: boolean;
  readonly onProgress: () => void;
};

/** The service sees only in one request which lines would make the same object. */
const checkedLinesMax = 100_000;
/** What has an answer isn't sent again when an import that was stopped goes on. */
const importedLinesMax = 1_000;

/** Sends the lines that have no answer yet, and adds their answers. */
export async function sendLines(
  { choices: { kind, given }, members, lines }: Lines,
  answers: Answered[],
  { client, signal, isDryRun, onProgress }: SendOptions,
): Promise<void> {
  const country = kind === 'customers' ? given : undefined;
  const path = `/imports?${query({ of: kind, dryRun: isDryRun, country })}`;
  const linesMax = isDryRun ? checkedLinesMax : importedLinesMax;
  const met = new Map<number, Line>();
  while (answers.length < lines.length) {
    const batch = lines.slice(answers.length, answers.length + linesMax);
    const table = rowText(members, ',') + batch.map(({ text }) => text).join('');
    const response = await client.request('POST', path, { table, accept: 'application/x-ndjson', signal });
    const texts = (await bodyOf(response)).split('\n');
    await inTurns(batch.entries(), ([index, { number, cells, text }]) => {
      const { errors, ...answer } = JSON.parse(texts[index] ?? '') as Answer; // as `Answer` says
      const line = { number, cells, text };
      const overwriting = isDryRun ? overwritten(line, answer, met) : undefined;
      answers.push({ ...line, ...answer, problem: errors?.map(faultText).join(' ') ?? overwriting });
    });
    onProgress();
  }
}

/**
 * Says which earlier line this one would overwrite: the same file, imported again, would change it back and forth. `met`
 * has the first line of each known object.
 */
function overwritten(line: Line, { id, result }: Answer, met: Map<number, Line>): string | undefined {
  if (id === null && result === 'changed')
    return t('An earlier row is of the same one, with other content, and would be overwritten.');
  if (id === null || id === undefined) return undefined;
  const earlier = met.get(id);
  if (earlier === undefined) met.set(id, line);
  if (earlier === undefined || earlier.text === line.text) return undefined;
  const row = count(earlier.number);
  return t('Row {row} is of the same one, with other content, and would be overwritten.', { row });
}

/** The issue in the words of the file: `#/customer/address/city` is the city. */
function faultText(issue: Issue): string {
  const [, , ...path] = (issue.pointer ?? '').split('/');
  const name = path.join('.');
  const label = name === '' ? t('Row') : memberName(name);
  const text = issueInWords(issue, { label, limit: count, country: countryName });
  return name === '' || text.includes(label) ? text : `${label}: ${text}`;
}
