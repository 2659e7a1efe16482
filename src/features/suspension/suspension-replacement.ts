// The body that suspends a user: its schema and its issues.
import { id, readOnlyIssues, sentTimestamp } from '../../schema/members.ts';
import { named, object, optional, type Infer, type Issue } from '../../schema/schema.ts';
import { reason, type Suspension } from '../users/suspension.ts';

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
