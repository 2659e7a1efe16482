// Events in words, each with a link to the view of its subject.
import type { ServiceEvent } from './api-types.ts';
import { language } from './language.ts';
import { t } from './texts.ts';

/** What one object and many objects of a kind are called. */
const objectNames: Readonly<Record<string, readonly [one: string, many: string]>> = {
  orders: [t('Order'), t('Orders')],
  customers: [t('Customer'), t('Customers')],
  products: [t('Product'), t('Products')],
  users: [t('Account'), t('Accounts')],
  sessions: [t('Sign-in'), t('Sign-ins')],
  keys: [t('API key'), t('API keys')],
  webhooks: [t('Webhook'), t('Webhooks')],
};
const eventVerbs: Readonly<Record<string, string>> = {
  'order.corrected': t('taken back by one step'),
  'session.created': t('began'),
  'session.reused': t('ended: an old token was used'),
};

/** What happens to objects, statuses, payments, and roles. */
const words: Readonly<Record<string, string>> = {
  open: t('open'),
  paid: t('paid'),
  shipped: t('shipped'),
  delivered: t('delivered'),
  cancelled: t('cancelled'),
  refunded: t('refunded'),
  cash: t('cash'),
  card: t('card'),
  transfer: t('transfer'),
  other: t('other'),
  created: t('created'),
  changed: t('changed'),
  deleted: t('deleted'),
  erased: t('erased'),
  removed: t('removed'),
  ended: t('ended'),
  suspended: t('suspended'),
  disabled: t('disabled'),
  user: t('user'),
  staff: t('staff'),
  admin: t('admin'),
};

const memberNames: Readonly<Record<string, string>> = {
  status: t('status'),
  payment: t('payment'),
  role: t('role'),
  currency: t('currency'),
  name: t('name'),
  email: t('e-mail'),
  phone: t('phone'),
  reference: t('own number'),
  address: t('address'),
  shippingAddress: t('address'),
  userId: t('owner'),
  customerId: t('customer'),
  items: t('items'),
  note: t('note'),
  sku: t('SKU'),
  unitPrice: t('price'),
  barcode: t('barcode'),
  active: t('whether it is sold'),
  password: t('password'),
  totp: t('one-time codes'),
  suspension: t('suspension'),
  url: t('address'),
  types: t('events'),
  position: t('position'),
  secret: t('secret'),
};
const enumeration = new Intl.ListFormat(language);

/** Describes an event: `/orders/7` and `order.paid` become `Order 7 paid`. */
export function eventText({ type, subject, changes }: ServiceEvent): string {
  const [, kind = '', id = ''] = /(\w+)(?:\/(\d+)|\?.*)?$/.exec(subject) ?? [];
  const [one, many] = objectNames[kind] ?? [kind, kind];
  const happening = happeningOf(type);
  const what = type.endsWith('.changed') ? changedMembers(Object.keys(changes)) : '';
  return `${id === '' ? many : `${one} ${id}`} ${happening}${what}`;
}

/** Names a type of event: `Order paid`. */
export function typeText(type: string): string {
  const kind = type.slice(0, type.indexOf('.'));
  const [name] = objectNames[`${kind}s`] ?? [kind];
  return `${name} ${happeningOf(type)}`;
}

function happeningOf(type: string): string {
  return eventVerbs[type] ?? inWords(type.slice(type.indexOf('.') + 1));
}

function inWords(word: unknown): string {
  if (word === null) return t('not said');
  return words[String(word)] ?? String(word);
}

/** Without the total, which changes with the items. */
function changedMembers(members: readonly string[]): string {
  const names = members.filter((member) => member !== 'total').map((member) => memberNames[member] ?? member);
  return names.length === 0 ? '' : `: ${enumeration.format(names)}`;
}

type Money = (minorUnits: number, currency: string) => string;
type Priced = { readonly quantity: number; readonly name: string; readonly unitPrice: number };

/**
 * Returns the old and the new values that an event of a change shows, a text for each: `Total €7.49 → €20.39`.
 * Amounts are left out without the currency that the order had after the event.
 */
export function changeTexts(
  { type, changes }: Pick<ServiceEvent, 'type' | 'changes'>,
  money: Money,
  currency?: string,
): string[] {
  const isStep = !/\.(changed|corrected)$/.test(type);
  const members = isStep ? ['payment'] : ['status', 'payment', 'role', 'currency'];
  const texts = members.flatMap((member) => {
    const [before, after] = pairOf(changes[member]);
    return after === undefined
      ? []
      : [`${capitalized(memberNames[member] ?? member)} ${inWords(before)} → ${inWords(after)}`];
  });
  if (isStep || currency === undefined) return texts;
  const [oldCurrency = currency] = pairOf(changes['currency']) as [string?];
  const [oldItems = [], items = []] = pairOf(changes['items']) as [Priced[]?, Priced[]?];
  const textOf = ({ quantity, name, unitPrice }: Priced, of: string): string =>
    `${quantity} × ${name}, ${money(unitPrice, of)}`;
  const removed = oldItems.map((item) => textOf(item, oldCurrency));
  const added = items.map((item) => textOf(item, currency));
  texts.push(...removed.filter((text) => !added.includes(text)).map((text) => `− ${text}`));
  texts.push(...added.filter((text) => !removed.includes(text)).map((text) => `+ ${text}`));
  const [oldTotal, total] = pairOf(changes['total']) as [number?, number?];
  if (oldTotal !== undefined && total !== undefined)
    texts.push(`${t('Total')} ${money(oldTotal, oldCurrency)} → ${money(total, currency)}`);
  return texts;
}

/** Returns the old and the new value; nothing if the event names only the member. */
function pairOf(change: unknown): readonly unknown[] {
  return Array.isArray(change) ? change : [];
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Returns the link to the view of the event's subject; undefined without a view, or if it was deleted. */
export function hrefOf({ type, subject }: ServiceEvent): string | undefined {
  if (type.endsWith('.deleted')) return undefined;
  const [, kind, id] = /^\/(?:api\/)?(orders|customers|users)\/(\d+)$/.exec(subject) ?? [];
  if (kind === undefined) return undefined;
  return `#/${kind === 'users' ? 'people' : kind}/${id}`;
}
