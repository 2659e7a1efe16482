// Checks or imports the rows of a file, a batch in each request: what was sent before is known to the service by its
// content, so a batch can be sent again, and so can the file.
import { type ApiClient, pause } from '../parts/api-client.ts';
import type { Issue } from '../parts/api-types.ts';
import { count, countryName } from '../parts/formats.ts';
import { type FileRow, rowsOf } from './import-file.ts';
import { type ImportKind, memberName } from './import-columns.ts';
import { inWords } from '../parts/issue-words.ts';
import { isTemporary, retryPause, textOf } from '../parts/request-errors.ts';
import { rowText } from '../parts/table-text.ts';

/** A row that can't be imported, and why. */
export type Fault = FileRow & { readonly problem: string };

export type Outcome = { readonly created: number; readonly known: number; readonly faults: readonly Fault[] };

type Converted = { readonly values: ReadonlyMap<string, string> } | { readonly problem: string };

export type ImportPlan = {
  readonly kind: ImportKind;
  readonly file: File;
  readonly encoding: Parameters<typeof rowsOf>[1];
  /** The members that rows have, in the order in which they are sent. */
  readonly members: readonly string[];
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

type Line = { readonly row: FileRow; readonly text: string };

export async function runImport(plan: ImportPlan, options: RunOptions): Promise<Outcome> {
  const { file, encoding, convert, members } = plan;
  const { signal, onProgress } = options;
  const outcome = { created: 0, known: 0, faults: [] as Fault[] };
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
      const text = rowText(
        members.map((name) => converted.values.get(name) ?? ''),
        ',',
      );
      batch.push({ row, text });
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

type Batch = RunOptions & {
  readonly batch: readonly Line[];
  readonly outcome: { created: number; known: number; readonly faults: Fault[] };
};
type Result = { readonly line: number; readonly status: number; readonly errors?: readonly Issue[] };

async function sendBatch(
  { kind, members }: ImportPlan,
  { batch, outcome, ...options }: Batch,
): Promise<void> {
  const table = rowText(members, ',') + batch.map(({ text }) => text).join('');
  const answer = await sendUntilAnswered(kind, table, options);
  for (const line of answer.split('\n')) {
    if (line === '') continue;
    const { line: number, status, errors = [] } = JSON.parse(line) as Result; // the shape that the API documents
    const row = batch[number - 2]?.row;
    if (status === 201) outcome.created += 1;
    else if (status === 200) outcome.known += 1;
    else if (row !== undefined) outcome.faults.push({ ...row, problem: errors.map(wordsOf).join(' ') });
  }
}

const attemptsMax = 6;
const pauseMilliseconds = 2_000;

/** While the service is away or busy it is asked again, some times. */
async function sendUntilAnswered(
  kind: ImportKind,
  table: string,
  { client, signal, isDryRun }: RunOptions,
): Promise<string> {
  const path = `/imports?of=${kind}&dryRun=${isDryRun}`;
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

/** The issue in the words of the file: `#/customer/address/city` is the city. */
function wordsOf(issue: Issue): string {
  const [, , ...path] = (issue.pointer ?? '').split('/');
  const name = path.length === 0 && issue.pointer?.endsWith('/key') === true ? 'key' : path.join('.');
  if (name === '') return issue.detail;
  const text = inWords(issue, { label: memberName(name), limit: count, country: countryName });
  return text.includes(memberName(name)) ? text : `${memberName(name)}: ${text}`;
}
