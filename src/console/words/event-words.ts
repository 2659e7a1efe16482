// Events in words, each with a link to the view of its subject.
import type { EventKind, happenings, ServiceEvent } from './api-types.ts';
import { columnName, valueText } from './column-names.ts';
import { enumeration } from './language.ts';
import { t } from './texts.ts';

const objectNames: Readonly<Record<EventKind, string>> = {
  order: t('Order'),
  customer: t('Customer'),
  product: t('Product'),
  shop: t('Shop'),
  user: t('Account'),
  session: t('Sign-in'),
  key: t('API key'),
  webhook: t('Webhook'),
};

/** What happened, where the type's own word isn't clear. */
const ownWords: Readonly<Record<string, string>> = {
  'order.corrected': t('taken back by one step'),
  'session.created': t('began'),
  'session.reused': t('ended: an old token was used'),
};
type PlainHappening = Exclude<(typeof happenings)[EventKind][number], 'corrected' | 'reused'>;

/** The reason of a step back. It is stored in English, and shown in the reader's language. */
export const mistake = 'It was pressed by mistake.';

/**
 * Describes an event: `/orders/7` and `order.paid` become `Order 7 paid`, with the name of the subject if it is given; a
 * type alone becomes `Order paid`.
 */
export function eventText(
  type: string,
  { subject, changes }: Pick<ServiceEvent, 'subject' | 'changes'> = { subject: '', changes: {} },
  named?: string,
): string {
  const [kind = '', happening = ''] = type.split('.');
  // a page may be older than the service that it was loaded from, and then has no name for a kind
  const name = Object.hasOwn(objectNames, kind) ? objectNames[kind as EventKind] : kind;
  const [, id] = /\/(\d+)$/.exec(subject) ?? [];
  const words = ownWords[type] ?? t(happening as PlainHappening); // the others have words of their own
  // the total changes with the items
  const members = Object.keys(changes).filter((member) => happening === 'changed' && member !== 'total');
  const what = members.length > 0 ? `: ${enumeration.format(members.map(changedMemberName))}` : '';
  return [name, named ?? id, words].filter(Boolean).join(' ') + what;
}

/** A history shows no customer’s number. */
function changedMemberName(member: string): string {
  return columnName(member === 'customerId' ? 'customer.name' : member);
}

/** Describes an order that was placed as paid or delivered, by the last event of that. */
export function saleText({ type, subject }: ServiceEvent): string {
  const id = subject.slice(subject.lastIndexOf('/') + 1);
  return type === 'order.delivered' ? t('Order {id} sold', { id }) : t('Order {id} placed and paid', { id });
}

type Money = (minorUnits: number, currency: string) => string;
type Priced = { readonly quantity: number; readonly name: string; readonly unitPrice: number };

/**
 * Returns the old and the new values that an event of a change shows, a text for each: `Total €7.49 → €20.39`; of a step
 * only the payment, as its name says the rest. Amounts are left out without the currency that the order had after the
 * event.
 */
export function changeTexts(
  { type, changes }: Pick<ServiceEvent, 'type' | 'changes'>,
  money: Money,
  currency?: string,
): string[] {
  // what a shop's name and address were isn't kept: the other values alone would look like all
  if (type === 'shop.changed' && !Object.values(changes).every(Array.isArray)) return [];
  const { items, total, ...others } = changes;
  const isStep = !/\.(changed|corrected)$/.test(type);
  const shown = isStep ? { payment: changes['payment'] } : others;
  const texts = Object.entries(shown).flatMap(([member, change]) => {
    const [before, after] = pairOf(change);
    if (after === undefined) return [];
    if (isStep && before === null) return [t('Payment: {payment}', { payment: valueTextOrNone(after) })];
    return [`${columnName(member)} ${valueTextOrNone(before)} → ${valueTextOrNone(after)}`];
  });
  if (isStep || currency === undefined) return texts;
  const [oldCurrency = currency] = pairOf(changes['currency']) as [string?];
  const [removed = [], added = []] = pairOf(items).map((all, index) => {
    const of = index === 0 ? oldCurrency : currency;
    const textOf = (item: Priced): string => `${item.quantity} × ${item.name}, ${money(item.unitPrice, of)}`;
    return (all as Priced[]).map(textOf); // as the API documents
  });
  texts.push(...removed.filter((text) => !added.includes(text)).map((text) => `− ${text}`));
  texts.push(...added.filter((text) => !removed.includes(text)).map((text) => `+ ${text}`));
  const [oldTotal, newTotal] = pairOf(total) as [number?, number?];
  if (oldTotal !== undefined && newTotal !== undefined)
    texts.push(`${t('Total')} ${money(oldTotal, oldCurrency)} → ${money(newTotal, currency)}`);
  return texts;
}

/** Returns the old and the new value; nothing if the event names only the member. */
function pairOf(change: unknown): readonly unknown[] {
  return Array.isArray(change) ? change : [];
}

function valueTextOrNone(value: unknown): string {
  return value === null ? t('not said') : valueText(value);
}

/** Returns the link to the view of the event's subject; undefined without a view, or if it was deleted. */
export function hrefOf({ type, subject }: ServiceEvent): string | undefined {
  const [, kind, id] = /^\/(?:api\/)?(orders|customers|users)\/(\d+)$/.exec(subject) ?? [];
  if (kind === undefined || type.endsWith('.deleted')) return undefined;
  return `#/${kind === 'users' ? 'people' : kind}/${id}`;
}
