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
  'session.created': 'began',
  'session.ended': 'ended',
  'session.reused': 'ended: an old token was used',
};

/** Describes an event: `/orders/7` and `order.paid` become `Order 7 paid`. */
export function eventText({ type, subject }: ServiceEvent): string {
  const [, kind = '', id = ''] = /(\w+)(?:\/(\d+)|\?.*)?$/.exec(subject) ?? [];
  const name = objectNames[kind] ?? kind;
  const happening = eventVerbs[type] ?? type.slice(type.indexOf('.') + 1);
  return `${name}${id === '' ? 's' : ` ${id}`} ${happening}`;
}

/** Returns the link to the view of the event's subject; undefined without a view, or if it was deleted. */
export function hrefOf({ type, subject }: ServiceEvent): string | undefined {
  if (type.endsWith('.deleted')) return undefined;
  const [, kind, id] = /^\/(?:api\/)?(orders|customers|users)\/(\d+)$/.exec(subject) ?? [];
  if (kind === undefined) return undefined;
  return `#/${kind === 'users' ? 'people' : kind}/${id}`;
}
