// An event: the record of a change, and its schema. It holds no personal data.
import { isDeepStrictEqual } from 'node:util';
import { id, requestIdForm, multiLine, timestamp } from '../../schema/members.ts';
import {
  growingOneOf,
  named,
  nullable,
  object,
  optional,
  pairMap,
  string,
  type Infer,
  type Schema,
} from '../../schema/schema.ts';

/**
 * The kinds of objects that events are about, with the path of the objects and what can happen to them. All features
 * share this list, since events outlive features: recorded events are read and checked even if their feature is left
 * out, and one schema names all types.
 */
const kinds = {
  order: {
    path: '/orders',
    types: ['created', 'changed', 'paid', 'shipped', 'delivered', 'cancelled', 'refunded', 'corrected'],
  },
  customer: { path: '/customers', types: ['created', 'changed', 'deleted', 'erased'] },
  product: { path: '/products', types: ['created', 'changed', 'deleted'] },
  shop: { path: '/shop', types: ['changed'] },
  user: { path: '/api/users', types: ['created', 'changed', 'suspended', 'deleted'] },
  session: { path: '/api/sessions', types: ['created', 'ended', 'reused'] },
  key: { path: '/api/keys', types: ['created', 'removed'] },
  webhook: { path: '/webhooks', types: ['created', 'changed', 'disabled', 'deleted'] },
} as const;

type Kinds = typeof kinds;
type Kind = keyof Kinds;
type BuiltInEventType = { [K in Kind]: `${K}.${Kinds[K]['types'][number]}` }[Kind];
/** What happens to the objects of a declared resource (`resource/declared-resource.ts`). */
type ResourceEventType = `${string}.${'created' | 'changed' | 'deleted' | 'erased'}`;
export type EventType = BuiltInEventType | ResourceEventType;

/**
 * The histories that events belong to: the history of their object; for sessions and keys, of their user. The topic of
 * a declared resource is the name of its table, which its paths begin with.
 */
export type Topic = Exclude<Kind, 'session' | 'key'> | (string & {});

export const eventTypes = Object.entries(kinds).flatMap(([kind, { types }]) =>
  types.map((type) => `${kind}.${type}`),
) as readonly BuiltInEventType[]; // each is a kind with one of its types

/** The topics whose events staff don't see. All others are the shop's, also the topics of declared resources. */
export const topicsForAdmins: readonly Topic[] = ['user', 'webhook'];

/** Returns undefined for the type of a declared resource, which names its topic. */
export function topicOf(type: EventType): Topic | undefined {
  const kind = kindOf(type);
  return kind === 'session' || kind === 'key' ? 'user' : kind;
}

type Subject = { readonly topic: Topic; readonly subjectId: number | null; readonly topicId: number };

/** Returns the path of the changed object; without an id, the path of all sessions or keys of the user. */
export function subjectOf(type: EventType, { topic, subjectId, topicId }: Subject): string {
  const kind = kindOf(type);
  const path = kind === undefined ? `/${topic}` : kinds[kind].path;
  if (topic === 'shop') return path; // there is one
  return subjectId === null ? `${path}?userId=${topicId}` : `${path}/${subjectId}`;
}

function kindOf(type: EventType): Kind | undefined {
  const kind = type.slice(0, type.indexOf('.'));
  return Object.hasOwn(kinds, kind) ? (kind as Kind) : undefined;
}

/** The old and the new value of each changed member; null if the values are not stored. */
export type Changes = Readonly<Record<string, readonly [before: unknown, after: unknown] | null>>;

/**
 * Returns by how much an order's step to this status changes the money received: a payment adds the order's
 * total, a refund or the correction of a payment subtracts it. Returns null for other events.
 */
export function receivedBy(type: EventType, status: unknown, total: number): number | null {
  if (type === 'order.paid') return total;
  const isReturned = type === 'order.refunded' || (type === 'order.corrected' && status === 'open');
  return isReturned ? 0 - total : null;
}

/** Longer JSON isn't stored with an event, so that changes of an order can't fill the disk. */
const valuesCharsMax = 4_096;

/**
 * The members of `after` that differ from those of `before`. An event shows the values of those in
 * `membersInEvents`. Of others, which may be personal data, it shows only the names.
 */
export function changesBetween(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  membersInEvents: readonly string[],
): Changes {
  const changes: Record<string, Changes[string]> = {};
  for (const [name, value] of Object.entries(after)) {
    const was = before[name] ?? null;
    const isSame = Object.is(was, value) || isDeepStrictEqual(was, value); // most are identical
    if (!isSame) changes[name] = membersInEvents.includes(name) ? boundedPair(was, value) : null;
  }
  return changes;
}

function boundedPair(before: unknown, after: unknown): Changes[string] {
  const isShort = !Array.isArray(after) || JSON.stringify([before, after]).length <= valuesCharsMax;
  return isShort ? [before, after] : null;
}

export const reason = multiLine(200, 'Why: stored with the event alone.', 'Paid in cash.');

/** A list of types in a request, from the types of all features. */
export function eventTypeName(types: readonly EventType[]): Schema<EventType> {
  return named('EventType', growingOneOf(types));
}

const eventExample = {
  id: 9,
  type: 'order.paid',
  createdAt: '2026-03-01T09:30:00.000Z',
  subject: '/orders/7',
  actor: { userId: 3, keyId: null },
  requestId: 'till-3.17',
  reason: 'Paid in cash.',
  changes: { status: ['open', 'paid'] },
};

export const Event = named(
  'Event',
  object(
    {
      id,
      type: eventTypeName(eventTypes),
      createdAt: timestamp,
      subject: string({
        maxLength: 100,
        pattern: '^/',
        description: 'The path of what was changed.',
        examples: ['/orders/7'],
      }),
      actor: nullable(
        object({
          userId: id,
          keyId: nullable(id, { description: 'The API key that was used, if one was.' }),
        }),
        {
          description:
            'Who changed it; null if no signed-in caller did: for the command line, the first ' +
            'start, a refresh token that was used again, and a webhook that the service disabled.',
        },
      ),
      requestId: nullable(
        string({
          ...requestIdForm,
          description: 'The X-Request-Id of the request.',
          examples: ['till-3.17'],
        }),
      ),
      reason: nullable(reason),
      changes: pairMap({
        description:
          'What changed, by member: the values before and after for status, payment, currency, items, total and ' +
          'role; null for everything else, and for items of more than 4,096 characters. A creation shows ' +
          'only status, currency, total and role.',
        examples: [{ status: ['open', 'paid'], note: null }],
      }),
      actorName: optional(nullable(multiLine(200, 'The name of the account.', 'Till')), {
        description:
          'Only in pages, with `include=actorName`: the name that the account has now; null without an ' +
          'actor, if the account was deleted, and for other accounts unless the caller is staff.',
      }),
    },
    { examples: [eventExample] },
  ),
);
export type Event = Infer<typeof Event>;

/**
 * The id of the newest event that was removed for its age (0 without one), and the id of the newest event.
 */
export type FeedBounds = { readonly removedUpTo: number; readonly latest: number };
