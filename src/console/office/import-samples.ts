// Some rows of an import as they will be, before anything is written: what is new, and what replaces what.
import type { Customer, Product } from '../parts/api-types.ts';
import { card } from '../parts/cards.ts';
import { type Child, h } from '../parts/elements.ts';
import { count, countryName, money, typedPrice } from '../parts/formats.ts';
import { undefinedIfMissing } from '../parts/request-errors.ts';
import { tableHead } from '../parts/tables.ts';
import { t } from '../parts/texts.ts';
import type { Page } from '../parts/view.ts';
import { memberName } from './import-columns.ts';
import type { ImportPlan, Sample } from './import-run.ts';

type Known = Customer | Product;
type Shown = Sample & { readonly known: Known | undefined };

/** Reads what the rows replace. */
export async function sampleCard(
  { client, signal }: Page,
  { kind, members }: ImportPlan,
  samples: readonly Sample[],
): Promise<Child> {
  if (samples.length === 0) return undefined;
  const shown = await Promise.all(
    samples.map(async (sample): Promise<Shown> => {
      const { id } = sample;
      if (id === null) return { ...sample, known: undefined };
      const known = await client.get<Known>(`/${kind}/${id}`, signal).catch(undefinedIfMissing);
      return { ...sample, known };
    }),
  );
  const names = members.filter((name) => name !== 'currency'); // a price shows it
  const changed = shown.filter(({ result }) => result === 'changed');
  const created = shown.filter(({ result }) => result === 'created');
  const rows = [...changed, ...created].map((sample) => sampleRow(sample, names));
  const head = tableHead([[''], [t('Row'), 'number'], ['']]);
  return card(
    t('Some rows, as they will be'),
    h('div', { class: 'scroller' }, h('table', { class: 'plain samples' }, head, h('tbody', {}, rows))),
  );
}

function sampleRow(sample: Shown, names: readonly string[]): HTMLElement {
  const state = sample.result === 'changed' ? t('Changed') : t('New');
  const facts = names.filter((name) => sample.values.has(name)).map((name) => factOf(name, sample));
  return h(
    'tr',
    {},
    h('th', { scope: 'row' }, state),
    h('td', { class: 'number' }, count(sample.number)),
    h('td', {}, h('div', {}, facts)),
  );
}

function factOf(name: string, { values, known }: Shown): HTMLElement {
  const text = sentText(name, values);
  const before = known === undefined ? undefined : knownText(name, known);
  const label = h('small', { class: 'soft' }, memberName(name));
  // which words are yes, the service knows
  if (before === undefined || name === 'active' || isSame(name, text, before))
    return h('span', {}, label, ' ', h('bdi', {}, text));
  return h('span', {}, label, ' ', before !== '' && [h('del', {}, before), ' '], h('ins', {}, text));
}

function sentText(name: string, values: Sample['values']): string {
  const text = values.get(name) ?? '';
  const currency = values.get('currency') ?? '';
  if (name === 'unitPrice') return money(typedPrice(text, currency) ?? null, currency);
  return name === 'address.country' ? countryText(text) : text;
}

function knownText(name: string, known: Known): string {
  if (name === 'unitPrice' && 'sku' in known) return money(known.unitPrice, known.currency);
  const path = name.split('.');
  let value: unknown = known;
  for (const step of path) value = Object(value)[step] ?? null;
  if (typeof value === 'boolean') return flagText(value);
  const text = value === null ? '' : String(value);
  return name === 'address.country' ? countryText(text) : text;
}

function flagText(isSet: boolean): string {
  return isSet ? t('Yes') : t('No');
}

/** A code that the service will reject is shown as it is. */
function countryText(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? countryName(code) : code;
}

/** The service keeps phone numbers with the country's code. */
function isSame(name: string, sent: string, known: string): boolean {
  if (name === 'email') return sent.toLowerCase() === known.toLowerCase();
  if (name !== 'phone') return sent === known;
  const digits = sent.normalize('NFKC').replace('(0)', '').replaceAll(/\D/g, '').replace(/^0+/, '');
  return digits !== '' && known.endsWith(digits);
}
