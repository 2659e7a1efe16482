// One search over orders, customers and products, from every page: the best of each, and Enter opens the first. In a sale
// products come first, and one that is chosen becomes an item.
import { query } from '../service/api-client.ts';
import type { List, Order, Product } from '../words/api-types.ts';
import { combobox, type Found, type FoundGroup } from '../forms/combobox.ts';
import { customerSearch } from '../customers/customer-search.ts';
import { openDialog } from '../forms/dialogs.ts';
import { money } from '../words/formats.ts';
import { isBarcode } from '../words/gtin.ts';
import { statusTitle } from '../words/statuses.ts';
import { type App, goTo, isStaff } from '../page/view.ts';
import { t } from '../words/texts.ts';

const foundOfKindMax = 5;

/** Does nothing while a dialog is open. */
export function openQuickSearch(app: App, others: HTMLElement): void {
  if (document.querySelector('dialog') !== null) return;
  const isSale = document.querySelector('main form[data-scans]') !== null;
  const open = (path: string): void => {
    dialog.close();
    goTo(path);
  };
  const choose = (product: Product): void => {
    if (!isSale || !product.active) return open(`/products?${query({ q: product.sku })}`);
    dialog.close();
    app.scans.hold(product);
    app.scans.deliver();
  };
  const { control, list } = combobox({
    label: t('Search orders, customers and products'),
    placeholder: t('Number, name, phone, item, SKU …'),
    lookUp: (q, signal) => lookUpAll(app, q, { isSale, open, choose, signal }),
  });
  control.dataset['scan'] = 'search';
  const dialog = openDialog(t('Search'), [control, list, others], () => {});
  dialog.classList.add('quick-search');
  control.focus();
}

type LookUp = {
  readonly isSale: boolean;
  readonly open: (path: string) => void;
  readonly choose: (product: Product) => void;
  readonly signal: AbortSignal;
};

/** Fails only if all do: one of them may be overloaded, or not for this role. */
async function lookUpAll(app: App, q: string, lookUp: LookUp): Promise<readonly FoundGroup[]> {
  const { client } = app;
  const { isSale, open, choose, signal } = lookUp;
  const find = async <T>(path: string, others: object, found: (one: T) => Found): Promise<Found[]> => {
    const parameters = query({ q, limit: foundOfKindMax, ...others });
    return (await client.get<List<T>>(`${path}?${parameters}`, signal)).data.map(found);
  };
  const customers = customerSearch(client, foundOfKindMax, ({ id }) => open(`/customers/${id}`))(q, signal);
  const orders = find<Order>('/orders', { include: 'customer' }, (order) => {
    const { id, customer, status, total, currency } = order;
    const name = [`#${id}`, customer?.name].filter(Boolean).join(' ');
    const about = `${statusTitle(status, [order])} · ${money(total, currency)}`;
    return { id: `order-${id}`, name, about, choose: () => open(`/orders/${id}`) };
  });
  const searches: [string, Promise<readonly Found[]>][] = [
    [t('Customers'), customers],
    [t('Orders'), orders],
  ];
  if (/^#?\d+$/.test(q)) searches.reverse(); // most numbers are of orders
  if (isStaff(app)) {
    const products = find<Product>('/products', {}, (product) => {
      const { id, name, sku, unitPrice, currency } = product;
      const about = `${sku} · ${money(unitPrice, currency)}`;
      return { id: `product-${id}`, name, about, choose: () => choose(product) };
    });
    searches.splice(isSale || isBarcode(q) ? 0 : 2, 0, [t('Products'), products]);
  }
  const groups = searches.map(async ([label, found]) => ({ label, found: await found }));
  const answered = (await Promise.allSettled(groups)).filter((each) => each.status === 'fulfilled');
  if (answered.length === 0) throw new Error('nothing was answered');
  return answered.map(({ value }) => value);
}
