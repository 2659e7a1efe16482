// What a file would change, and what it has changed: counts, some rows as they will be, and those with a fault.
import type { ApiClient } from '../parts/api-client.ts';
import type { Customer, Product } from '../parts/api-types.ts';
import { card } from '../parts/cards.ts';
import { button, type Child, h } from '../parts/elements.ts';
import { count, countryName, money, typedPrice } from '../parts/formats.ts';
import { undefinedIfMissing } from '../parts/request-errors.ts';
import { saveFile } from '../parts/saved-file.ts';
import { byteOrderMark, rowText, withoutFormulas } from '../parts/table-text.ts';
import { t } from '../parts/texts.ts';
import { isOfService, memberName } from './import-columns.ts';
import type { Table } from './import-file.ts';
import { type Answered, type Fault, type Lines, valuesOf } from './import-rows.ts';

export type Outcome = {
  readonly table: Table;
  readonly lines: Lines;
  readonly answers: readonly Answered[];
};

export function answersOf({ answers }: Outcome, result: Answered['result']): readonly Answered[] {
  return answers.filter((each) => each.problem === undefined && each.result === result);
}

/** Returns the rows that can't be imported, those that were not sent included. */
export function faultyRows({ lines, answers }: Outcome): readonly Fault[] {
  const rejected = answers.flatMap(({ problem, ...row }) =>
    problem === undefined ? [] : { ...row, problem },
  );
  return [...lines.faults, ...rejected].sort((a, b) => a.number - b.number);
}

const rowsNamedMax = 5;

export function summary(outcome: Outcome): HTMLElement {
  const { table, lines, answers } = outcome;
  const { kind, columns } = lines.choices;
  const created = answersOf(outcome, 'created');
  const double =
    kind === 'customers'
      ? t('New, with the e-mail address or phone number of a known customer')
      : t('New, with a SKU that differs from a known one only in zeros');
  const warned = answers.filter(({ warning }) => warning !== undefined).map(({ number }) => count(number));
  const numbers = warned.slice(0, rowsNamedMax).join(', ') + (warned.length > rowsNamedMax ? ' …' : '');
  const leftOut = table.heading.filter(
    (name, index) =>
      columns[index] === '' &&
      !isOfService(name) &&
      table.rows.some(({ cells }) => (cells[index] ?? '').trim() !== ''),
  );
  const facts: readonly (readonly [label: string, value: string | number, kind?: 'issue'])[] = [
    [t('New'), created.length],
    [double, created.filter(({ sameAs }) => sameAs !== undefined).length, 'issue'],
    [t('Changed'), answersOf(outcome, 'changed').length],
    [t('Unchanged'), answersOf(outcome, 'unchanged').length],
    [t('With a fault'), faultyRows(outcome).length, 'issue'],
    [t('Barcodes that may have lost digits, in rows'), numbers, 'issue'],
    [t('Columns with content that are left out'), leftOut.join(', ')],
  ];
  const items = facts.map(([label, value, kindOfFact]) => {
    const text = typeof value === 'number' ? count(value) : value;
    return value !== 0 && value !== '' && h('li', { class: kindOfFact }, `${label}: ${text}`);
  });
  return h('ul', { role: 'status' }, items);
}

type Known = Customer | Product;

const samplesOfKindMax = 5;

/** Some rows as they will be, beside what they replace. */
export async function sampleCard(client: ApiClient, outcome: Outcome, signal: AbortSignal): Promise<Child> {
  const { choices } = outcome.lines;
  const samples = (['changed', 'created'] as const).flatMap((result) =>
    answersOf(outcome, result).slice(0, samplesOfKindMax),
  );
  if (samples.length === 0) return undefined;
  const rows = samples.map(async ({ id = null, cells, number, result }) => {
    const path = `/${choices.kind}/${id}`;
    const known = id === null ? undefined : await client.get<Known>(path, signal).catch(undefinedIfMissing);
    const facts = sampleFacts(valuesOf(cells, choices), known);
    return h('li', rowName(number, result === 'changed' ? t('Changed') : t('New')), h('div', facts));
  });
  return card(t('Some rows, as they will be'), h('ul.rows.samples', await Promise.all(rows)));
}

function sampleFacts(values: ReadonlyMap<string, string>, known: Known | undefined): HTMLElement[] {
  const members = [...values].filter(([name]) => name !== 'currency'); // a price shows it
  return members.map(([name, sent]) => {
    const text = cellText(name, sent, values.get('currency'));
    const before = known === undefined ? text : knownText(name, known);
    // which words are yes, the service knows
    const isSame = known === undefined || name === 'active' || isSameCell(name, text, before);
    const change = [before !== '' && [h('del', before), ' '], h('ins', text)];
    return h('span', h('small.soft', memberName(name)), ' ', isSame ? h('bdi', text) : change);
  });
}

function cellText(name: string, text: string, currency = ''): string {
  if (name === 'unitPrice') return money(typedPrice(text, currency) ?? null, currency);
  // a code that the service will reject is shown as it is
  return name === 'address.country' && /^[A-Z]{2}$/.test(text) ? countryName(text) : text;
}

function knownText(name: string, known: Known): string {
  if (name === 'unitPrice' && 'sku' in known) return money(known.unitPrice, known.currency);
  let value: unknown = known;
  for (const step of name.split('.')) value = Object(value)[step] ?? null;
  return cellText(name, value === null ? '' : String(value));
}

/** The service keeps phone numbers with the country's code. */
function isSameCell(name: string, sent: string, known: string): boolean {
  if (name === 'email') return sent.toLowerCase() === known.toLowerCase();
  if (name !== 'phone') return sent === known;
  const digits = sent.normalize('NFKC').replace('(0)', '').replaceAll(/\D/g, '').replace(/^0+/, '');
  return digits !== '' && known.endsWith(digits);
}

const faultsMax = 100;

/** The faulty rows can be saved with their faults, to be corrected in a spreadsheet. */
export function faultCard(outcome: Outcome): Child {
  const { file, heading, separator } = outcome.table;
  const faults = faultyRows(outcome);
  if (faults.length === 0) return undefined;
  const save = (): void => {
    const cellsOf = (cells: readonly string[]): string[] =>
      heading.map((_, index) => withoutFormulas(cells[index] ?? ''));
    saveFile(`faulty-${file.name}`, [
      byteOrderMark,
      rowText([...cellsOf(heading), t('Fault')], separator),
      ...faults.map(({ cells, problem }) => rowText([...cellsOf(cells), problem], separator)),
    ]);
  };
  const rows = faults.slice(0, faultsMax).map(({ number, cells, problem }) => {
    const beginning = cells.filter((cell) => cell !== '').slice(0, 2);
    return h('li', rowName(number, beginning.join(', ')), h('p.issue', problem));
  });
  const more = faults.length - faultsMax;
  return card(
    t('Rows with a fault'),
    h('ul.rows', rows),
    more > 0 && h('p.soft', t('And {count} more.', { count: count(more) })),
    h('div.buttons', button(t('Save these rows as a file'), save)),
  );
}

function rowName(number: number, text: string): HTMLElement {
  return h('p', h('bdi', h('strong', text)), ' ', h('span.soft', t('Row {row}', { row: count(number) })));
}
