// One-time codes, a user's second factor: the schemas of requests and responses.
import { id, timestamp } from '../../schema/members.ts';
import { boolean, integer, named, object, string, type Infer } from '../../schema/schema.ts';

export const recoveryCodesMax = 8;

export const code = string({
  minLength: 6,
  maxLength: 40,
  pattern: '^[0-9A-Za-z -]+$',
  mustBe: 'a one-time code or a recovery code',
  writeOnly: true,
  description: 'The six digits that an authenticator app shows, or a recovery code.',
  examples: ['287082'],
});

export const Totp = named(
  'Totp',
  object({
    userId: id,
    isOn: boolean({ description: 'Whether signing in needs a code; false until a code has confirmed it.' }),
    recoveryCodesLeft: integer({ minimum: 0, maximum: recoveryCodesMax, examples: [recoveryCodesMax] }),
    createdAt: timestamp,
  }),
);
export type Totp = Infer<typeof Totp>;
