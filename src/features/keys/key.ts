// An API key: its members, and the schemas made of them.
import { scopes, type Scope } from '../../auth/access.ts';
import { daySeconds } from '../../base/durations.ts';
import { invalidAt } from '../../problem.ts';
import { postedIn, shownIn } from '../../resource/resource-members.ts';
import { identity, times } from '../../resource/usual-members.ts';
import { directionIssue, sentTimestamp, singleLine, timestamp } from '../../schema/members.ts';
import { toTime } from '../../schema/rfc3339.ts';
import {
  array,
  growingOneOf,
  named,
  nullable,
  object,
  optional,
  string,
  type Infer,
} from '../../schema/schema.ts';
import * as column from '../../storage/table.ts';

const keySecondsDefault = 365 * daySeconds;

const name = singleLine(100, 'What the key is for.', 'till 3');
const sentName = singleLine(100, 'What the key is for.', 'till 3', directionIssue);
const scopeList = (all: readonly Scope[]) =>
  array(named('Scope', growingOneOf(all)), {
    minItems: 1,
    maxItems: all.length,
    uniqueItems: true,
    description: 'What the key may do; never more than its user may.',
  });
const prefix = string({
  maxLength: 40,
  pattern: '^ord_\\d+_',
  description: 'The first characters of the key, to recognize it.',
  examples: ['ord_4_yT5a'],
});

/** The members of a key that responses show, each declared once (`resource/resource-members.ts`). */
const membersFor = (all: readonly Scope[]) => ({
  ...identity,
  name: { shown: name, sent: sentName, column: column.textColumn() },
  scopes: { shown: scopeList(all), sent: scopeList(all), column: column.wordsColumn<Scope>() },
  createdAt: times.createdAt,
  expiresAt: {
    shown: nullable(timestamp, { description: 'null: the key does not expire.' }),
    sent: optional(
      nullable(sentTimestamp, {
        description: 'One year from now by default; null for a key that does not expire.',
        examples: ['2099-12-31T23:59:59.000Z'],
      }),
    ),
    column: column.nullableColumn(column.timeColumn),
  },
  lastUsedAt: {
    shown: nullable(timestamp, { description: 'Up to a minute late; null: not used yet.' }),
    column: column.nullableColumn(column.timeColumn),
  },
  prefix: { shown: prefix, column: column.textColumn() },
});
export const keyMembers = membersFor(scopes);

export const Key = named('Key', object(shownIn(keyMembers)));
export type Key = Infer<typeof Key>;

/** Returns the schema of the body, for a service whose keys may have these scopes. */
export function newKey(all: readonly Scope[]) {
  const examples = [{ name: 'till 3', scopes: ['orders:read', 'orders:write'] }];
  return named('NewKey', object(postedIn(membersFor(all)), { examples }));
}
export type NewKey = Infer<ReturnType<typeof newKey>>;

export const CreatedApiKey = named(
  'CreatedApiKey',
  object({
    ...shownIn(keyMembers),
    key: string({
      maxLength: 80,
      pattern: '^ord_\\d+_[A-Za-z0-9_-]{43}$',
      description: 'The key, shown only once.',
      examples: ['ord_4_yT5aK0vJ2yQwq7Zt1b9RmC5uHhE8sLdP4aFgTiYoV6X'],
    }),
  }),
);

/** The time at which the key expires, in milliseconds since 1970, or null. Throws if it has passed. */
export function requireExpiry({ expiresAt }: NewKey, now: number): number | null {
  if (expiresAt === undefined) return now + keySecondsDefault * 1000;
  if (expiresAt === null) return null;
  const time = toTime(expiresAt);
  if (time <= now) throw invalidAt('/expiresAt', 'minimum', 'expiresAt must be in the future.');
  return time;
}
