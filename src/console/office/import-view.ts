// Importing customers or products from a spreadsheet's file: its columns are matched, the service checks all rows, those
// with a fault are corrected in place, and the others are imported.
import { card } from '../page/cards.ts';
import { isOfInputMethod } from '../browser/browser-gaps.ts';
import { button, type Child, fill, h } from '../browser/elements.ts';
import { fieldsOf, type Member } from '../forms/fields.ts';
import { count, countryChoices, homeCountry, money, typedPrice } from '../words/formats.ts';
import { action, checkbox, choice, type Control, form, messageOf } from '../forms/forms.ts';
import { undefinedIfMissing } from '../service/request-errors.ts';
import { numbered, t } from '../words/texts.ts';
import { emptyState, type Page, setPageTitle, type View } from '../page/view.ts';
import { type Choices, type Line, linesOf, sendLines, tooMany, valuesOf } from './import-rows.ts';
import {
  encodingChoices,
  guessColumns,
  isSetByService,
  type ImportKind,
  megabytesMax,
  memberChoices,
  memberName,
  readTable,
  type Table,
} from './import-table.ts';

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

/** Browsers let a file be dropped onto its input. */
function chooseFile(place: Place, problem = ''): void {
  const { content, kind } = place;
  const input = h('input', { type: 'file', id: 'import-file', accept: '.csv,.tsv,.txt,text/csv' });
  input.addEventListener('change', () => void openFile(place, input.files?.[0]));
  const size = megabytesMax;
  const first = t('The first row names the columns. Nothing is imported until you have seen what is in it.');
  const again =
    kind === 'customers'
      ? t('A known customer, by number or e-mail address, is changed; what the file lacks stays.')
      : t('A known product, by its SKU, is changed; what the file lacks stays.');
  const zone = h(
    'div.drop',
    h('label', { for: input.id }, t('Drop a file here, or choose one')),
    input,
    h('p.hint', t('A CSV file, or text with tabs: {size} MB at most.', { size })),
    h('p.issue', { role: 'alert' }, problem),
  );
  fill(content, card(t('File'), zone, h('p.soft', `${first} ${again}`)));
}

/** Goes on with the columns, or says what is wrong with the file. */
async function openFile(place: Place, file?: File, encoding?: string): Promise<void> {
  if (file === undefined) return;
  try {
    chooseColumns(place, await readTable(file, encoding));
  } catch (error) {
    chooseFile(place, messageOf(error));
  }
}

/** The rows by which the columns are recognized. */
const rowsLooked = 100;

/** The outcome is above the columns: these can be changed then, and all rows checked again. */
function chooseColumns(place: Place, table: Table): void {
  const { kind, content, page } = place;
  const guesses = guessColumns(kind, table.heading, table.rows.slice(0, rowsLooked));
  const selects = table.heading.map((name, index) => {
    const select = choice([['', t('Leave out')], ...memberChoices(kind)], guesses[index]);
    select.dataset['pointer'] = `/columns/${index}`;
    select.ariaLabel = t('What “{name}” is', { name });
    return select;
  });
  const fields = fieldsOf(questions(kind, table));
  const letters = fields.element.querySelector<HTMLSelectElement>('[data-pointer="/encoding"]');
  letters?.addEventListener('change', () => void openFile(place, table.file, letters.value));
  const outcome = h('div.cards');
  let { rows } = table;
  let faults: readonly FaultRow[] = [];

  /** The faulty rows are corrected below the card: all rows are checked again then. An import leaves them as they are. */
  function show({ lines, choices }: Checked, ...[first, ...others]: readonly Child[]): void {
    const faulty = lines.filter(({ problem }) => problem !== undefined);
    const rowOf = (line: Line): FaultRow =>
      faults.find((row) => row.number === line.number && row.choices === choices) ??
      faultRow(line, table, choices);
    faults = faulty
      .filter(({ lacksColumn }) => lacksColumn !== true)
      .slice(0, faultsMax)
      .map(rowOf);
    const below = faulty.length > 0 && card(t('Rows with a fault'), faultGroups(faulty, faults));
    fill(outcome, first, below, others);
    body
      .querySelector('[type="submit"]')
      ?.classList.toggle('primary', outcome.querySelector('.primary') === null);
  }

  /** What was checked is no more what is entered: the main button checks it then, whatever it did. */
  function askToCheck({ target }: Event): void {
    const main = outcome.querySelector('.primary');
    const isChange = target instanceof HTMLElement && target.dataset['pointer'] !== undefined;
    if (main === null || !isChange || main.ariaDisabled === 'true') return;
    const again = h('button.primary', { type: 'submit' }, t('Check all rows'));
    (main.closest('.action') ?? main).replaceWith(h('span.action', again));
  }

  async function check(): Promise<void> {
    const corrected = new Map(faults.map(({ number, cells }) => [number, cells()]));
    rows = rows.map(({ number, cells }) => ({ number, cells: corrected.get(number) ?? cells }));
    const { country, currency, sign } = fields.read();
    const columns = selects.map(({ value }) => value);
    const choices = { kind, columns, given: String(country ?? currency), sign: String(sign ?? '') };
    const lines = await linesOf({ ...table, rows }, choices);
    await sendLines(lines, choices, { ...page, isDryRun: true });
    const checked = { page, table, choices, lines, show };
    show(checked, checkedCard(checked), await sampleCard(checked));
    if (!outcome.isConnected) return;
    scrollTo(0, 0);
    outcome.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }

  const columns = h('div.scroller', columnTable(table, selects));
  const asked = card(
    table.file.name,
    h('p.soft', t('What do the columns contain?')),
    columns,
    fields.element,
  );
  const body = form([outcome, asked], {
    submit: t('Check all rows'),
    others: button(t('Another file'), () => chooseFile(place)),
    isLong: true,
    run: check,
  });
  body.addEventListener('input', askToCheck);
  outcome.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || isOfInputMethod(event) || !(event.target instanceof HTMLInputElement))
      return;
    event.preventDefault(); // it would go to the next field
    body.requestSubmit();
  });
  fill(content, body);
}

/** What the file may leave open: its letters, how it writes prices, and what rows have that name none. */
function questions(kind: ImportKind, { isGuessed, encoding }: Table): Member[] {
  const letters: Member = {
    name: 'encoding',
    label: t('Encoding of the file'),
    hint: t('The file doesn’t name its encoding. Choose the one that makes the rows above readable.'),
    kind: 'choice',
    values: encodingChoices(),
    first: encoding,
    isWide: true,
  };
  const country: Member = {
    name: 'country',
    label: t('Country of phone numbers and addresses, where the file names none'),
    hint: t(
      'An address without a street goes to the note. If the file has no cities, choose “Note” for streets.',
    ),
    kind: 'choice',
    values: countryChoices(),
    first: homeCountry(),
    isWide: true,
  };
  const signs = [
    ['', t('As found')],
    ['.', '1,234.50'],
    [',', '1.234,50'],
  ] as const;
  const prices: Member[] = [
    { name: 'currency', label: t('Currency of the prices, where the file names none'), kind: 'currency' },
    { name: 'sign', label: t('Prices in the file'), kind: 'choice', values: signs },
  ];
  return [...(isGuessed ? [letters] : []), ...(kind === 'customers' ? [country] : prices)];
}

const textsMax = 3;

/** The columns with some texts: those with letters that the encoding decides, if that was guessed. */
function columnTable({ heading, rows, isGuessed }: Table, selects: readonly HTMLElement[]): HTMLElement {
  const telling = isGuessed ? rows.filter(({ cells }) => cells.some((cell) => /[^\0-\x7f]/.test(cell))) : [];
  const shown = [...new Set([...telling, ...rows])].slice(0, textsMax);
  const columns = heading.map((name, index) => {
    const texts = shown.map(({ cells }) => cells[index]?.trim() ?? '').filter((text) => text !== '');
    const shownTexts = h('td.soft', h('bdi', texts.join(' · ')));
    return h('tr', h('th', { scope: 'row' }, h('bdi', name)), shownTexts, h('td', selects[index]));
  });
  return h('table.plain.match', h('tbody', columns));
}

type Checked = {
  readonly page: Page;
  readonly table: Table;
  readonly choices: Choices;
  readonly lines: readonly Line[];
  readonly show: (checked: Checked, ...cards: readonly Child[]) => void;
};

/** What the check has found, and the button for the import, whose outcome replaces all that. */
function checkedCard(checked: Checked): HTMLElement {
  const { page, table, choices, lines, show } = checked;
  const rows = lines.filter(({ answer }) => answer !== undefined && answer.result !== 'unchanged').length;
  const title = t('{name} was checked', { name: table.file.name });
  const leftOut = columnsLeftOut(checked);
  if (rows === 0) return card(title, summary(checked, leftOut));
  const unsent = lines.map(({ answer, ...line }): Line => line);
  const bar = h('progress', { 'aria-label': t('Imported'), hidden: true });
  const isLeftOut = h('input', { type: 'checkbox', id: 'is-left-out' });
  const leavesOut = leftOut.length > 0;
  const asked = t('Tick “Leave these columns out”, or choose below what they contain.');
  const begin = async (): Promise<void> => {
    if (leavesOut && !isLeftOut.checked) throw new Error(asked);
    bar.hidden = false;
    const onProgress = (share: number): void => void (bar.value = share);
    await sendLines(unsent, choices, { ...page, isDryRun: false, onProgress });
    const label = choices.kind === 'customers' ? t('To the customers') : t('To the products');
    const link = h('a.button.primary', { href: `#/${choices.kind}` }, label);
    const imported = { ...checked, lines: unsent };
    show(imported, card(t('Imported'), summary(imported, leftOut), link));
  };
  const label = t(numbered(rows, 'Import 1 row', 'Import {count} rows'), { count: count(rows) });
  const leaving = t(
    'Leaving this page stops the import. What is already imported stays, and isn’t imported twice.',
  );
  const start = action(label, begin, { class: 'primary' });
  const question = leavesOut && checkbox(isLeftOut, t('Leave these columns out'));
  return card(title, summary(checked, leftOut), question, bar, start, h('p.hint', leaving));
}

function columnsLeftOut({ table, choices: { kind, columns } }: Checked): readonly string[] {
  const isFilled = (index: number): boolean => table.rows.some(({ cells }) => cells[index]?.trim());
  return table.heading.filter(
    (name, index) => columns[index] === '' && !isSetByService(kind, name) && isFilled(index),
  );
}

function summary({ choices, lines }: Checked, leftOut: readonly string[]): HTMLElement {
  const counted = (isMeant: (line: Line) => boolean): number => lines.filter(isMeant).length;
  const resulting = (result: string): number => counted(({ answer }) => answer?.result === result);
  const warned = lines.filter(({ answer }) => answer?.warning !== undefined);
  const repeated = lines.filter(({ isRepeated }) => isRepeated);
  const twin =
    choices.kind === 'customers'
      ? t('New, with the e-mail address or phone number of a known customer')
      : t('New, with a SKU that differs from a known one only in zeros');
  const facts: readonly (readonly [label: string, value: string | number, kind?: 'issue'])[] = [
    [t('New'), resulting('created')],
    [twin, counted(({ answer }) => answer?.result === 'created' && answer.sameAs !== undefined), 'issue'],
    [t('Changed'), resulting('changed')],
    [t('Unchanged'), resulting('unchanged')],
    [t('With a fault'), counted(({ problem }) => problem !== undefined), 'issue'],
    [t('Twice in the file'), repeated.length > 0 ? rowsText(repeated) : ''],
    [t('Barcodes that lack digits or have a wrong one, in rows'), rowNumbers(warned), 'issue'],
    [t('Columns with content that are left out'), leftOut.join(', '), 'issue'],
  ];
  const items = facts.map(([label, value, kindOfFact]) => {
    const text = typeof value === 'number' ? count(value) : value;
    return value !== 0 && value !== '' && h('li', { class: kindOfFact }, `${label}: ${text}`);
  });
  return h('ul', { role: 'status' }, items);
}

const rowsNamedMax = 20;

function rowsText(lines: readonly Line[]): string {
  return t(numbered(lines.length, 'row {rows}', 'rows {rows}'), { rows: rowNumbers(lines) });
}

function rowNumbers(lines: readonly Line[]): string {
  const named = lines.slice(0, rowsNamedMax).map(({ number }) => count(number));
  return named.join(', ') + (lines.length > rowsNamedMax ? ' …' : '');
}

/** Says each fault once: below the name of its row, or above all its rows. */
function faultGroups(faulty: readonly Line[], rows: readonly FaultRow[]): Child {
  const groups = new Map<string | undefined, Line[]>();
  for (const line of faulty) {
    const same = groups.get(line.problem);
    if (same === undefined) groups.set(line.problem, [line]);
    else same.push(line);
  }
  const rowOf = new Map(rows.map((row) => [row.number, row]));
  const shown = [...groups].slice(0, faultsMax).map(([problem, lines]) => {
    const named = t('{count} rows: {rows}', { count: count(lines.length), rows: rowNumbers(lines) });
    const ofGroup = lines.flatMap(({ number }) => rowOf.get(number) ?? []);
    const isOfOne = lines.length === 1 && ofGroup.length === 1;
    for (const { issue } of ofGroup) fill(issue, isOfOne && problem);
    const elements = ofGroup.map(({ element }) => element);
    return [
      !isOfOne && h('p.issue', problem),
      lines.length > 1 && h('p.soft', named),
      elements.length > 0 && h('ul.rows', elements),
    ];
  });
  const left = groups.size - shown.length;
  return [shown, left > 0 && h('p.soft', t('And {count} more.', { count: count(left) }))];
}

const faultsMax = 50;
type FaultRow = {
  readonly number: number;
  readonly choices: Choices;
  readonly element: HTMLElement;
  /** Says the row's fault if no other row has the same. */
  readonly issue: HTMLElement;
  /** Returns the cells as they were corrected. */
  readonly cells: () => readonly string[];
};

/** A row with a field for each cell that is imported, or is one too many. */
function faultRow({ number, cells, faulty = [] }: Line, { heading }: Table, choices: Choices): FaultRow {
  const length = Math.max(heading.length, cells.length);
  const given = Array.from({ length }, (_, index) => cells[index] ?? '');
  const members = given.flatMap((cell, index) => {
    const isShown = index < heading.length ? choices.columns[index] !== '' : cell.trim() !== '';
    return isShown ? { name: String(index), label: heading[index] ?? count(index + 1) } : [];
  });
  const fields = fieldsOf(members, { pointer: `/rows/${number}`, values: { ...given } });
  for (const control of fields.element.querySelectorAll<Control>('[data-pointer]')) {
    const index = Number(control.dataset['pointer']?.split('/').at(-1));
    const name = choices.columns[index] ?? tooMany;
    if (faulty.includes(name)) control.ariaInvalid = 'true';
  }
  fields.element.role = 'group';
  fields.element.ariaLabel = t('Row {row}', { row: count(number) });
  const before = fields.read(); // without the line breaks of the cells
  const issue = h('p.issue');
  return {
    number,
    choices,
    element: h('li', rowName(number), issue, fields.element),
    issue,
    cells() {
      const now = fields.read();
      return given.map((cell, index) => (now[index] === before[index] ? cell : String(now[index] ?? '')));
    },
  };
}

function rowName(number: number): HTMLElement {
  return h('strong', t('Row {row}', { row: count(number) }));
}

const samplesOfKindMax = 5;

/** Some rows as they will be, beside what they replace. */
async function sampleCard({ page: { client, signal }, lines, choices }: Checked): Promise<Child> {
  const samples = (['changed', 'created'] as const).flatMap((result) =>
    lines.filter(({ answer }) => answer?.result === result).slice(0, samplesOfKindMax),
  );
  const rows = samples.map(async ({ number, cells, answer }) => {
    const id = answer?.id ?? undefined;
    const path = `/${choices.kind}/${id}`;
    const known = id && (await client.get<object>(path, signal).catch(undefinedIfMissing));
    const values = valuesOf(cells, choices);
    const facts = [...values].map(([name, sent]) => {
      const before = knownText(name, known);
      const now = name === 'unitPrice' ? amountText(sent, values.get('currency')) : sent;
      const isSame = before === '' || readOtherwise.includes(name) || now === before;
      const change = [h('del', before), ' ', h('ins', now)];
      return h('span', h('small.soft', memberName(name)), ' ', isSame ? h('bdi', now) : change);
    });
    return h('li', rowName(number), h('span', id === undefined ? t('New') : t('Changed')), h('div', facts));
  });
  const shown = await Promise.all(rows);
  return shown.length > 0 && card(t('Some rows, as they will be'), h('ul.rows.samples', shown));
}

function amountText(price: string, currency = ''): string {
  const amount = typedPrice(price, currency);
  return amount === undefined ? price : money(amount, currency);
}

/** What the service reads in many forms, and keeps in one. */
const readOtherwise = ['active', 'email', 'phone', 'address.country'];

function knownText(name: string, known: unknown): string {
  const { unitPrice, currency } = Object(known);
  if (name === 'unitPrice' && typeof unitPrice === 'number') return money(unitPrice, currency);
  const value = name.split('.').reduce((object: unknown, step) => Object(object)[step], known);
  return String(value ?? '');
}
