// Importing customers or products from a spreadsheet's file: its columns are matched, all rows are checked, and those
// without a fault are imported. Faulty rows can be saved, corrected, and imported again.
import { browserLocale } from '../parts/language.ts';
import { emptyState, type Page, setPageTitle, type View } from '../parts/view.ts';
import { card } from '../parts/cards.ts';
import { homeCountry, countryChoices } from '../parts/address-fields.ts';
import { button, type Child, fill, h } from '../parts/elements.ts';
import {
  count,
  countries,
  decimalSign,
  isAmbiguousPrice,
  priceIssue,
  priceText,
  typedPrice,
} from '../parts/formats.ts';
import { action, choice, currencyChoice, field, form, messageOf } from '../parts/forms.ts';
import { encodingOf, type FileRow, encodingChoices, rowsOf } from './import-file.ts';
import {
  guessColumns,
  type ImportKind,
  isOfService,
  memberChoices,
  membersOf,
  missingMembers,
} from './import-columns.ts';
import { type Fault, type ImportPlan, type Outcome, runImport } from './import-run.ts';
import { sampleCard } from './import-samples.ts';
import { saveFile } from '../parts/saved-file.ts';
import { tableHead } from '../parts/tables.ts';
import { byteOrderMark, rowText, type Separator, withoutFormulas } from '../parts/table-text.ts';
import { numbered, t } from '../parts/texts.ts';

const bytesMax = 32 * 1024 * 1024;
const faultsShown = 100;
const samplesShown = 3;
const rowsLooked = 100;

export function importView(kind: ImportKind): View {
  return (page) => {
    const { main, user } = page;
    const content = h('div', { class: 'narrow' });
    fill(
      main,
      setPageTitle(
        kind === 'customers' ? t('Import customers') : t('Import products'),
        h('a', { class: 'button', href: `#/${kind}` }, t('Back')),
      ),
      content,
    );
    if (user.role === 'admin') chooseFile({ page, kind, content });
    else fill(content, emptyState(t('Not allowed'), t('Only an administrator can import.')));
  };
}

type Place = { readonly page: Page; readonly kind: ImportKind; readonly content: HTMLElement };

/** A file, and its first rows. */
type OpenFile = {
  readonly file: File;
  readonly encoding: Awaited<ReturnType<typeof encodingOf>>;
  readonly separator: Separator;
  readonly heading: readonly string[];
  /** Rows from the beginning of the file, by which its columns are recognized. */
  readonly rows: readonly FileRow[];
  /** Rows that are shown; with letters that the encoding decides, if that was guessed. */
  readonly samples: readonly FileRow[];
  /** The sign before decimals, once a person has said so. */
  readonly decimalSign?: string;
};

function chooseFile(place: Place, problem = ''): void {
  const { content, kind } = place;
  const message = h('p', { class: 'issue', role: 'alert' }, problem);
  const input = h('input', { type: 'file', id: 'import-file', accept: '.csv,.tsv,.txt,text/csv' });
  const take = (file: File | undefined): void => {
    if (file === undefined) return;
    fill(message);
    openFile(file).then(
      (opened) => chooseColumns(place, opened),
      (error: unknown) => fill(message, messageOf(error)),
    );
  };
  input.addEventListener('change', () => take(input.files?.[0]));
  const zone = h(
    'div',
    { class: 'drop' },
    h('label', { for: input.id }, t('Drop a file here, or choose one')),
    input,
    h(
      'p',
      { class: 'hint' },
      t('As a spreadsheet saves it as CSV, or as text with tabs: {size} MB at most.', { size: count(32) }),
    ),
    message,
  );
  zone.addEventListener('dragover', (event) => {
    event.preventDefault();
    zone.classList.add('over');
  });
  zone.addEventListener('dragleave', () => zone.classList.remove('over'));
  zone.addEventListener('drop', (event) => {
    event.preventDefault();
    zone.classList.remove('over');
    take(event.dataTransfer?.files[0]);
  });
  const text = t(
    'The first row names the columns. Nothing is imported before you have seen what is in the file.',
  );
  const again =
    kind === 'customers'
      ? t('A customer who is known by number or e-mail is changed; what the file lacks stays.')
      : t('A product whose SKU is known is changed; what the file lacks stays.');
  fill(content, card(t('File'), zone, h('p', { class: 'soft' }, `${text} ${again}`)));
}

async function openFile(file: File): Promise<OpenFile> {
  if (file.size > bytesMax)
    throw new Error(t('The file is too large: it may have 32 MB. Divide it into several.'));
  return readBeginning(file, await encodingOf(file));
}

async function readBeginning(file: File, encoding: OpenFile['encoding']): Promise<OpenFile> {
  let heading: readonly string[] | undefined;
  const beginning: FileRow[] = [];
  const samples: FileRow[] = [];
  let sign: Separator = ',';
  for await (const { rows, separator } of rowsOf(file, encoding.label)) {
    sign = separator;
    for (const row of rows) {
      if (heading === undefined) heading = headingOf(row.cells);
      else {
        if (beginning.length < rowsLooked) beginning.push(row);
        if (encoding.isKnown || row.cells.some(hasOtherLetters)) samples.push(row);
      }
    }
    if (samples.length >= samplesShown && beginning.length >= rowsLooked) break;
  }
  if (heading === undefined) throw new Error(t('The file is empty.'));
  const shown = samples.length > 0 ? samples : beginning;
  return { file, encoding, separator: sign, heading, rows: beginning, samples: shown.slice(0, samplesShown) };
}

/** Spreadsheets save columns that are only formatted without a name. */
function headingOf(cells: readonly string[]): readonly string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== '') + 1);
}

/** Whether the encoding decides what the cell is. */
function hasOtherLetters(cell: string): boolean {
  return /[^\0-\x7f]/.test(cell);
}

function chooseColumns(place: Place, opened: OpenFile): void {
  const { kind, content } = place;
  const { heading, samples, file, encoding } = opened;
  const guesses = guessColumns(kind, heading, opened.rows);
  const selects = heading.map((name, index) => {
    const select = choice([['', t('Leave out')], ...memberChoices(kind)], guesses[index]);
    select.dataset['pointer'] = `/columns/${index}`;
    select.ariaLabel = t('What “{name}” is', { name });
    return select;
  });
  const columns = (): string[] => selects.map(({ value }) => value);
  const samplesOf = (index: number): string => {
    const texts = samples.map(({ cells }) => cells[index]?.trim() ?? '');
    return texts.filter((text) => text !== '').join(' · ');
  };
  const rows = heading.map((name, index) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, h('bdi', {}, name)),
      h('td', { class: 'soft' }, h('bdi', {}, samplesOf(index))),
      h('td', {}, selects[index]),
    ),
  );
  const currency = field({
    label: t('Currency of the prices, where the file names none'),
    pointer: '/currency',
    control: currencyChoice(),
  });
  const country = field({
    label: t('Country of phone numbers and addresses, where the file names none'),
    hint: t('An address without a street goes to the note.'),
    pointer: '/country',
    control: choice(countryChoices(), countryOf(opened.rows, guesses) ?? homeCountry()),
  });
  const given = kind === 'products' ? currency : country;
  const encodings = field({
    label: t('The letters of the file'),
    hint: t('The file doesn’t say how its letters are written. Choose what makes the rows above readable.'),
    pointer: '/encoding',
    control: choice(encodingChoices(), encoding.label),
  });
  encodings.control.addEventListener('change', () => {
    readBeginning(file, { ...encoding, label: encodings.control.value }).then(
      (again) => chooseColumns(place, again),
      (error: unknown) => chooseFile(place, messageOf(error)),
    );
  });
  const body = form(
    [
      h('div', { class: 'scroller' }, h('table', { class: 'plain match' }, h('tbody', {}, rows))),
      ...(encoding.isKnown ? [] : [encodings.element]),
      given.element,
    ],
    {
      submit: t('Check all rows'),
      others: button(t('Another file'), () => chooseFile(place)),
      async run() {
        const missing = missingMembers(kind, columns());
        if (missing.length > 0)
          throw new Error(t('No column is the {members}.', { members: missing.join(t(', or the ')) }));
        await check(place, opened, { columns: columns(), given: given.control.value });
      },
    },
  );
  fill(content, card(file.name, h('p', { class: 'soft' }, t('What is in the columns?')), body));
}

/** The country that the first rows name: a German file is no other one for being read in an English browser. */
function countryOf(rows: readonly FileRow[], columns: readonly string[]): string | undefined {
  const named = rows.map(({ cells }) => membersOf(cells, columns).get('address.country')?.toLowerCase());
  const first = named.find((name) => name !== undefined);
  const languages = ['de', 'en', browserLocale].map(
    (language) => new Intl.DisplayNames(language, { type: 'region' }),
  );
  return countries.find((code) =>
    [code, ...languages.map((names) => names.of(code) ?? '')].some((name) => name.toLowerCase() === first),
  );
}

type Choices = {
  readonly columns: readonly string[];
  /** The currency, or the country, of rows that name none. */
  readonly given: string;
};

function check(place: Place, opened: OpenFile, choices: Choices): Promise<void> {
  const plan = planOf(place, opened, choices);
  return run({ ...place, opened, plan, choices }, { isDryRun: true });
}

/** A price that can be read in two ways: a person says once what its sign is. */
class AmbiguousPrice extends Error {
  readonly price: string;
  constructor(price: string) {
    super(price);
    this.price = price;
  }
}

function askForSign(planned: Planned, price: string): void {
  const { content, opened, choices } = planned;
  const [, whole = '', sign = '', rest = ''] = /(\d+)\D*([.,])(\d{3})/.exec(price) ?? [];
  const answer = (text: string, decimals: string): HTMLElement =>
    button(text, () => void check(planned, { ...opened, decimalSign: decimals }, choices));
  fill(
    content,
    card(
      opened.file.name,
      h('p', { role: 'status' }, t('The price {price} can be read in two ways. What is it?', { price })),
      h(
        'div',
        { class: 'buttons' },
        answer(
          t('{whole} and no decimals', { whole: count(Number(whole + rest)) }),
          sign === '.' ? ',' : '.',
        ),
        answer(t('{whole} and decimals: {text}', { whole, text: `${whole}${decimalSign}${rest}` }), sign),
      ),
      h('p', { class: 'soft' }, t('The answer is good for all prices of the file.')),
      button(t('Change the columns'), () => chooseColumns(planned, opened)),
    ),
  );
}

function planOf({ kind }: Place, opened: OpenFile, { columns, given }: Choices): ImportPlan {
  const { file, encoding, heading } = opened;
  const named = columns.filter((name) => name !== '' && name !== 'company');
  if (columns.includes('company')) named.push('name', 'note');
  const leftOut = new Set<string>();
  return {
    kind,
    file,
    encoding: encoding.label,
    leftOut,
    members: [...new Set(kind === 'products' ? [...named, 'currency'] : named)],
    country: kind === 'customers' ? given : undefined,
    convert(cells) {
      if (cells.slice(heading.length).some((cell) => cell.trim() !== ''))
        return {
          problem: t('The row has {cells} cells, and the first row {columns}.', {
            cells: cells.length,
            columns: heading.length,
          }),
        };
      for (const [index, name] of heading.entries())
        if (columns[index] === '' && !isOfService(name) && (cells[index] ?? '').trim() !== '')
          leftOut.add(name);
      const values = membersOf(cells, columns);
      return kind === 'products'
        ? productOf(values, { currency: given, sign: opened.decimalSign })
        : customerOf(values);
    },
  };
}

type Converted = ReturnType<ImportPlan['convert']>;

type PriceReading = { readonly currency: string; readonly sign: string | undefined };

function productOf(values: Map<string, string>, given: PriceReading): Converted {
  const currency = values.get('currency')?.toUpperCase() ?? given.currency;
  values.set('currency', currency);
  const price = values.get('unitPrice');
  if (price === undefined) return { values };
  const amount = typedPrice(price, currency, given.sign);
  if (amount === undefined && given.sign === undefined && isAmbiguousPrice(price, currency))
    throw new AmbiguousPrice(price);
  if (amount === undefined) return { problem: priceIssue(price, currency) };
  return { values: values.set('unitPrice', priceText(amount, currency)) };
}

/** A country alone is no address. */
function customerOf(values: Map<string, string>): Converted {
  const isAddress = [...values.keys()].some((name) => /^address\.(?!country$)/.test(name));
  if (!isAddress) values.delete('address.country');
  return { values };
}

type Planned = Place & { readonly opened: OpenFile; readonly plan: ImportPlan; readonly choices: Choices };

/** Shows how far it is. What stops it is shown with a button that does it again. */
async function run(planned: Planned, { isDryRun }: { readonly isDryRun: boolean }): Promise<void> {
  const { page, content, plan } = planned;
  const stopping = new AbortController();
  page.signal.addEventListener('abort', () => stopping.abort(page.signal.reason));
  const bar = h('progress', { max: 1, value: 0, 'aria-label': isDryRun ? t('Checked') : t('Imported') });
  const text = h('p', { role: 'status' });
  const stop = button(t('Stop'), () => stopping.abort(new Error('stopped')));
  fill(content, card(isDryRun ? t('Checking …') : t('Importing …'), bar, text, stop));
  try {
    const outcome = await runImport(plan, {
      client: page.client,
      signal: stopping.signal,
      isDryRun,
      onProgress(share, so) {
        bar.value = share;
        fill(text, progressText(so));
      },
    });
    if (isDryRun) await showCheck(planned, outcome);
    else showEnd(planned, outcome);
  } catch (error) {
    if (page.signal.aborted) return;
    if (error instanceof AmbiguousPrice) return askForSign(planned, error.price);
    if (stopping.signal.aborted && isDryRun) return chooseColumns(planned, planned.opened);
    const reason = stopping.signal.aborted ? t('You have stopped it.') : messageOf(error);
    const again = button(t('Go on'), () => void run(planned, { isDryRun }));
    const stays = t('What has been imported stays; to go on begins again, and makes nothing twice.');
    fill(
      content,
      card(
        t('Stopped'),
        h('p', { class: 'issue', role: 'alert' }, reason),
        !isDryRun && h('p', {}, stays),
        again,
      ),
    );
  }
}

function progressText({ created, changed, unchanged, faults }: Outcome): string {
  const rows = count(created + changed + unchanged + faults.length);
  if (faults.length === 0) return t('{count} rows', { count: rows });
  return t('{count} rows, {faults} with a fault', { count: rows, faults: count(faults.length) });
}

async function showCheck(planned: Planned, outcome: Outcome): Promise<void> {
  const { content, opened, kind, page, plan } = planned;
  const { created, changed, unchanged, doubles, warned, faults, samples } = outcome;
  const good = created + changed;
  const again = button(t('Change the columns'), () => chooseColumns(planned, opened));
  const begin = action(
    t(numbered(good, 'Import 1 row', 'Import {count} rows'), { count: count(good) }),
    () => run(planned, { isDryRun: false }),
    { class: 'primary' },
  );
  const shown = await sampleCard(page, plan, samples);
  fill(
    content,
    card(
      t('{name} was checked', { name: opened.file.name }),
      h(
        'ul',
        {},
        created > 0 && h('li', {}, newText(created)),
        doubles > 0 && h('li', { class: 'issue' }, doublesText(doubles, kind)),
        warned.length > 0 && h('li', { class: 'issue' }, warnedText(warned)),
        changed > 0 && h('li', {}, changedText(changed, kind)),
        unchanged > 0 && h('li', {}, unchangedText(unchanged)),
        faults.length > 0 && h('li', {}, faultsText(faults.length)),
        plan.leftOut.size > 0 && h('li', {}, leftOutText(plan.leftOut)),
      ),
      h('div', { class: 'buttons' }, good > 0 && begin, again),
    ),
    shown,
    faultCard(opened, faults),
  );
}

function newText(rows: number): string {
  return t(numbered(rows, '1 row is new.', '{count} rows are new.'), { count: count(rows) });
}

function doublesText(rows: number, kind: ImportKind): string {
  const text =
    kind === 'customers'
      ? numbered(
          rows,
          '1 row has the e-mail address or phone number of a customer who is known, and makes another one.',
          '{count} rows have the e-mail address or phone number of a customer who is known, and make others.',
        )
      : numbered(
          rows,
          '1 row makes a new product, whose SKU differs from a known one only in zeros.',
          '{count} rows make new products, whose SKUs differ from known ones only in zeros.',
        );
  return t(text, { count: count(rows) });
}

function warnedText(rows: readonly number[]): string {
  const text = numbered(
    rows.length,
    'A barcode may have lost digits, and is kept as it is: row {rows}.',
    '{count} barcodes may have lost digits, and are kept as they are: rows {rows}.',
  );
  const named = rows.slice(0, warnedRowsMax).map(count).join(', ');
  return t(text, { count: count(rows.length), rows: rows.length > warnedRowsMax ? `${named} …` : named });
}

const warnedRowsMax = 5;

function leftOutText(columns: ReadonlySet<string>): string {
  const text = numbered(
    columns.size,
    '1 column with content is left out: {names}.',
    '{count} columns with content are left out: {names}.',
  );
  return t(text, { count: count(columns.size), names: [...columns].join(', ') });
}

function changedText(rows: number, kind: ImportKind): string {
  const text =
    kind === 'customers'
      ? numbered(rows, '1 row changes a known customer.', '{count} rows change known customers.')
      : numbered(rows, '1 row changes a known product.', '{count} rows change known products.');
  return t(text, { count: count(rows) });
}

function unchangedText(rows: number): string {
  const text = numbered(rows, '1 row changes nothing.', '{count} rows change nothing.');
  return t(text, { count: count(rows) });
}

function faultsText(rows: number): string {
  const text = numbered(rows, '1 row can’t be imported.', '{count} rows can’t be imported.');
  return t(text, { count: count(rows) });
}

function showEnd({ content, opened, kind, page }: Planned, outcome: Outcome): void {
  const { created, changed, unchanged, faults } = outcome;
  const place = { content, kind, page };
  const list = h(
    'a',
    { class: 'button primary', href: `#/${kind}` },
    kind === 'customers' ? t('To the customers') : t('To the products'),
  );
  const next = button(t('Another file'), () => chooseFile(place));
  const counts = [
    t('{count} new.', { count: count(created) }),
    changed > 0 && t('{count} changed.', { count: count(changed) }),
    unchanged > 0 && t('{count} unchanged.', { count: count(unchanged) }),
  ];
  fill(
    content,
    card(
      t('Imported'),
      h('p', { role: 'status' }, counts.filter((text) => text !== false).join(' ')),
      h('div', { class: 'buttons' }, list, next),
    ),
    faultCard(opened, faults),
  );
}

/** The faulty rows can be saved with their faults, to be corrected in a spreadsheet. */
function faultCard({ file, heading, separator }: OpenFile, faults: readonly Fault[]): Child {
  if (faults.length === 0) return undefined;
  const save = (): void => {
    const rows = faults.map(({ cells, problem }) =>
      rowText([...heading.map((_, index) => withoutFormulas(cells[index] ?? '')), problem], separator),
    );
    saveFile(`faulty-${file.name}`, [
      byteOrderMark,
      rowText([...heading.map(withoutFormulas), t('Fault')], separator),
      ...rows,
    ]);
  };
  const row = ({ number, cells, problem }: Fault): HTMLElement =>
    h(
      'tr',
      {},
      h('td', { class: 'number' }, count(number)),
      h(
        'td',
        {},
        h(
          'bdi',
          {},
          cells
            .filter((cell) => cell !== '')
            .slice(0, 2)
            .join(', '),
        ),
      ),
      h('td', { class: 'issue' }, problem),
    );
  const more = faults.length - faultsShown;
  return card(
    t('Rows with a fault'),
    h(
      'div',
      { class: 'scroller' },
      h(
        'table',
        { class: 'plain faults' },
        tableHead([[t('Row'), 'number'], [t('Begins with')], [t('Fault')]]),
        h('tbody', {}, faults.slice(0, faultsShown).map(row)),
      ),
    ),
    more > 0 && h('p', { class: 'soft' }, t('And {count} more.', { count: count(more) })),
    h('div', { class: 'buttons' }, button(t('Save these rows as a file'), save)),
  );
}
