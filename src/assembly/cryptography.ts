// Signatures, MACs and encryption: the parts whose keys are derived from the secrets of the service.
import { createSigner } from '../auth/jwt.ts';
import { createMacs } from '../auth/mac.ts';
import { RefreshTokens } from '../auth/refresh-tokens.ts';
import { SealedSecrets } from '../auth/sealed-secrets.ts';
import { createCursors } from '../http/cursor.ts';
import { createStoredResponses } from '../http/stored-response-store.ts';

export type Cryptography = ReturnType<typeof createCryptography>;

/** The first secret signs and encrypts; all of them verify and decrypt. */
export function createCryptography(secrets: readonly Uint8Array[], publicUrl: string) {
  return {
    signer: createSigner({ secrets, issuer: publicUrl, audience: publicUrl }),
    refreshTokens: new RefreshTokens(secrets),
    totpSecrets: new SealedSecrets(secrets, 'totp'),
    webhookSecrets: new SealedSecrets(secrets, 'webhook secrets'),
    cursors: createCursors(createMacs(secrets, 'cursors')),
    storedResponses: createStoredResponses(createMacs(secrets, 'fingerprints')),
  };
}
