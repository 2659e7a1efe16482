// Events in words, each with a link to the view of its subject.
import type { ServiceEvent } from './api-types.ts';

const objectNames: Readonly<Record<string, string>> = {
  orders: 'Order',
  customers: 'Customer',
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

/** Returns the link to the view of the event's subject; undefined without a view, or if it was deleted. */
export function hrefOf({ type, subject }: ServiceEvent): string | undefined {
  if (type.endsWith('.deleted')) return undefined;
  const [, kind, id] = /^\/(?:api\/)?(orders|customers|users)\/(\d+)$/.exec(subject) ?? [];
  if (kind === undefined) return undefined;
  return `#/${kind === 'users' ? 'people' : kind}/${id}`;
}
