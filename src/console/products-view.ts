// Products: what the shop sells, found as one types, and changed in its row of the list.
import { query } from './api-client.ts';
import type { Issue, List, Product } from './api-types.ts';
import { changedIn, saverOf } from './conflicts.ts';
import { ask, notify } from './dialogs.ts';
import { fill, h } from './elements.ts';
import { count, currencies, defaultCurrency, money, priceIssue, priceText, typedPrice } from './formats.ts';
import { action, checkRow, choice, field, form, textOf, throwIfInvalid } from './forms.ts';
import { csvButton } from './list-file.ts';
import { searchField } from './list-tools.ts';
import { type Column, countNewer, inPlace, newerNotice, pager, table } from './tables.ts';
import { emptyState, type Page, reloadable, type Reload, setPageTitle, skeleton } from './view.ts';
import { numbered, t } from './texts.ts';

/** The product whose row is a form. */
type Edited = { readonly product: Product; readonly etag: string | undefined };
/** `newer` is the number of new products that wait while somebody is about to press a button in the list. */
type ProductList = List<Product> & { readonly newer?: number };

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
  const reload = reloadable<ProductList>(page, list, {
    load: ({ signal }) => client.get<List<Product>>(`/products?${listQuery(parameters)}`, signal),
    draw: (products, again) => {
      const shown = productList(products, { parameters, edit, again });
      if (edited !== undefined) putForm(shown, edited.product.id, changeForm(page, edited, close));
      return shown;
    },
    hold: (shown, loaded) => ({
      ...loaded,
      data: inPlace(shown.data, loaded.data),
      newer: countNewer(shown.data, loaded.data),
    }),
    concerns: ({ subject }) => subject.startsWith('/products/'),
  });
  fill(
    main,
    setPageTitle(
      t('Products'),
      page.user.role === 'admin' && h('a', { class: 'button', href: '#/products/import' }, t('Import …')),
      csvButton(page, () => `/products?${listQuery(parameters)}`, 'products.csv'),
      action(t('Add a product'), () => addProduct(page, reload), { class: 'primary' }),
    ),
    h(
      'div',
      { class: 'toolbar' },
      searchField(page, 'products', { label: t('Name, SKU or barcode'), reload }),
      h('nav', { class: 'tabs', 'aria-label': t('Sold or not') }, tabs(parameters)),
    ),
    list,
  );
}

function listQuery(parameters: URLSearchParams): string {
  const q = parameters.get('q') ?? undefined;
  const active = parameters.get('active') ?? undefined;
  const cursor = q === undefined ? (parameters.get('cursor') ?? undefined) : undefined;
  return query({ q, active, cursor, limit: 50 });
}

function tabs(parameters: URLSearchParams): HTMLElement[] {
  const current = parameters.get('active') ?? '';
  const shown = [
    ['', t('All')],
    ['true', t('Sold now')],
    ['false', t('Not sold now')],
  ] as const;
  return shown.map(([active, label]) =>
    h('a', { href: `#/products?${query({ active })}`, 'aria-current': active === current && 'page' }, label),
  );
}

type ListOptions = {
  readonly parameters: URLSearchParams;
  readonly edit: (id: number) => Promise<void>;
  readonly again: Reload;
};

function productList(
  { data, next, newer = 0 }: ProductList,
  { parameters, edit, again }: ListOptions,
): HTMLElement {
  if (data.length === 0) return noProducts(parameters);
  const kind = numbered(newer, '1 new product – show', '{count} new products – show');
  return h(
    'div',
    {},
    newerNotice(newer, t(kind, { count: count(newer) }), again),
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
  { label: t('Price'), kind: 'number', cell: ({ unitPrice, currency }) => money(unitPrice, currency) },
];

function changeColumn(edit: (id: number) => Promise<void>): Column<Product> {
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
    before: { value: product, etag },
    load: () => client.read<Product>(path),
    send: (version) => client.send('PATCH', path, { body: changedIn(fields.read(), before), etag: version }),
    inWords,
  });
  const remove = async (): Promise<void> => {
    const run = async (): Promise<void> => {
      await client.send('DELETE', path);
      notify(t('{name} was deleted.', { name: product.name }));
      await close();
    };
    const text = t('Orders keep what they had. A product that is only sold out can stay, as not sold now.');
    const content = h('p', {}, text);
    await ask({
      title: t('Delete {name}?', { name: product.name }),
      content,
      submit: t('Delete'),
      isDangerous: true,
      run,
    });
  };
  const cancel = h('button', { type: 'button', onclick: () => void close() }, t('Cancel'));
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

function inWords({ name, sku, barcode, unitPrice, currency, active }: Product): [string, string][] {
  return [
    [t('name'), name],
    [t('SKU'), sku],
    [t('barcode'), barcode ?? t('none')],
    [t('price'), money(unitPrice, currency)],
    [t('sold now'), active ? t('yes') : t('no')],
  ];
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
    this.#name = field({ label: t('Name'), pointer: '/name', value: product?.name ?? null, isWide: true });
    this.#sku = field({ label: t('SKU'), pointer: '/sku', value: product?.sku ?? null });
    this.#barcode = field({ label: t('Barcode'), pointer: '/barcode', value: product?.barcode ?? null });
    this.#price = field({
      label: t('Price'),
      pointer: '/unitPrice',
      value: product === undefined ? null : priceText(product.unitPrice, currency),
      attributes: { inputmode: 'decimal' },
    });
    const codes = currencies.includes(currency) ? currencies : [...currencies, currency];
    const control = choice(
      codes.map((code) => [code, code]),
      currency,
    );
    this.#currency = field({ label: t('Currency'), pointer: '/currency', control });
    this.#active.checked = product?.active ?? true;
    const rows = [this.#name, this.#price, this.#currency, this.#sku, this.#barcode].map(({ row }) => row);
    this.element = h('div', {}, h('div', { class: 'grid' }, rows), checkRow(this.#active, t('Sold now')));
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

  read(): object {
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
