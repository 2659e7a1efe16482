// Checks or imports the rows of a file, a batch in each request: what was sent before is known to the service by its
// content, so a batch can be sent again, and so can the file.
import { type ApiClient, pause } from '../parts/api-client.ts';
import type { Issue } from '../parts/api-types.ts';
import { count, countryName } from '../parts/formats.ts';
import { type FileRow, rowsOf } from './import-file.ts';
import { type ImportKind, memberName } from './import-columns.ts';
import { NamedRows, type Repeat } from './import-repeats.ts';
import { inWords } from '../parts/issue-words.ts';
import { isTemporary, retryPause, textOf } from '../parts/request-errors.ts';
import { rowText } from '../parts/table-text.ts';
import { t } from '../parts/texts.ts';

/** A row that can't be imported, and why. */
export type Fault = FileRow & { readonly problem: string };

/** A row that makes something new, or changes what is known: `id` is null for what a check finds to be new. */
export type Sample = FileRow & {
  readonly result: 'created' | 'changed';
  readonly id: number | null;
  readonly values: ReadonlyMap<string, string>;
};

export type Outcome = {
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  /** Of what is new, what has the e-mail address or phone number of another customer, or a SKU that differs in zeros. */
  readonly doubles: number;
  /** The numbers of the rows whose barcode may have lost digits. */
  readonly warned: readonly number[];
  readonly faults: readonly Fault[];
  /** The first rows that are new, and the first ones that change something. */
  readonly samples: readonly Sample[];
};
type Count = 'created' | 'changed' | 'unchanged' | 'doubles';

type Converted = { readonly values: ReadonlyMap<string, string> } | { readonly problem: string };

export type ImportPlan = {
  readonly kind: ImportKind;
  readonly file: File;
  /** The label of its encoding. */
  readonly encoding: string;
  /** The columns that hold something and are left out, as far as rows were converted. */
  readonly leftOut: ReadonlySet<string>;
  /** The members that rows have, in the order in which they are sent. */
  readonly members: readonly string[];
  /** Whose phone numbers may lack the country's code, and of addresses that name none. */
  readonly country: string | undefined;
  readonly convert: (cells: readonly string[]) => Converted;
};

type RunOptions = {
  readonly client: ApiClient;
  readonly signal: AbortSignal;
  readonly isDryRun: boolean;
  /** Receives the share of the file that is done, and what came of it. */
  readonly onProgress: (share: number, outcome: Outcome) => void;
};

const batchRows = 1_000;
const batchCharacters = 1024 * 1024;

const samplesMax = 5;

type Line = {
  readonly row: FileRow;
  readonly values: Sample['values'];
  readonly text: string;
  /** Whether an earlier row has the same e-mail address or phone number. */
  readonly isDouble: boolean;
};

export async function runImport(plan: ImportPlan, options: RunOptions): Promise<Outcome> {
  const { file, encoding, convert, members } = plan;
  const { signal, onProgress } = options;
  const outcome: Growing = {
    created: 0,
    changed: 0,
    unchanged: 0,
    doubles: 0,
    warned: [],
    faults: [],
    samples: [],
  };
  const named = new NamedRows();
  let batch: Line[] = [];
  let characters = 0;
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await sendBatch(plan, { ...options, batch, outcome });
    batch = [];
    characters = 0;
  };
  for await (const { rows, bytesRead } of rowsOf(file, encoding)) {
    signal.throwIfAborted();
    for (const row of rows) {
      if (row.number === 1) continue; // the heading
      const converted = convert(row.cells);
      if ('problem' in converted) {
        outcome.faults.push({ ...row, problem: converted.problem });
        continue;
      }
      const { values } = converted;
      const text = rowText(
        members.map((name) => values.get(name) ?? ''),
        ',',
      );
      const repeat = named.add({ number: row.number, values, text });
      if (repeat !== undefined) {
        outcome.faults.push({ ...row, problem: repeatText(repeat) });
        continue;
      }
      batch.push({ row, values, text, isDouble: named.addContacts({ values }) });
      characters += text.length;
      if (batch.length >= batchRows || characters > batchCharacters) await flush();
    }
    onProgress(bytesRead / file.size, outcome);
  }
  await flush();
  outcome.faults.sort((a, b) => a.number - b.number);
  onProgress(1, outcome);
  return outcome;
}

type Growing = Record<Count, number> & {
  readonly warned: number[];
  readonly faults: Fault[];
  readonly samples: Sample[];
};
type Batch = RunOptions & { readonly batch: readonly Line[]; readonly outcome: Growing };

/** The answer to a line, as the API documents it: it has a result, or errors. */
type Result = {
  readonly line: number;
  readonly id?: number | null;
  readonly result?: 'created' | 'changed' | 'unchanged';
  readonly sameAs?: number | null;
  readonly warning?: string;
  readonly errors?: readonly Issue[];
};

async function sendBatch(plan: ImportPlan, { batch, outcome, ...options }: Batch): Promise<void> {
  const table = rowText(plan.members, ',') + batch.map(({ text }) => text).join('');
  const answer = await sendUntilAnswered(plan, table, options);
  for (const text of answer.split('\n')) {
    if (text === '') continue;
    const result = JSON.parse(text) as Result; // as `Result` says
    const line = batch[result.line - 2];
    if (line !== undefined) addResult(outcome, line, result);
  }
}

function addResult(outcome: Growing, { row, values, isDouble }: Line, answer: Result): void {
  const { id = null, result, sameAs, warning, errors = [] } = answer;
  if (result === undefined) {
    outcome.faults.push({ ...row, problem: errors.map(wordsOf).join(' ') });
    return;
  }
  outcome[result] += 1;
  if (result === 'created' && (sameAs !== undefined || isDouble)) outcome.doubles += 1;
  if (warning !== undefined) outcome.warned.push(row.number);
  if (result === 'unchanged' || outcome[result] > samplesMax) return;
  outcome.samples.push({ ...row, result, id, values });
}

const attemptsMax = 6;
const pauseMilliseconds = 2_000;

/** While the service is away or busy it is asked again, some times. */
async function sendUntilAnswered(
  { kind, country }: ImportPlan,
  table: string,
  { client, signal, isDryRun }: RunOptions,
): Promise<string> {
  const query = new URLSearchParams({ of: kind, dryRun: String(isDryRun) });
  if (country !== undefined) query.set('country', country);
  const path = `/imports?${query}`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await textOf(
        await client.request('POST', path, { table, accept: 'application/x-ndjson', signal }),
      );
    } catch (error) {
      if (attempt === attemptsMax || !isTemporary(error)) throw error;
      await pause(retryPause(error, pauseMilliseconds), signal);
    }
  }
}

function repeatText({ row, member }: Repeat): string {
  const place = { member: memberName(member), row: count(row) };
  return t('{member}: row {row} has the same, with other content, and would be overwritten.', place);
}

/** The issue in the words of the file: `#/customer/address/city` is the city. */
function wordsOf(issue: Issue): string {
  const [, , ...path] = (issue.pointer ?? '').split('/');
  const name = path.join('.');
  const label = name === '' ? t('Row') : memberName(name);
  const text = inWords(issue, { label, limit: count, country: countryName });
  return name === '' || text.includes(label) ? text : `${label}: ${text}`;
}
