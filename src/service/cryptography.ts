// The secrets of the service, and the parts whose keys are derived from them: signatures, MACs and encryption.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSigner, secretBytesMin } from '../auth/jwt.ts';
import { createMacs } from '../auth/mac.ts';
import { RefreshTokens } from '../auth/refresh-tokens.ts';
import { SealedSecrets } from '../auth/sealed-secrets.ts';
import type { Config } from '../config/config.ts';
import { createStoredResponses } from '../features/idempotency/stored-response-store.ts';
import { keepPrivate, replacePrivate } from '../storage/private-files.ts';
import { StorageError, toStorageError } from '../storage/storage-error.ts';

/** `created` describes each new file, in words that follow "Created". */
type EnsuredSecrets = { readonly secrets: readonly Uint8Array[]; readonly created: readonly string[] };

/** The text that the service writes. After a power cut the file may have zeros instead, which anybody can guess. */
const secretForm = /^[\w-]{43}$/;

/** Returns the configured secrets, or the secret that the first start created. */
export function ensureSecrets({ jwtSecrets, dataFolder }: Config): EnsuredSecrets {
  if (jwtSecrets.length > 0) return { secrets: jwtSecrets.map((secret) => Buffer.from(secret)), created: [] };
  const file = join(dataFolder, 'secret.key');
  try {
    const isMissing = !existsSync(file);
    if (isMissing) replacePrivate(file, `${randomBytes(secretBytesMin).toString('base64url')}\n`);
    keepPrivate(file);
    const text = readFileSync(file, 'utf8').trim();
    if (!secretForm.test(text))
      throw new StorageError(
        `${file} is damaged: delete it to get a new one; all users have to sign in again.`,
      );
    return {
      secrets: [Buffer.from(text)],
      created: isMissing ? [`a secret that signs tokens: ${file}`] : [],
    };
  } catch (error) {
    throw toStorageError(error, file);
  }
}

/** The first secret signs and encrypts; all secrets verify and decrypt. */
export function createCryptography(secrets: readonly Uint8Array[], publicUrl: string) {
  return {
    signer: createSigner(secrets, publicUrl),
    refreshTokens: new RefreshTokens(secrets),
    sealedSecrets: (purpose: string) => new SealedSecrets(secrets, purpose),
    storedResponses: createStoredResponses(createMacs(secrets, 'fingerprints')),
  };
}
