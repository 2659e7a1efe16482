// Products: what the shop sells, found as one types, and changed in its row of the list.
import { query } from '../parts/api-client.ts';
import type { Issue, List, Product, ProductContent } from '../parts/api-types.ts';
import { changedIn, saverOf } from '../parts/conflicts.ts';
import { ask, askToDelete, notify } from '../parts/dialogs.ts';
import { button, fill, h } from '../parts/elements.ts';
import { defaultCurrency, money, priceIssue, priceText, typedPrice } from '../parts/formats.ts';
import { action, checkbox, currencyChoice, field, form, textOf, throwIfInvalid } from '../parts/forms.ts';
import { csvButton } from '../parts/list-file.ts';
import { searchField, tabLinks } from '../parts/list-tools.ts';
import { type Column, inPlace, pager, table } from '../parts/tables.ts';
import { emptyState, type Page, reloadable, type Reload, setPageTitle, skeleton } from '../parts/view.ts';
import { t } from '../parts/texts.ts';

/** The product whose row is a form. */
type Edited = { readonly product: Product; readonly etag: string | undefined };

export function productsView(page: Page): void {
  const { main, client, parameters } = page;
  const list = h('div', { class: 'list products' }, skeleton(10));
  let edited: Edited | undefined;
  const edit = async (id: number): Promise<void> => {
    const { value: product, etag } = await client.read<Product>(`/products/${id}`);
    edited = { product, etag };
    await reload();
    list.querySelector('form input')?.scrollIntoView({ block: 'nearest' });
    list.querySelector<HTMLElement>('form input')?.focus();
  };
  const close = async (): Promise<void> => {
    const id = edited?.product.id;
    edited = undefined;
    await reload();
    list.querySelector<HTMLElement>(`[data-key="change-${id}"]`)?.focus();
  };
  const reload = reloadable(page, list, {
    load: ({ signal }) => client.get<List<Product>>(`/products?${listQuery(parameters)}`, signal),
    draw: (products) => {
      const shown = productList(products, parameters, edit);
      if (edited !== undefined) putForm(shown, edited.product.id, changeForm(page, edited, close));
      return shown;
    },
    hold: (shown, loaded) => ({ ...loaded, data: inPlace(shown.data, loaded.data) }),
    concerns: ({ subject }) => subject.startsWith('/products/'),
  });
  const content = h(
    'div',
    { 'data-scans': true },
    h(
      'div',
      { class: 'toolbar' },
      searchField(page, 'products', { label: t('Name, SKU or barcode'), reload }),
      activeTabs(parameters),
    ),
    list,
  );
  content.addEventListener('scan', (event) => {
    if (event instanceof CustomEvent) scanned(String(event.detail));
  });
  /** A scan finds a product; while one is changed it goes to no field but the one that was focused for it. */
  function scanned(code: string): void {
    const search = content.querySelector<HTMLInputElement>('[type="search"]');
    if (edited !== undefined) return notify(t('“{code}” was scanned: first go to its field.', { code }));
    if (search === null) return;
    search.value = code;
    search.dispatchEvent(new Event('input', { bubbles: true }));
  }
  fill(
    main,
    setPageTitle(
      t('Products'),
      page.user.role === 'admin' && h('a', { class: 'button', href: '#/products/import' }, t('Import …')),
      csvButton(page, () => `/products?${listQuery(parameters)}`, 'products.csv'),
      action(t('Add a product'), () => addProduct(page, reload), { class: 'primary' }),
    ),
    content,
  );
}

function listQuery(parameters: URLSearchParams): string {
  const q = parameters.get('q');
  const cursor = q === null ? parameters.get('cursor') : null;
  return query({ q, active: parameters.get('active'), cursor, limit: 50 });
}

function activeTabs(parameters: URLSearchParams): HTMLElement {
  const shown = [
    ['', t('All')],
    ['true', t('Sold now')],
    ['false', t('Not sold now')],
  ] as const;
  return tabLinks(t('Sold or not'), shown, {
    current: parameters.get('active') ?? '',
    href: (active) => `#/products?${query({ active })}`,
  });
}

type Edit = (id: number) => Promise<void>;

function productList({ data, next }: List<Product>, parameters: URLSearchParams, edit: Edit): HTMLElement {
  if (data.length === 0) return noProducts(parameters);
  return h(
    'div',
    {},
    table(t('Products'), [...columns, changeColumn(edit)], data),
    pager(next, { label: t('Pages of products'), parameters, name: 'products' }),
  );
}

function noProducts(parameters: URLSearchParams): HTMLElement {
  if (parameters.has('q'))
    return emptyState(t('Nothing found'), t('Type words of the name, or a whole SKU or barcode.'));
  if (parameters.has('active')) return emptyState(t('None'), t('No product is in this list at the moment.'));
  const text = t('With its SKU or barcode, a product is scanned into an order with its name and price.');
  return emptyState(t('No products yet'), text);
}

const columns: readonly Column<Product>[] = [
  {
    label: t('Name'),
    cell: ({ name, active, sku }) => [
      h('span', { class: active ? 'clip' : 'clip soft', dir: 'auto' }, name),
      h('span', { class: 'phone soft' }, sku),
    ],
  },
  { label: t('SKU'), kind: 'wide', cell: ({ sku }) => h('span', { class: 'clip' }, sku) },
  {
    label: t('Barcode'),
    kind: 'wide',
    cell: ({ barcode }) => h('span', { class: 'clip soft' }, barcode ?? ''),
  },
  {
    label: t('Sold now'),
    kind: 'tight wide',
    cell: ({ active }) =>
      h('span', { class: active ? 'pill enabled' : 'pill paused' }, active ? t('Yes') : t('No')),
  },
  {
    label: t('Price'),
    kind: 'number',
    cell: ({ unitPrice, currency }) => money(unitPrice, currency),
  },
];

function changeColumn(edit: Edit): Column<Product> {
  return {
    label: t('Change'),
    kind: 'tight',
    cell: ({ id, name }) =>
      action(t('Change'), () => edit(id), {
        'data-key': `change-${id}`,
        'aria-label': t('Change {name}', { name }),
      }),
  };
}

/** The form stays if the list is drawn again; a product that has left the list takes it along. */
function putForm(list: HTMLElement, id: number, content: HTMLElement): void {
  const row = list.querySelector(`tr[data-key="${id}"]`);
  if (row !== null) fill(row, h('td', { colspan: columns.length + 1, class: 'in-place' }, content));
}

function changeForm(page: Page, { product, etag }: Edited, close: () => Promise<void>): HTMLElement {
  const { client } = page;
  const path = `/products/${product.id}`;
  const fields = new ProductFields(product);
  const before = fields.read();
  const save = saverOf({
    changed: 'Somebody has changed {members} of this product meanwhile. Nothing was saved yet.',
    client,
    path,
    before: { value: product, etag },
    body: () => changedIn(fields.read(), before),
    inWords,
  });
  const remove = async (): Promise<void> => {
    const run = async (): Promise<void> => {
      await client.send('DELETE', path);
      notify(t('{name} was deleted.', { name: product.name }));
      await close();
    };
    const text = t('Orders keep what they had. A product that is only sold out can stay, as not sold now.');
    await askToDelete(t('Delete {name}?', { name: product.name }), text, run);
  };
  const cancel = button(t('Cancel'), () => void close());
  const body = form(fields.element, {
    submit: t('Save'),
    others: [cancel, action(t('Delete …'), remove)],
    key: path,
    async run() {
      throwIfInvalid(fields.issues());
      await save();
      notify(t('{name} is changed.', { name: fields.name }));
      await close();
    },
  });
  body.addEventListener('keydown', ({ key }) => key === 'Escape' && void close());
  return body;
}

/** The price says its currency. */
function inWords({ name, sku, barcode, unitPrice, currency, active }: Product): [string, string][] {
  const words: Record<Exclude<keyof ProductContent, 'currency'>, [string, string]> = {
    name: [t('name'), name],
    sku: [t('SKU'), sku],
    barcode: [t('barcode'), barcode ?? t('none')],
    unitPrice: [t('price'), money(unitPrice, currency)],
    active: [t('sold now'), active ? t('yes') : t('no')],
  };
  return Object.values(words);
}

async function addProduct({ client }: Page, reload: Reload): Promise<void> {
  const fields = new ProductFields();
  const idempotencyKey = crypto.randomUUID();
  await ask({
    title: t('Add a product'),
    content: fields.element,
    submit: t('Add'),
    async run() {
      throwIfInvalid(fields.issues());
      const { value } = await client.send<Product>('POST', '/products', {
        idempotencyKey,
        body: fields.read(),
      });
      notify(t('{name} is a product now.', { name: value.name }));
      await reload();
    },
  });
}

class ProductFields {
  readonly element: HTMLElement;
  readonly #name;
  readonly #sku;
  readonly #barcode;
  readonly #price;
  readonly #currency;
  readonly #active = h('input', { type: 'checkbox', id: `active-${crypto.randomUUID()}` });

  constructor(product?: Product) {
    const currency = product?.currency ?? defaultCurrency;
    const code = { 'data-scan': 'code' };
    this.#name = field({ label: t('Name'), pointer: '/name', value: product?.name ?? null, isWide: true });
    this.#sku = field({ label: t('SKU'), pointer: '/sku', value: product?.sku ?? null, attributes: code });
    const barcode = product?.barcode ?? null;
    this.#barcode = field({ label: t('Barcode'), pointer: '/barcode', value: barcode, attributes: code });
    this.#price = field({
      label: t('Price'),
      pointer: '/unitPrice',
      value: product === undefined ? null : priceText(product.unitPrice, currency),
      attributes: { inputmode: 'decimal' },
    });
    const control = currencyChoice(currency);
    this.#currency = field({ label: t('Currency'), pointer: '/currency', control });
    this.#active.checked = product?.active ?? true;
    const rows = [this.#name, this.#price, this.#currency, this.#sku, this.#barcode].map(
      ({ element }) => element,
    );
    this.element = h('div', {}, h('div', { class: 'grid' }, rows), checkbox(this.#active, t('Sold now')));
  }

  get name(): string {
    return this.#name.control.value.trim();
  }

  issues(): Issue[] {
    const { value } = this.#price.control;
    const currency = this.#currency.control.value;
    if (typedPrice(value, currency) !== undefined) return [];
    return [{ pointer: '/unitPrice', detail: priceIssue(value, currency) }];
  }

  read(): Record<keyof ProductContent, unknown> {
    const currency = this.#currency.control.value;
    return {
      name: textOf(this.#name) ?? '',
      sku: textOf(this.#sku) ?? '',
      barcode: textOf(this.#barcode),
      unitPrice: typedPrice(this.#price.control.value, currency) ?? 0,
      currency,
      active: this.#active.checked,
    };
  }
}
