// What the list of orders shows beside search and status: by day, customer, currency and payment, and in which order.
// All of it is in the URL.
import type { Customer } from '../words/api-types.ts';
import { fill, h } from '../browser/elements.ts';
import { paymentNames } from '../words/column-names.ts';
import { currencies, dayOf, shopDays } from '../words/formats.ts';
import { choice, dayInput } from '../forms/forms.ts';
import { t } from '../words/texts.ts';
import { type Page, setParameter } from '../page/view.ts';

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
    createdBefore: until === undefined ? undefined : shopDays().startOfDay(until, 1).toISOString(),
  };
}

/** The filters that the bar shows, beside the status. */
const names = ['since', 'until', 'customer', 'currency', 'payment'] as const;

/** Returns how many filters are set, beside the status. */
export function filtersIn(parameters: URLSearchParams): number {
  return names.filter((name) => parameters.has(name)).length;
}

/** `onChange` is called when the URL has changed. */
export function filterBar(page: Page, onChange: () => void) {
  const { parameters } = page;
  const summary = h('summary');
  const clear = h('a.button', { href: '#/orders' }, t('Clear'));
  const change = (name: string, value: string): void => {
    setParameter(page, name, value);
    show();
    onChange();
  };
  /** Without options it is a day. */
  const filter = (name: string, label: string, options?: Options): HTMLElement => {
    const value = parameters.get(name) ?? '';
    const set = (chosen: string): void => change(name, chosen);
    const control = options === undefined ? dayInput(value, set) : choice(options, value);
    if (options !== undefined) control.addEventListener('change', () => set(control.value));
    control.dataset['key'] = name;
    control.id = `filter-${name}`;
    return h('div', h('label', { for: control.id }, label), control);
  };
  const all = ['', t('All')] as const;
  const codes = [...new Set([...currencies(), ...parameters.getAll('currency')])];
  const id = parameters.get('customer');
  const sort = filter('sort', t('Sorted by'), sorts);
  const filters = [
    filter('since', t('From')),
    filter('until', t('To')),
    id !== null && filter('customer', t('Customer'), [all, [id, t('Customer {id}', { id })]]),
    filter('currency', t('Currency'), [all, ...codes.map((code) => [code, code] as const)]),
    filter('payment', t('Payment'), [all, ...Object.entries(paymentNames)]),
    sort,
  ];
  const isSet = (): boolean => filtersIn(parameters) > 0 || parameters.has('sort');
  function show(): void {
    const count = filtersIn(parameters);
    fill(summary, count === 0 ? t('Filter and sort') : t('Filter and sort ({count})', { count }));
    clear.hidden = !isSet();
    sort.hidden = parameters.has('q'); // a search has its own order
  }
  const element = h('details.filters', { open: isSet() }, summary, h('div', filters, clear));
  show();
  void nameCustomer(page, element);
  return { element, show };
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
