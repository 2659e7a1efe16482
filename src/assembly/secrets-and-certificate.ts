// The files beside the database: the secret that signs tokens, and the certificate.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Certificate } from '../http/http-server.ts';
import { secretBytesMin } from '../limits.ts';
import { replacePrivate } from '../storage/private-files.ts';
import { StorageError, toStorageError } from '../storage/storage-error.ts';
import { readConfiguredCertificate } from './configured-certificate.ts';
import { ensureOwnCertificate } from './own-certificate.ts';

/** `created` describes each new file, in words that follow "Created". */
type EnsuredSecrets = { readonly secrets: readonly Uint8Array[]; readonly created: readonly string[] };

/** Returns the configured secrets, or the one that the first start created. */
export function ensureSecrets({ jwtSecrets, data }: Config): EnsuredSecrets {
  if (jwtSecrets.length > 0) return { secrets: jwtSecrets.map((secret) => Buffer.from(secret)), created: [] };
  const file = join(data, 'secret.key');
  try {
    const isMissing = !existsSync(file);
    if (isMissing) replacePrivate(file, `${randomBytes(secretBytesMin).toString('base64url')}\n`);
    const secret = Buffer.from(readFileSync(file, 'utf8').trim());
    if (secret.length < secretBytesMin)
      throw new StorageError(
        `${file} is damaged: delete it to get a new one; all users have to sign in again.`,
      );
    return { secrets: [secret], created: isMissing ? [`a secret that signs tokens: ${file}`] : [] };
  } catch (error) {
    throw toStorageError(error, file);
  }
}

/** The certificate is undefined without TLS. */
type EnsuredCertificate = {
  readonly certificate: Certificate | undefined;
  readonly created: readonly string[];
};

export function ensureCertificate(config: Config, now: number): EnsuredCertificate {
  switch (config.tls.mode) {
    case 'off':
      return { certificate: undefined, created: [] };
    case 'files':
      return { certificate: readConfiguredCertificate(config.tls), created: [] };
    case 'self-signed':
      return ensureOwn(config, now);
  }
}

function ensureOwn(config: Config, now: number): EnsuredCertificate {
  try {
    const { pair, created } = ensureOwnCertificate(config, now);
    return { certificate: { cert: pair.certPem, key: pair.keyPem }, created };
  } catch (error) {
    throw toStorageError(error, join(config.data, 'tls'));
  }
}
