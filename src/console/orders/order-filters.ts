// What the list of orders shows: by status, day, customer, currency and payment, and in which order. All of it is in the URL.
import type { Customer } from '../parts/api-types.ts';
import { combobox } from '../parts/combobox.ts';
import { customerSearch } from '../customers/customer-search.ts';
import { fill, h } from '../parts/elements.ts';
import { addDays, currencies, dayOf, paymentNames } from '../parts/formats.ts';
import { choice, dayInput } from '../parts/forms.ts';
import type { Page } from '../parts/view.ts';
import { t } from '../parts/texts.ts';

const sorts = [
  ['', t('Newest first')],
  ['createdAt', t('Oldest first')],
  ['-updatedAt', t('Last changed first')],
  ['-total', t('Highest total first')],
  ['total', t('Lowest total first')],
] as const;

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

const filterFoundMax = 6;

/** The filters that the bar shows, beside the status. */
const names = ['since', 'until', 'customer', 'currency', 'payment'] as const;

/** Returns whether a filter is set, beside the status. */
export function isFiltered(parameters: URLSearchParams): boolean {
  return names.some((name) => parameters.has(name));
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
    if (value === '') parameters.delete(name);
    else parameters.set(name, value);
    parameters.delete('cursor');
    history.replaceState(history.state, '', `#/orders?${parameters}`);
    showCount();
    onChange();
  };
  const day = (name: 'since' | 'until', label: string): HTMLElement => {
    const input = dayInput(parameters.get(name), (value) => change(name, value));
    input.dataset['key'] = name;
    return labelled(label, input);
  };
  const select = (
    name: string,
    label: string,
    options: readonly (readonly [string, string])[],
  ): HTMLElement => {
    const control = choice(options, parameters.get(name) ?? '');
    control.dataset['key'] = name;
    control.addEventListener('change', () => change(name, control.value));
    return labelled(label, control);
  };
  const summary = h('summary');
  const showCount = (): void => {
    const count = names.filter((name) => parameters.has(name)).length;
    fill(summary, count === 0 ? t('Filter and sort') : t('Filter and sort ({count})', { count }));
    clear.hidden = count === 0 && !parameters.has('sort');
  };
  const clear = h('a.button', { href: '#/orders' }, t('Clear'));
  const used = new Set([parameters.get('currency') ?? '', ...currencies()]);
  const all = [...used].filter((code) => code !== '').map((code) => [code, code] as const);
  const sort = select('sort', t('Sorted by'), sorts);
  const onWords = (): void => {
    sort.hidden = parameters.has('q');
  };
  const element = h(
    'details.filters',
    { open: isFiltered(parameters) || parameters.has('sort') },
    summary,
    h(
      'div',
      day('since', t('From')),
      day('until', t('To')),
      customerFilter(page, change),
      select('currency', t('Currency'), [['', t('All')], ...all]),
      select('payment', t('Payment'), [['', t('All')], ...Object.entries(paymentNames)]),
      sort,
      clear,
    ),
  );
  showCount();
  onWords();
  return { element, onWords };
}

function labelled(label: string, control: HTMLElement): HTMLElement {
  control.id = `filter-${control.dataset['key']}`;
  return h('div', h('label', { for: control.id }, label), control);
}

/** The URL has the id: the name is looked up. */
function customerFilter(page: Page, change: (name: string, value: string) => void): HTMLElement {
  const { client, parameters, signal } = page;
  const label = t('Customer');
  const search = customerSearch(client, filterFoundMax, choose);
  const { control, list } = combobox({
    label,
    placeholder: t('All'),
    lookUp: async (q, searching) => [{ label: t('Customers'), found: await search(q, searching) }],
  });
  control.dataset['key'] = 'customer';
  function choose({ id, name }: Pick<Customer, 'id' | 'name'>): void {
    control.value = name;
    control.blur();
    change('customer', String(id));
  }
  control.addEventListener('change', () => {
    if (control.value.trim() === '' && parameters.has('customer')) change('customer', '');
  });
  const id = parameters.get('customer');
  if (id !== null) {
    control.value = t('Customer {id}', { id });
    const named = client.get<Customer>(`/customers/${encodeURIComponent(id)}`, signal);
    named.then(({ name }) => (control.value = name)).catch(() => undefined);
  }
  return h('div.customer-filter', labelled(label, control), list);
}
