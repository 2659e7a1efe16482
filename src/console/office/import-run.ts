// Checks or imports lines of a table. The service says what each is: new, a change, the same, or a fault.
import { type ApiClient, query } from '../parts/api-client.ts';
import type { Issue } from '../parts/api-types.ts';
import { count, countryName } from '../parts/formats.ts';
import { issueInWords } from '../parts/issue-words.ts';
import { bodyOf } from '../parts/request-errors.ts';
import { type FileRow, rowText } from '../parts/table-text.ts';
import { t } from '../parts/texts.ts';
import { inTurns } from '../parts/turns.ts';
import { type ImportKind, memberName } from './import-columns.ts';

/** A row, and the text that is sent of it. */
export type Line = FileRow & { readonly text: string };
/** A row that can't be imported, and why. */
export type Fault = FileRow & { readonly problem: string };
/** A row that makes something new, or changes what is known: `id` is null for what a check finds to be new. */
export type Sample = Line & { readonly result: 'created' | 'changed'; readonly id: number | null };

type Count = 'answered' | 'created' | 'changed' | 'unchanged' | 'doubles';
export type Outcome = Record<Count, number> & {
  /** The numbers of the rows whose barcode may have lost digits. */
  readonly warned: number[];
  readonly faults: Fault[];
  /** The first rows that are new, and the first ones that change something. */
  readonly samples: Sample[];
};

/** Of a file of which these rows can't be sent. */
export function emptyOutcome(faults: readonly Fault[]): Outcome {
  const counts = { answered: 0, created: 0, changed: 0, unchanged: 0, doubles: 0 };
  return { ...counts, warned: [], faults: [...faults], samples: [] };
}

type Sending = {
  readonly kind: ImportKind;
  /** The members that lines have, in their order. */
  readonly members: readonly string[];
  /** Whose phone numbers may lack the country's code, and of addresses that name none. */
  readonly country: string | undefined;
  readonly lines: readonly Line[];
};

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
const samplesOfKindMax = 5;

/** Sends the lines that have no answer yet, and adds the answers to the outcome. */
export async function sendLines(
  { kind, members, country, lines }: Sending,
  outcome: Outcome,
  { client, signal, isDryRun, onProgress }: SendOptions,
): Promise<void> {
  const path = `/imports?${query({ of: kind, dryRun: isDryRun, country })}`;
  const linesMax = isDryRun ? checkedLinesMax : importedLinesMax;
  const met = new Map<number, Line>();
  while (outcome.answered < lines.length) {
    const batch = lines.slice(outcome.answered, outcome.answered + linesMax);
    const table = rowText(members, ',') + batch.map(({ text }) => text).join('');
    const response = await client.request('POST', path, { table, accept: 'application/x-ndjson', signal });
    const answers = (await bodyOf(response)).split('\n').filter((text) => text !== '');
    await inTurns(answers, (text) => {
      const answer = JSON.parse(text) as Answer; // as `Answer` says
      const line = batch[answer.line - 2];
      if (line === undefined) return;
      const problem = isDryRun ? overwritten(line, answer, met) : undefined;
      if (problem === undefined) addAnswer(outcome, line, answer);
      else outcome.faults.push({ ...line, problem });
    });
    outcome.answered += batch.length;
    onProgress();
  }
}

/** The answer to a line, as the API documents it: it has a result, or errors. */
type Answer = {
  readonly line: number;
  readonly id?: number | null;
  readonly result?: 'created' | 'changed' | 'unchanged';
  readonly sameAs?: number | null;
  readonly warning?: string;
  readonly errors?: readonly Issue[];
};

function addAnswer(outcome: Outcome, line: Line, answer: Answer): void {
  const { id = null, result, sameAs, warning, errors = [] } = answer;
  if (result === undefined) {
    outcome.faults.push({ ...line, problem: errors.map(faultText).join(' ') });
    return;
  }
  outcome[result] += 1;
  if (result === 'created' && sameAs !== undefined) outcome.doubles += 1;
  if (warning !== undefined) outcome.warned.push(line.number);
  if (result !== 'unchanged' && outcome[result] <= samplesOfKindMax)
    outcome.samples.push({ ...line, result, id });
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
