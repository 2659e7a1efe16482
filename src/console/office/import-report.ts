// What a file would change, and what it has changed: counts, some rows as they will be, and those with a fault.
import type { Customer, Product } from '../parts/api-types.ts';
import { card } from '../parts/cards.ts';
import { button, type Child, h } from '../parts/elements.ts';
import { count, countryName, money, typedPrice } from '../parts/formats.ts';
import { undefinedIfMissing } from '../parts/request-errors.ts';
import { saveFile } from '../parts/saved-file.ts';
import { byteOrderMark, rowText, type Separator, withoutFormulas } from '../parts/table-text.ts';
import { tableHead } from '../parts/tables.ts';
import { t } from '../parts/texts.ts';
import type { Page } from '../parts/view.ts';
import { memberName } from './import-columns.ts';
import type { Lines } from './import-lines.ts';
import type { Outcome, Sample } from './import-run.ts';

type Report = {
  readonly opened: {
    readonly file: File;
    readonly heading: readonly string[];
    readonly separator: Separator;
  };
  readonly lines: Lines;
  readonly outcome: Outcome;
};

type Shown = {
  readonly title: string;
  readonly buttons: Child;
  /** Shown before the faulty rows. */
  readonly samples?: Child;
};

/** What came of a file, with the buttons that go on from there. */
export function reportCards(report: Report, { title, buttons, samples }: Shown): Child {
  const facts = factsOf(report).filter(([, value]) => value !== '');
  const list = facts.map(([label, value, kind]) => h('li', { class: kind }, `${label}: ${value}`));
  const summary = card(title, h('ul', { role: 'status' }, list), h('div.buttons', buttons));
  return [summary, samples, faultCard(report)];
}

const rowsNamedMax = 5;

function factsOf({ lines, outcome }: Report): (readonly [label: string, value: string, kind?: 'issue'])[] {
  const { created, changed, unchanged, doubles, warned, faults } = outcome;
  const counted = (rows: number): string => (rows === 0 ? '' : count(rows));
  const double =
    lines.kind === 'customers'
      ? t('New, with the e-mail address or phone number of a known customer')
      : t('New, with a SKU that differs from a known one only in zeros');
  const rows = warned.slice(0, rowsNamedMax).map(count).join(', ');
  return [
    [t('New'), counted(created)],
    [double, counted(doubles), 'issue'],
    [t('Changed'), counted(changed)],
    [t('Unchanged'), counted(unchanged)],
    [t('With a fault'), counted(faults.length), 'issue'],
    [
      t('Barcodes that may have lost digits, in rows'),
      warned.length > rowsNamedMax ? `${rows} …` : rows,
      'issue',
    ],
    [t('Columns with content that are left out'), [...lines.leftOut].join(', ')],
  ];
}

type Known = Customer | Product;

/** Some rows as they will be, beside what they replace. */
export async function sampleCard(
  { client, signal }: Page,
  lines: Lines,
  samples: readonly Sample[],
): Promise<Child> {
  if (samples.length === 0) return undefined;
  const ordered = [...samples].sort((a, b) => a.result.localeCompare(b.result)); // what is changed first
  const rows = ordered.map(async (sample) => {
    const { id } = sample;
    const known =
      id === null
        ? undefined
        : await client.get<Known>(`/${lines.kind}/${id}`, signal).catch(undefinedIfMissing);
    return sampleRow(sample, lines.valuesOf(sample), known);
  });
  const head = tableHead([[''], [t('Row'), 'number'], ['']]);
  const table = h('table.plain.samples', head, h('tbody', await Promise.all(rows)));
  return card(t('Some rows, as they will be'), h('div.scroller', table));
}

function sampleRow(
  { result, number }: Sample,
  values: ReadonlyMap<string, string>,
  known: Known | undefined,
): HTMLElement {
  const names = [...values.keys()].filter((name) => name !== 'currency'); // a price shows it
  const facts = names.map((name) => {
    const text = cellText(name, values.get(name) ?? '', values.get('currency'));
    const before = known === undefined ? undefined : knownText(name, known);
    const label = h('small.soft', memberName(name));
    // which words are yes, the service knows
    if (before === undefined || name === 'active' || isSameCell(name, text, before))
      return h('span', label, ' ', h('bdi', text));
    return h('span', label, ' ', before !== '' && [h('del', before), ' '], h('ins', text));
  });
  return h(
    'tr',
    h('th', { scope: 'row' }, result === 'changed' ? t('Changed') : t('New')),
    h('td.number', count(number)),
    h('td', h('div', facts)),
  );
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
function faultCard({ opened, outcome }: Report): Child {
  const { file, heading, separator } = opened;
  const faults = [...outcome.faults].sort((a, b) => a.number - b.number);
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
    return h(
      'tr',
      h('td.number', count(number)),
      h('td', h('bdi', beginning.join(', '))),
      h('td.issue', problem),
    );
  });
  const head = tableHead([[t('Row'), 'number'], [t('Begins with')], [t('Fault')]]);
  const table = h('table.plain.faults', head, h('tbody', rows));
  const more = faults.length - faultsMax;
  return card(
    t('Rows with a fault'),
    h('div.scroller', table),
    more > 0 && h('p.soft', t('And {count} more.', { count: count(more) })),
    h('div.buttons', button(t('Save these rows as a file'), save)),
  );
}
