// An API key: the schemas of requests and responses.
import { scopes } from '../../auth/access.ts';
import { daySeconds } from '../../base/durations.ts';
import { invalidAt } from '../../problem.ts';
import { id, sentTimestamp, singleLine, timestamp } from '../../schema/members.ts';
import { toTime } from '../../schema/rfc3339.ts';
import { array, named, nullable, object, oneOf, optional, string, type Infer } from '../../schema/schema.ts';

const keySecondsDefault = 365 * daySeconds;

const name = singleLine(100, 'What the key is for.', 'till 3');
const scope = named('Scope', oneOf(scopes));
const scopeList = array(scope, {
  minItems: 1,
  maxItems: scopes.length,
  uniqueItems: true,
  description: 'What the key may do; never more than its user may.',
});
const members = {
  id,
  name,
  scopes: scopeList,
  createdAt: timestamp,
  expiresAt: nullable(timestamp, { description: 'null: the key does not expire.' }),
  lastUsedAt: nullable(timestamp, { description: 'Up to a minute late; null: not used yet.' }),
  prefix: string({
    maxLength: 40,
    pattern: '^ord_\\d+_',
    description: 'The first characters of the key, to recognize it.',
    examples: ['ord_4_yT5a'],
  }),
};

export const Key = named('Key', object(members));
export type Key = Infer<typeof Key>;

export const NewKey = named(
  'NewKey',
  object(
    {
      name,
      scopes: scopeList,
      expiresAt: optional(
        nullable(sentTimestamp, {
          description: 'One year from now by default; null for a key that does not expire.',
          examples: ['2099-12-31T23:59:59.000Z'],
        }),
      ),
    },
    { examples: [{ name: 'till 3', scopes: ['orders:read', 'orders:write'] }] },
  ),
);
export type NewKey = Infer<typeof NewKey>;

export const CreatedApiKey = named(
  'CreatedApiKey',
  object({
    ...members,
    key: string({
      maxLength: 80,
      pattern: '^ord_\\d+_[A-Za-z0-9_-]{43}$',
      description: 'The key, shown only once.',
      examples: ['ord_4_yT5aK0vJ2yQwq7Zt1b9RmC5uHhE8sLdP4aFgTiYoV6X'],
    }),
  }),
);
export type CreatedApiKey = Infer<typeof CreatedApiKey>;

/** The time at which the key expires, in milliseconds since 1970, or null. Throws if it has passed. */
export function requireExpiry({ expiresAt }: NewKey, now: number): number | null {
  if (expiresAt === undefined) return now + keySecondsDefault * 1000;
  if (expiresAt === null) return null;
  const time = toTime(expiresAt);
  if (time <= now) throw invalidAt('/expiresAt', 'minimum', 'expiresAt must be in the future.');
  return time;
}
