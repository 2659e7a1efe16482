// Importing customers or products from a spreadsheet's file: its columns are matched, all rows are checked, and those
// without a fault are imported. Faulty rows can be saved, corrected, and imported again.
import { card } from '../parts/cards.ts';
import { button, type Child, fill, h } from '../parts/elements.ts';
import { count, countryChoices, homeCountry } from '../parts/formats.ts';
import { action, choice, currencyChoice, type Field, field, form, messageOf } from '../parts/forms.ts';
import { numbered, t } from '../parts/texts.ts';
import { emptyState, type Page, setPageTitle, type View } from '../parts/view.ts';
import { guessColumns, type ImportKind, memberChoices, missingMembers } from './import-columns.ts';
import { encodingChoices, megabytesMax, type Table, readTable } from './import-file.ts';
import { answersOf, faultCard, faultyRows, type Outcome, sampleCard, summary } from './import-report.ts';
import { type Answered, linesOf, sendLines } from './import-rows.ts';

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

function chooseFile(place: Place, problem = ''): void {
  const { content, kind } = place;
  const input = h('input', { type: 'file', id: 'import-file', accept: '.csv,.tsv,.txt,text/csv' });
  const take = (file: File | undefined): void => {
    if (file !== undefined) void openFile(place, file);
  };
  input.addEventListener('change', () => take(input.files?.[0]));
  const hint = t('As a spreadsheet saves it as CSV, or as text with tabs: {size} MB at most.', {
    size: megabytesMax,
  });
  const zone = h(
    'div.drop',
    h('label', { for: input.id }, t('Drop a file here, or choose one')),
    input,
    h('p.hint', hint),
    h('p.issue', { role: 'alert' }, problem),
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
    chooseColumns(place, await readTable(file, encoding));
  } catch (error) {
    chooseFile(place, messageOf(error));
  }
}

/** By so many rows the columns are recognized. */
const rowsLooked = 100;

function chooseColumns(place: Place, table: Table): void {
  const { kind, content } = place;
  const { file, heading, encoding, isGuessed } = table;
  const guesses = guessColumns(kind, heading, table.rows.slice(0, rowsLooked));
  const selects = heading.map((column, index) => {
    const select = choice([['', t('Leave out')], ...memberChoices(kind)], guesses[index]);
    select.dataset['pointer'] = `/columns/${index}`;
    select.ariaLabel = t('What “{name}” is', { name: column });
    return select;
  });
  const given = givenField(kind);
  const letters = field({
    label: t('The letters of the file'),
    hint: t('The file doesn’t say how its letters are written. Choose what makes the rows above readable.'),
    pointer: '/encoding',
    control: choice(encodingChoices(), encoding),
  });
  letters.control.addEventListener('change', () => void openFile(place, file, letters.control.value));
  const signs = [
    ['', '—'],
    ['.', '1,234.50'],
    [',', '1.234,50'],
  ] as const;
  const sign = field({ label: t('Prices in the file'), pointer: '/sign', control: choice(signs) });
  sign.element.hidden = true;
  const fields = [isGuessed && letters.element, given.element, sign.element];
  const body = form(
    [h('div.scroller', h('table.plain.match', h('tbody', columnRows(table, selects)))), fields],
    {
      submit: t('Check all rows'),
      others: button(t('Another file'), () => chooseFile(place)),
      async run() {
        const chosen = selects.map(({ value }) => value);
        const missing = missingMembers(kind, chosen);
        if (missing.length > 0)
          throw new Error(t('No column is the {members}.', { members: missing.join(t(', or the ')) }));
        const choices = { kind, columns: chosen, given: given.control.value, sign: sign.control.value };
        const lines = await linesOf(table, choices).catch((error: unknown) => {
          sign.element.hidden = false; // a price can be read in two ways
          throw error;
        });
        await run({ ...place, table, lines, answers: [], isDryRun: true });
      },
    },
  );
  fill(content, card(file.name, h('p.soft', t('What is in the columns?')), body));
}

const samplesMax = 3;

/** The columns with some texts: those with letters that the encoding decides, if that was guessed. */
function columnRows({ heading, rows, isGuessed }: Table, selects: readonly HTMLElement[]): HTMLElement[] {
  const telling = isGuessed ? rows.filter(({ cells }) => cells.some((cell) => /[^\0-\x7f]/.test(cell))) : [];
  const samples = [...new Set([...telling, ...rows])].slice(0, samplesMax);
  return heading.map((column, index) => {
    const texts = samples.map(({ cells }) => cells[index]?.trim() ?? '').filter((text) => text !== '');
    return h(
      'tr',
      h('th', { scope: 'row' }, h('bdi', column)),
      h('td.soft', h('bdi', texts.join(' · '))),
      h('td', selects[index]),
    );
  });
}

/** What rows have that name none. */
function givenField(kind: ImportKind): Field {
  if (kind === 'products')
    return field({
      label: t('Currency of the prices, where the file names none'),
      pointer: '/currency',
      control: currencyChoice(),
    });
  return field({
    label: t('Country of phone numbers and addresses, where the file names none'),
    hint: t('An address without a street goes to the note.'),
    pointer: '/country',
    control: choice(countryChoices(), homeCountry()),
  });
}

type Run = Place & Outcome & { readonly answers: Answered[]; readonly isDryRun: boolean };

/** Shows how far it is. What stops it is shown with a button that goes on. */
async function run(running: Run): Promise<void> {
  const { page, content, table, lines, answers, isDryRun } = running;
  const stopping = new AbortController();
  page.signal.addEventListener('abort', () => stopping.abort(page.signal.reason));
  const bar = h('progress', { 'aria-label': isDryRun ? t('Checked') : t('Imported') });
  const text = h('p', { role: 'status' });
  const onProgress = (): void => {
    bar.value = answers.length / lines.lines.length;
    fill(text, t('{count} rows', { count: count(answers.length) }));
  };
  const stop = button(t('Stop'), () => stopping.abort(new Error('stopped')));
  fill(content, card(isDryRun ? t('Checking …') : t('Importing …'), bar, text, stop));
  try {
    const options = { client: page.client, signal: stopping.signal, isDryRun, onProgress };
    await sendLines(lines, answers, options);
  } catch (error) {
    if (page.signal.aborted) return;
    if (isDryRun && stopping.signal.aborted) return chooseColumns(running, table);
    const reason = stopping.signal.aborted ? t('You have stopped it.') : messageOf(error);
    const stays = t('What has been imported stays; to go on sends the rest, and makes nothing twice.');
    const again = button(t('Go on'), () => void run(running));
    const issue = h('p.issue', { role: 'alert' }, reason);
    return fill(content, card(t('Stopped'), issue, !isDryRun && h('p', stays), again));
  }
  fill(content, isDryRun ? await checked(running) : imported(running));
}

async function checked(ended: Run): Promise<Child> {
  const { page, table, lines, answers } = ended;
  const faults = faultyRows(ended);
  const good = answers.filter(({ problem }) => problem === undefined);
  const begin = (): Promise<void> =>
    run({ ...ended, lines: { ...lines, lines: good, faults }, answers: [], isDryRun: false });
  const rows = answersOf(ended, 'created').length + answersOf(ended, 'changed').length;
  const label = t(numbered(rows, 'Import 1 row', 'Import {count} rows'), { count: count(rows) });
  const buttons = [
    rows > 0 && action(label, begin, { class: 'primary' }),
    button(t('Change the columns'), () => chooseColumns(ended, table)),
  ];
  const title = t('{name} was checked', { name: table.file.name });
  return [
    card(title, summary(ended), h('div.buttons', buttons)),
    await sampleCard(page.client, ended, page.signal),
    faultCard(ended),
  ];
}

function imported(ended: Run): Child {
  const label = ended.kind === 'customers' ? t('To the customers') : t('To the products');
  const buttons = [
    h('a.button.primary', { href: `#/${ended.kind}` }, label),
    button(t('Another file'), () => chooseFile(ended)),
  ];
  return [card(t('Imported'), summary(ended), h('div.buttons', buttons)), faultCard(ended)];
}
