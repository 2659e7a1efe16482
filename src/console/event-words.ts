// Events in words, each with a link to the view of its subject.
import type { ServiceEvent } from './api-types.ts';

const objectNames: Readonly<Record<string, string>> = {
  orders: 'Order',
  customers: 'Customer',
  products: 'Product',
  users: 'Account',
  sessions: 'Sign-in',
  keys: 'API key',
  webhooks: 'Webhook',
};
const eventVerbs: Readonly<Record<string, string>> = {
  'order.corrected': 'taken back by one step',
  'session.created': 'began',
  'session.ended': 'ended',
  'session.reused': 'ended: an old token was used',
};

const memberNames: Readonly<Record<string, string>> = {
  email: 'e-mail',
  shippingAddress: 'address',
  userId: 'owner',
  customerId: 'customer',
  sku: 'SKU',
  unitPrice: 'price',
  active: 'whether it is sold',
};
const enumeration = new Intl.ListFormat('en');

/** Describes an event: `/orders/7` and `order.paid` become `Order 7 paid`. */
export function eventText({ type, subject, changes }: ServiceEvent): string {
  const [, kind = '', id = ''] = /(\w+)(?:\/(\d+)|\?.*)?$/.exec(subject) ?? [];
  const name = objectNames[kind] ?? kind;
  const happening = eventVerbs[type] ?? type.slice(type.indexOf('.') + 1);
  const what = type.endsWith('.changed') ? changedMembers(Object.keys(changes)) : '';
  return `${name}${id === '' ? 's' : ` ${id}`} ${happening}${what}`;
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
  if (!/\.(changed|corrected)$/.test(type)) return [];
  const texts = ['status', 'role', 'currency'].flatMap((member) => {
    const [before, after] = pairOf(changes[member]);
    return after === undefined ? [] : [`${capitalized(member)} ${before} → ${after}`];
  });
  if (currency === undefined) return texts;
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
    texts.push(`Total ${money(oldTotal, oldCurrency)} → ${money(total, currency)}`);
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
