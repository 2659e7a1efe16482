// The files beside the database: the secret that signs tokens, and the certificate.
import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Certificate } from '../http/http-server.ts';
import { secretBytesMin } from '../limits.ts';
import { replacePrivate } from '../storage/private-files.ts';
import { StorageError, toStorageError } from '../storage/storage-error.ts';
import { isSystemError, systemErrorText } from '../system-error.ts';
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
      return { certificate: readConfigured(config.tls), created: [] };
    case 'self-signed':
      return ensureOwn(config, now);
  }
}

function readConfigured(files: { readonly cert: string; readonly key: string }): Certificate {
  try {
    const certificate = { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') };
    createSecureContext(certificate); // throws if a certificate of the chain, or the key, can't be used
    // keys of different types are accepted together there, and then every handshake fails
    if (!new X509Certificate(certificate.cert).checkPrivateKey(createPrivateKey(certificate.key)))
      throw new Error('the key is not that of the certificate');
    return certificate;
  } catch (error) {
    throw new ConfigError([
      `the certificate in ${files.cert} with the key in ${files.key} can't be used: ${reasonOf(error)}`,
    ]);
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

function reasonOf(error: unknown): string {
  if (isSystemError(error)) return `${error.path ?? 'it'} ${systemErrorText(error)}`;
  return error instanceof Error ? error.message : String(error);
}
