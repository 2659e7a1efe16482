// A suspension of a user: the schemas of requests and responses, and their issues.
import { id, readOnlyIssues, sentTimestamp, singleLine, timestamp } from '../../schema/members.ts';
import { named, nullable, object, optional, type Infer, type Issue } from '../../schema/schema.ts';

const reason = nullable(
  singleLine(200, 'Why, for other administrators. The user never sees it.', 'Laptop stolen'),
);

export const Suspension = named('Suspension', object({ userId: id, createdAt: timestamp, reason }));
export type Suspension = Infer<typeof Suspension>;

export const SuspensionReplacement = named(
  'SuspensionReplacement',
  object(
    { reason: optional(reason), userId: optional(id), createdAt: optional(sentTimestamp) },
    {
      description: 'Read-only members may be sent with their current values.',
      examples: [{ reason: 'Laptop stolen' }],
    },
  ),
);
export type SuspensionReplacement = Infer<typeof SuspensionReplacement>;

/** `current` is undefined if the user isn't suspended yet. */
export function replacementIssues(
  current: Suspension | undefined,
  wanted: SuspensionReplacement,
  userId: number,
): Issue[] {
  if (current !== undefined) return readOnlyIssues(current, wanted, ['userId', 'createdAt']);
  const issues = readOnlyIssues({ userId }, wanted, ['userId']);
  if (wanted.createdAt !== undefined)
    issues.push({ pointer: '/createdAt', code: 'read-only', detail: 'createdAt is read-only: omit it.' });
  return issues;
}
