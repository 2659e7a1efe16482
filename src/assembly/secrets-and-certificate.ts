// What the service stores beside the database: the secret that tokens are signed with, and its certificate.
import { randomBytes } from 'node:crypto';
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

/** The signing secrets: as configured, or one made at the first start. */
export function ensureSecrets({ jwtSecrets, data }: Config, created: string[]): Uint8Array[] {
  if (jwtSecrets.length > 0) return jwtSecrets.map((secret) => Buffer.from(secret));
  const file = join(data, 'secret.key');
  try {
    if (!existsSync(file)) {
      replacePrivate(file, `${randomBytes(secretBytesMin).toString('base64url')}\n`);
      created.push(`a secret that signs tokens: ${file}`);
    }
    const secret = Buffer.from(readFileSync(file, 'utf8').trim());
    if (secret.length < secretBytesMin)
      throw new StorageError(
        `${file} is damaged: delete it to get a new one; all users have to sign in again.`,
      );
    return [secret];
  } catch (error) {
    throw toStorageError(error, file);
  }
}

/** Undefined without TLS; adds descriptions of what it made to `created`. */
export function ensureCertificate(config: Config, now: number, created: string[]): Certificate | undefined {
  switch (config.tls.mode) {
    case 'off':
      return undefined;
    case 'files':
      return readConfigured(config.tls);
    case 'self-signed':
      return readOwn(config, now, created);
  }
}

function readConfigured(files: { readonly cert: string; readonly key: string }): Certificate {
  try {
    const certificate = { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') };
    createSecureContext(certificate); // throws unless they are a pair
    return certificate;
  } catch (error) {
    throw new ConfigError([
      `the certificate in ${files.cert} with the key in ${files.key} can't be used: ${reasonOf(error)}`,
    ]);
  }
}

function readOwn(config: Config, now: number, created: string[]): Certificate {
  try {
    const { certPem, keyPem } = ensureOwnCertificate(config, now, created);
    return { cert: certPem, key: keyPem };
  } catch (error) {
    throw toStorageError(error, join(config.data, 'tls'));
  }
}

function reasonOf(error: unknown): string {
  if (isSystemError(error)) return `${error.path ?? 'it'} ${systemErrorText(error)}`;
  return error instanceof Error ? error.message : String(error);
}
