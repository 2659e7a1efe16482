// What the list of orders shows beside search and status: by day, customer, currency and payment, and in which order.
// All of it is in the URL.
import type { Customer } from '../parts/api-types.ts';
import { fill, h } from '../parts/elements.ts';
import { paymentNames } from '../parts/column-names.ts';
import { addDays, currencies, dayOf } from '../parts/formats.ts';
import { choice, dayInput } from '../parts/forms.ts';
import { t } from '../parts/texts.ts';
import { type Page, setParameter } from '../parts/view.ts';

type Options = readonly (readonly [value: string, label: string])[];

const sorts: Options = [
  ['', t('Newest first')],
  ['createdAt', t('Oldest first')],
  ['-updatedAt', t('Last changed first')],
  ['-total', t('Highest total first')],
  ['total', t('Lowest total first')],
];

/** Returns the parameters of the API for the filters in the URL. */
export function orderFilter(
  parameters: URLSearchParams,
): Readonly<Record<string, string | null | undefined>> {
  const [since, until] = [dayOf(parameters.get('since')), dayOf(parameters.get('until'))];
  return {
    status: parameters.get('status'),
    customerId: parameters.get('customer'),
    currency: parameters.get('currency'),
    payment: parameters.get('payment'),
    createdFrom: since?.toISOString(),
    createdBefore: until === undefined ? undefined : addDays(until, 1).toISOString(),
  };
}

/** The filters that the bar shows, beside the status. */
const names = ['since', 'until', 'customer', 'currency', 'payment'] as const;

/** Returns how many filters are set, beside the status. */
export function filtersIn(parameters: URLSearchParams): number {
  return names.filter((name) => parameters.has(name)).length;
}

type FilterBar = {
  readonly element: HTMLElement;
  /** Called when the words of the search have changed: a search has its own order. */
  readonly onWords: () => void;
};

/** `onChange` is called when the URL has changed. */
export function filterBar(page: Page, onChange: () => void): FilterBar {
  const { parameters } = page;
  const change = (name: string, value: string): void => {
    setParameter(page, name, value);
    showCount();
    onChange();
  };
  const day = (name: 'since' | 'until', label: string): HTMLElement =>
    labelled(
      name,
      label,
      dayInput(parameters.get(name), (value) => change(name, value)),
    );
  const select = (name: string, label: string, options: Options): HTMLElement => {
    const control = choice(options, parameters.get(name) ?? '');
    control.addEventListener('change', () => change(name, control.value));
    return labelled(name, label, control);
  };
  const all = ['', t('All')] as const;
  const codes = [...new Set([...currencies(), ...parameters.getAll('currency')])];
  const sort = select('sort', t('Sorted by'), sorts);
  const customer = parameters.get('customer');
  const choices = [
    day('since', t('From')),
    day('until', t('To')),
    customer !== null &&
      select('customer', t('Customer'), [all, [customer, t('Customer {id}', { id: customer })]]),
    select('currency', t('Currency'), [all, ...codes.map((code) => [code, code] as const)]),
    select('payment', t('Payment'), [all, ...Object.entries(paymentNames)]),
    sort,
  ];
  const summary = h('summary');
  const clear = h('a.button', { href: '#/orders' }, t('Clear'));
  const isSet = (): boolean => filtersIn(parameters) > 0 || parameters.has('sort');
  const showCount = (): void => {
    const count = filtersIn(parameters);
    fill(summary, count === 0 ? t('Filter and sort') : t('Filter and sort ({count})', { count }));
    clear.hidden = !isSet();
  };
  const onWords = (): void => void (sort.hidden = parameters.has('q'));
  const element = h('details.filters', { open: isSet() }, summary, h('div', choices, clear));
  showCount();
  onWords();
  void nameCustomer(page, element);
  return { element, onWords };
}

function labelled(name: string, label: string, control: HTMLElement): HTMLElement {
  control.dataset['key'] = name;
  control.id = `filter-${name}`;
  return h('div', h('label', { for: control.id }, label), control);
}

/** The page of a customer leads to their orders with their number. */
async function nameCustomer({ client, parameters, signal }: Page, bar: HTMLElement): Promise<void> {
  const id = parameters.get('customer');
  const option = bar.querySelector('[data-key="customer"] option:last-child');
  if (id === null || option === null) return;
  const path = `/customers/${encodeURIComponent(id)}`;
  const found = await client.get<Customer>(path, signal).catch(() => undefined);
  if (found !== undefined) fill(option, found.name);
}
