// One-time codes, a user's second factor: the schemas of requests and responses.
import { id, timestamp } from '../../schema/members.ts';
import { array, boolean, integer, named, object, string, type Infer } from '../../schema/schema.ts';

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

export const NewTotp = named(
  'NewTotp',
  object({
    secret: string({
      maxLength: 32,
      pattern: '^[A-Z2-7]+$',
      description: 'In base32, to be typed into an authenticator app; shown only this once.',
      examples: ['GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'],
    }),
    uri: string({
      maxLength: 1_000,
      pattern: '^otpauth://totp/',
      description: 'The same for a QR code.',
      examples: [
        'otpauth://totp/orderly:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=orderly',
      ],
    }),
  }),
);
export type NewTotp = Infer<typeof NewTotp>;

export const TotpConfirmation = named('TotpConfirmation', object({ code }));
export type TotpConfirmation = Infer<typeof TotpConfirmation>;

export const RecoveryCodes = named(
  'RecoveryCodes',
  object({
    recoveryCodes: array(
      string({ maxLength: 32, pattern: '^[a-z2-7-]+$', examples: ['k5qj-7m2c-xw4d-ta3n'] }),
      {
        minItems: recoveryCodesMax,
        maxItems: recoveryCodesMax,
        description: 'Each takes the place of one code, once; shown only now.',
        examples: [
          Array.from(
            { length: recoveryCodesMax },
            (_, index) => `k5qj-7m2c-xw4d-ta3${'abcdefgh'.charAt(index)}`,
          ),
        ],
      },
    ),
  }),
);
export type RecoveryCodes = Infer<typeof RecoveryCodes>;
