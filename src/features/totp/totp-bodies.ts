// One-time codes while they are set up: the schemas of requests and responses.
import { array, named, object, string, type Infer } from '../../schema/schema.ts';
import { code, recoveryCodesMax } from '../users/totp.ts';

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
