// Events in words, each with a link to the view of its subject.
import type { EventKind, happenings, ServiceEvent } from './api-types.ts';
import { columnName, wordOf } from './column-names.ts';
import { enumeration } from './language.ts';
import { t } from './texts.ts';

/** What one object and many objects of a kind are called. */
const objectNames: Readonly<Record<EventKind, readonly [one: string, many: string]>> = {
  order: [t('Order'), t('Orders')],
  customer: [t('Customer'), t('Customers')],
  product: [t('Product'), t('Products')],
  shop: [t('Shop'), t('Shop')],
  user: [t('Account'), t('Accounts')],
  session: [t('Sign-in'), t('Sign-ins')],
  key: [t('API key'), t('API keys')],
  webhook: [t('Webhook'), t('Webhooks')],
};

/** What happened, where the API's word doesn't say it. */
const ownWords: Readonly<Record<string, string>> = {
  'order.corrected': t('taken back by one step'),
  'session.created': t('began'),
  'session.reused': t('ended: an old token was used'),
};
type PlainHappening = Exclude<(typeof happenings)[EventKind][number], 'corrected' | 'reused'>;

/** The reason of what was a slip of the hand. It is stored in English, and read in the language of the reader. */
export const mistake = 'It was pressed by mistake.';

/** The reason in the reader's language, where the console has given it. */
export function reasonText(reason: string): string {
  return reason === mistake ? t(mistake) : reason;
}

/** Describes an event: `/orders/7` and `order.paid` become `Order 7 paid`. */
export function eventText({ type, subject, changes }: ServiceEvent): string {
  const [, id] = /\/(\d+)$/.exec(subject) ?? [];
  const [one, many] = namesOf(type);
  const what = type.endsWith('.changed') ? changedMembers(Object.keys(changes)) : '';
  return `${id === undefined ? many : `${one} ${id}`} ${happeningOf(type)}${what}`;
}

/** Describes an order that was placed as paid or delivered, by the last event of that. */
export function saleText({ type, subject }: ServiceEvent): string {
  const id = subject.slice(subject.lastIndexOf('/') + 1);
  return type === 'order.delivered' ? t('Order {id} sold', { id }) : t('Order {id} placed and paid', { id });
}

/** Names a type of event: `Order paid`. */
export function typeText(type: string): string {
  const [one] = namesOf(type);
  return `${one} ${happeningOf(type)}`;
}

/** A page may be older than the service that it was loaded from, and then has no name for a kind. */
function namesOf(type: string): readonly [one: string, many: string] {
  const kind = type.slice(0, type.indexOf('.'));
  return Object.hasOwn(objectNames, kind) ? objectNames[kind as EventKind] : [kind, kind];
}

function happeningOf(type: string): string {
  const plain = type.slice(type.indexOf('.') + 1) as PlainHappening; // the others have words of their own
  return ownWords[type] ?? t(plain);
}

function valueInWords(value: unknown): string {
  return value === null ? t('not said') : wordOf(value);
}

/** Without the total, which changes with the items. */
function changedMembers(members: readonly string[]): string {
  const names = members.filter((member) => member !== 'total').map((member) => columnName(member));
  return names.length === 0 ? '' : `: ${enumeration.format(names)}`;
}

/** Members whose changes have texts of their own. */
const pricedMembers = ['items', 'total'];

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
  const members = isStep ? ['payment'] : Object.keys(changes).filter((each) => !pricedMembers.includes(each));
  const texts = members.flatMap((member) => {
    const [before, after] = pairOf(changes[member]);
    if (after === undefined) return [];
    if (isStep && before === null) return [t('Payment: {payment}', { payment: valueInWords(after) })];
    return [`${columnName(member)} ${valueInWords(before)} → ${valueInWords(after)}`];
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

/** Returns the link to the view of the event's subject; undefined without a view, or if it was deleted. */
export function hrefOf({ type, subject }: ServiceEvent): string | undefined {
  if (type.endsWith('.deleted')) return undefined;
  const [, kind, id] = /^\/(?:api\/)?(orders|customers|users)\/(\d+)$/.exec(subject) ?? [];
  if (kind === undefined) return undefined;
  return `#/${kind === 'users' ? 'people' : kind}/${id}`;
}
