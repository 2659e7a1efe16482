// A webhook, an endpoint that receives events: its members, their schemas, and how a change is merged.
import { throwIfInvalid } from '../../problem.ts';
import {
  contentReader,
  postedIn,
  readOnlyNames,
  sentIn,
  shownIn,
  type ContentOf,
} from '../../resource/resource-members.ts';
import { identity, times } from '../../resource/usual-members.ts';
import { readOnlyIssues, sentTimestamp, timestamp } from '../../schema/members.ts';
import {
  array,
  integer,
  named,
  nullable,
  object,
  oneOf,
  optional,
  partial,
  string,
  type Infer,
  type Issue,
  type JsonSchema,
} from '../../schema/schema.ts';
import * as column from '../../storage/table.ts';
import { eventTypeName, eventTypes, type EventType, type FeedBounds } from '../events/event.ts';
import { webhookUrlCharsMax, type WebhookTargets } from './webhook-targets.ts';

export const webhooksMax = 20;

const webhookStatuses = ['enabled', 'paused', 'disabled'] as const;
type WebhookStatus = (typeof webhookStatuses)[number];

const typesOf = (all: readonly EventType[]) =>
  array(eventTypeName(all), {
    minItems: 1,
    maxItems: all.length,
    uniqueItems: true,
    description: 'Which events are delivered.',
    examples: [['order.paid', 'order.refunded']],
  });
const status = named(
  'WebhookStatus',
  oneOf(webhookStatuses, {
    description:
      '`paused` by an administrator, `disabled` by the service: after the last retry, a 410, or if it ' +
      'can’t continue. Set it to `enabled` to continue after `position`, so that nothing is lost.',
  }),
);
const position = integer({
  minimum: 0,
  description:
    'The id of the last event that was delivered or passed over; up to a second behind. Set it back to ' +
    'receive the events after it again, or forward to skip.',
  examples: [812],
});
const lastStatus = nullable(integer({ minimum: 100, maximum: 599 }), {
  description: 'The status of the last response; null before the first, or if none came.',
  examples: [204],
});
const lastError = nullable(string({ maxLength: 300 }), {
  description: 'Why the last delivery failed; null after a success.',
  examples: ['no response in 15 seconds'],
});
const webhookErrorCodes = [
  'status',
  'name-not-found',
  'unreachable',
  'timeout',
  'connection-closed',
  'certificate',
  'address-not-allowed',
  'no-secret',
  'other',
] as const;
export type WebhookErrorCode = (typeof webhookErrorCodes)[number];

const lastErrorCode = nullable(named('WebhookErrorCode', oneOf(webhookErrorCodes)), {
  description:
    'The kind of `lastError`; null after a success. `status`: the response was no 2xx, `lastStatus` says which. ' +
    '`no-secret`: nothing is sent, since the service has lost the secret that signs; the webhook continues ' +
    'with a new one. All others are about the receiver and the way to it.',
  examples: ['timeout'],
});
const shownUrl = string({
  maxLength: webhookUrlCharsMax,
  format: 'uri',
  pattern: '^https?://',
  description: 'Where events are sent, as the URL standard serializes it.',
  examples: ['https://example.com/hook'],
});

/** The members of a webhook, each declared once (`resource/resource-members.ts`); a URL is sent for these targets. */
function membersFor(targets: WebhookTargets | undefined, all: readonly EventType[]) {
  const types = typesOf(all);
  const sentUrl = string({
    minLength: 1,
    maxLength: webhookUrlCharsMax,
    format: 'uri',
    pattern: '^[^\\s]+$',
    mustBe: 'a URL such as https://example.com/hook',
    description:
      'Where to send events: an https URL without user name, password and fragment, whose addresses are ' +
      'public or allowed with --webhook-allow.',
    examples: ['https://example.com/hook'],
    rule: (text) => targets?.issueOf(text),
  });
  return {
    ...identity,
    url: { shown: shownUrl, sent: sentUrl, normal: normalizedUrl, column: column.textColumn() },
    types: { shown: types, sent: types, column: column.wordsColumn<EventType>() },
    status: {
      shown: status,
      posted: null,
      sent: optional(status),
      absent: 'enabled',
      column: column.textColumn<WebhookStatus>(),
      hasValuesInEvents: true,
    },
    position: {
      shown: position,
      posted: null,
      sent: optional(position),
      absent: 0,
      column: column.integerColumn,
    },
    lastStatus: setByService(lastStatus, column.nullableColumn(column.integerColumn)),
    lastAt: timeMember({ description: 'When an event was last sent.' }),
    failingSince: timeMember({
      description:
        'When the first of the deliveries that failed since the last success was sent, or could not be.',
      examples: [null],
    }),
    lastError: setByService(lastError, column.nullableColumn(column.textColumn())),
    lastErrorCode: setByService(lastErrorCode, column.nullableColumn(column.textColumn<WebhookErrorCode>())),
    retryAt: timeMember({
      description: 'When a delivery that failed is tried again; null if none waits for that.',
      examples: [null],
    }),
    createdAt: times.createdAt,
  };
}

function setByService<S extends JsonSchema, C>(shown: S, column: C) {
  return { shown, readOnly: optional(shown), column };
}

/** A time that the service sets, or null. */
function timeMember(notes: { readonly description: string; readonly examples?: readonly unknown[] }) {
  return {
    shown: nullable(timestamp, notes),
    readOnly: optional(nullable(sentTimestamp)),
    column: column.nullableColumn(column.timeColumn),
  };
}

export const webhookMembers = membersFor(undefined, eventTypes);

export const Webhook = named('Webhook', object(shownIn(webhookMembers)));
export type Webhook = Infer<typeof Webhook>;

const secret = string({
  maxLength: 100,
  pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
  description: 'What signatures are made with (Standard Webhooks), shown only once.',
  examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD7zQ0Bz1pbR8='],
});

export const CreatedWebhook = named('CreatedWebhook', object({ ...shownIn(webhookMembers), secret }));

export const WebhookSecret = named(
  'WebhookSecret',
  object({
    secret,
    previousEndsAt: nullable(timestamp, {
      description: 'Until then the previous secret also signs; null if that can no longer be read.',
    }),
  }),
);
export type WebhookSecret = Infer<typeof WebhookSecret>;

type WebhookPatch = Infer<ReturnType<typeof webhookBodies>['WebhookPatch']>;

/** Returns the schemas of bodies, for a service whose webhooks may have these targets. */
export function webhookBodies(targets: WebhookTargets, all: readonly EventType[]) {
  const members = membersFor(targets, all);
  const example = { url: 'https://example.com/hook', types: ['order.paid'] };
  const NewWebhook = named('NewWebhook', object(postedIn(members), { examples: [example] }));
  const patch = {
    description: 'A JSON Merge Patch (RFC 7396). Read-only members may be sent with their current values.',
    examples: [{ status: 'paused' }],
  };
  const WebhookPatch = named('WebhookPatch', partial(object(sentIn(members)), patch));
  return { NewWebhook, WebhookPatch };
}

/** Returns the URL as the URL standard serializes it, so that the stored URL is the checked one. */
function normalizedUrl(url: string): string {
  return new URL(url).href;
}

/** The members that an administrator may set. */
export type WebhookContent = ContentOf<typeof webhookMembers>;

export const webhookContentOf = contentReader(webhookMembers);
const readOnly = readOnlyNames(webhookMembers);

/** Merges a PATCH into the current webhook. Only a URL that was sent is checked. */
export function mergeWebhook(current: Webhook, patch: WebhookPatch, bounds: FeedBounds): WebhookContent {
  const wanted = webhookContentOf({ ...current, ...patch });
  throwIfInvalid([
    ...readOnlyIssues(current, patch, readOnly),
    ...statusIssues(current, wanted),
    ...positionIssues(current, wanted, bounds),
  ]);
  return wanted;
}

function statusIssues(current: Webhook, { status }: WebhookContent): Issue[] {
  if (status !== 'disabled' || current.status === 'disabled') return [];
  const detail = 'status must be enabled or paused: disabled is what the service sets.';
  return [{ pointer: '/status', code: 'enum', detail }];
}

/**
 * Returns the issues of the position. Events after the position may have been removed: enabling the webhook
 * then requires a new position.
 */
function positionIssues(current: Webhook, wanted: WebhookContent, bounds: FeedBounds): Issue[] {
  const { removedUpTo, latest } = bounds;
  const { status, position } = wanted;
  const begins = status === 'enabled' && current.status !== 'enabled';
  if (position === current.position && !begins) return [];
  if (position >= removedUpTo && position <= latest) return [];
  const why = position < removedUpTo ? ': older events were removed' : ', the id of the newest event';
  const detail = `position must be from ${removedUpTo} to ${latest}${why}.`;
  return [{ pointer: '/position', code: position < removedUpTo ? 'minimum' : 'maximum', detail }];
}
