// Importing customers or products from a spreadsheet's file: its columns are matched, all rows are checked, and those
// without a fault are imported. Faulty rows can be saved, corrected, and imported again.
import { countryChoices, homeCountry } from '../parts/address-fields.ts';
import { card } from '../parts/cards.ts';
import { button, type Child, fill, h } from '../parts/elements.ts';
import { count, decimalSign } from '../parts/formats.ts';
import { action, choice, currencyChoice, field, form, messageOf } from '../parts/forms.ts';
import { type FileRow, rowsOf, type Separator, separatorOf } from '../parts/table-text.ts';
import { numbered, t } from '../parts/texts.ts';
import { inTurns } from '../parts/turns.ts';
import { emptyState, type Page, setPageTitle, type View } from '../parts/view.ts';
import { guessColumns, type ImportKind, memberChoices, missingMembers } from './import-columns.ts';
import { encodingChoices, type FileText, megabytesMax, textOfFile } from './import-file.ts';
import { AmbiguousPrice, type Choices, type Lines, linesOf } from './import-lines.ts';
import { reportCards, sampleCard } from './import-report.ts';
import { emptyOutcome, type Outcome, sendLines } from './import-run.ts';

export function importView(kind: ImportKind): View {
  return (page) => {
    const content = h('div.narrow');
    const title = kind === 'customers' ? t('Import customers') : t('Import products');
    fill(page.main, setPageTitle(title, h('a.button', { href: `#/${kind}` }, t('Back'))), content);
    if (page.user.role === 'admin') chooseFile({ page, kind, content });
    else fill(content, emptyState(t('Not allowed'), t('Only an administrator can import.')));
  };
}

type Place = { readonly page: Page; readonly kind: ImportKind; readonly content: HTMLElement };

/** A file that was read. */
type OpenFile = FileText & {
  readonly file: File;
  readonly separator: Separator;
  readonly heading: readonly string[];
  readonly rows: readonly FileRow[];
};

function chooseFile(place: Place, problem = ''): void {
  const { content, kind } = place;
  const message = h('p.issue', { role: 'alert' }, problem);
  const input = h('input', { type: 'file', id: 'import-file', accept: '.csv,.tsv,.txt,text/csv' });
  const take = (file: File | undefined): void => {
    if (file !== undefined) void openFile(place, file);
  };
  input.addEventListener('change', () => take(input.files?.[0]));
  const zone = h(
    'div.drop',
    h('label', { for: input.id }, t('Drop a file here, or choose one')),
    input,
    h(
      'p.hint',
      t('As a spreadsheet saves it as CSV, or as text with tabs: {size} MB at most.', { size: megabytesMax }),
    ),
    message,
  );
  zone.addEventListener('dragover', (event) => event.preventDefault());
  zone.addEventListener('drop', (event) => {
    event.preventDefault();
    take(event.dataTransfer?.files[0]);
  });
  const first = t(
    'The first row names the columns. Nothing is imported before you have seen what is in the file.',
  );
  const again =
    kind === 'customers'
      ? t('A customer who is known by number or e-mail is changed; what the file lacks stays.')
      : t('A product whose SKU is known is changed; what the file lacks stays.');
  fill(content, card(t('File'), zone, h('p.soft', `${first} ${again}`)));
}

/** Goes on with the columns, or says what is wrong with the file. */
async function openFile(place: Place, file: File, encoding?: string): Promise<void> {
  try {
    const read = await textOfFile(file, encoding);
    const all: FileRow[] = [];
    await inTurns(rowsOf(read.text), (row) => all.push(row));
    const [first, ...rows] = all;
    if (first === undefined) throw new Error(t('The file is empty.'));
    // spreadsheets save columns that are only formatted without a name
    const heading = first.cells.slice(0, first.cells.findLastIndex((cell) => cell.trim() !== '') + 1);
    chooseColumns(place, { ...read, file, separator: separatorOf(read.text), heading, rows });
  } catch (error) {
    chooseFile(place, messageOf(error));
  }
}

const samplesMax = 3;
/** By so many rows the columns are recognized. */
const rowsLooked = 100;

function chooseColumns(place: Place, opened: OpenFile): void {
  const { kind, content } = place;
  const { heading, file, encoding, isGuessed } = opened;
  const guesses = guessColumns(kind, heading, opened.rows.slice(0, rowsLooked));
  const selects = heading.map((name, index) => {
    const select = choice([['', t('Leave out')], ...memberChoices(kind)], guesses[index]);
    select.dataset['pointer'] = `/columns/${index}`;
    select.ariaLabel = t('What “{name}” is', { name });
    return select;
  });
  const samples = samplesOf(opened);
  const rows = heading.map((name, index) => {
    const texts = samples.map(({ cells }) => cells[index]?.trim() ?? '').filter((text) => text !== '');
    return h(
      'tr',
      h('th', { scope: 'row' }, h('bdi', name)),
      h('td.soft', h('bdi', texts.join(' · '))),
      h('td', selects[index]),
    );
  });
  const given =
    kind === 'products'
      ? field({
          label: t('Currency of the prices, where the file names none'),
          pointer: '/currency',
          control: currencyChoice(),
        })
      : field({
          label: t('Country of phone numbers and addresses, where the file names none'),
          hint: t('An address without a street goes to the note.'),
          pointer: '/country',
          control: choice(countryChoices(), homeCountry()),
        });
  const letters = field({
    label: t('The letters of the file'),
    hint: t('The file doesn’t say how its letters are written. Choose what makes the rows above readable.'),
    pointer: '/encoding',
    control: choice(encodingChoices(), encoding),
  });
  letters.control.addEventListener('change', () => void openFile(place, file, letters.control.value));
  const table = h('table.plain.match', h('tbody', rows));
  const body = form([h('div.scroller', table), isGuessed && letters.element, given.element], {
    submit: t('Check all rows'),
    others: button(t('Another file'), () => chooseFile(place)),
    async run() {
      const columns = selects.map(({ value }) => value);
      const missing = missingMembers(kind, columns);
      if (missing.length > 0)
        throw new Error(t('No column is the {members}.', { members: missing.join(t(', or the ')) }));
      await check(place, opened, { kind, columns, given: given.control.value });
    },
  });
  fill(content, card(file.name, h('p.soft', t('What is in the columns?')), body));
}

/** Rows to be shown: with letters that the encoding decides, if that was guessed. */
function samplesOf({ rows, isGuessed }: OpenFile): readonly FileRow[] {
  const telling = isGuessed ? rows.filter(({ cells }) => cells.some((cell) => /[^\0-\x7f]/.test(cell))) : [];
  return [...new Set([...telling, ...rows])].slice(0, samplesMax);
}

async function check(place: Place, opened: OpenFile, choices: Choices): Promise<void> {
  try {
    const lines = await linesOf(opened, choices);
    await run({ ...place, opened, lines, outcome: emptyOutcome(lines.faults), isDryRun: true });
  } catch (error) {
    if (!(error instanceof AmbiguousPrice)) throw error;
    askForSign(place, error.message, (sign) => check(place, opened, { ...choices, sign }));
  }
}

/** A person says once what the sign of a price is. */
function askForSign({ content }: Place, price: string, go: (sign: string) => Promise<void>): void {
  const [, whole = '', sign = '', rest = ''] = /(\d+)\D*([.,])(\d{3})/.exec(price) ?? [];
  const answer = (text: string, decimals: string): HTMLElement => button(text, () => void go(decimals));
  fill(
    content,
    card(
      t('Prices'),
      h('p', { role: 'status' }, t('The price {price} can be read in two ways. What is it?', { price })),
      h(
        'div.buttons',
        answer(
          t('{whole} and no decimals', { whole: count(Number(whole + rest)) }),
          sign === '.' ? ',' : '.',
        ),
        answer(t('{whole} and decimals: {text}', { whole, text: `${whole}${decimalSign}${rest}` }), sign),
      ),
      h('p.soft', t('The answer is good for all prices of the file.')),
    ),
  );
}

type Run = Place & {
  readonly opened: OpenFile;
  readonly lines: Lines;
  readonly outcome: Outcome;
  readonly isDryRun: boolean;
};

/** Shows how far it is. What stops it is shown with a button that goes on. */
async function run(running: Run): Promise<void> {
  const { page, content, opened, lines, outcome, isDryRun } = running;
  const stopping = new AbortController();
  page.signal.addEventListener('abort', () => stopping.abort(page.signal.reason));
  const bar = h('progress', { 'aria-label': isDryRun ? t('Checked') : t('Imported') });
  const text = h('p', { role: 'status' });
  const onProgress = (): void => {
    bar.value = outcome.answered / lines.good.length;
    fill(text, t('{count} rows', { count: count(outcome.answered) }));
  };
  const stop = button(t('Stop'), () => stopping.abort(new Error('stopped')));
  fill(content, card(isDryRun ? t('Checking …') : t('Importing …'), bar, text, stop));
  try {
    const options = { client: page.client, signal: stopping.signal, isDryRun, onProgress };
    await sendLines({ ...lines, lines: lines.good }, outcome, options);
  } catch (error) {
    if (page.signal.aborted) return;
    if (isDryRun && stopping.signal.aborted) return chooseColumns(running, opened);
    const reason = stopping.signal.aborted ? t('You have stopped it.') : messageOf(error);
    const stays = t('What has been imported stays; to go on sends the rest, and makes nothing twice.');
    const again = button(t('Go on'), () => void run(running));
    const issue = h('p.issue', { role: 'alert' }, reason);
    return fill(content, card(t('Stopped'), issue, !isDryRun && h('p', stays), again));
  }
  fill(content, await (isDryRun ? checked(running) : imported(running)));
}

async function checked(ended: Run): Promise<Child> {
  const { page, opened, lines, outcome } = ended;
  const faulty = new Set(outcome.faults.map(({ number }) => number));
  const good = lines.good.filter(({ number }) => !faulty.has(number));
  const begin = (): Promise<void> =>
    run({ ...ended, lines: { ...lines, good }, outcome: emptyOutcome(outcome.faults), isDryRun: false });
  const rows = outcome.created + outcome.changed;
  const label = t(numbered(rows, 'Import 1 row', 'Import {count} rows'), { count: count(rows) });
  return reportCards(ended, {
    title: t('{name} was checked', { name: opened.file.name }),
    buttons: [
      rows > 0 && action(label, begin, { class: 'primary' }),
      button(t('Change the columns'), () => chooseColumns(ended, opened)),
    ],
    samples: await sampleCard(page, lines, outcome.samples),
  });
}

function imported(ended: Run): Child {
  const { kind } = ended;
  const label = kind === 'customers' ? t('To the customers') : t('To the products');
  return reportCards(ended, {
    title: t('Imported'),
    buttons: [
      h('a.button.primary', { href: `#/${kind}` }, label),
      button(t('Another file'), () => chooseFile(ended)),
    ],
  });
}
