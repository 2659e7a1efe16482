// What the service stores beside the database: the secret that tokens are signed with, and its certificate.
import { randomBytes, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { selfSigned } from '../auth/certificate.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Certificate } from '../http/http-server.ts';
import { secretBytesMin } from '../limits.ts';
import { makeFolder, replacePrivate } from '../storage/private-files.ts';
import { StorageError, toStorageError } from '../storage/storage-error.ts';
import { isSystemError, systemErrorText } from '../system-error.ts';

const renewMilliseconds = 30 * 86_400_000;

type CertificateFiles = { readonly cert: string; readonly key: string };

/** The signing secrets: as configured, or one made at the first start. */
export function readSecrets({ jwtSecrets, data }: Config, created: string[]): Uint8Array[] {
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

export function readCertificate(
  { tls, data }: Config,
  now: number,
  created: string[],
): Certificate | undefined {
  if (tls.mode === 'off') return undefined;
  const files =
    tls.mode === 'files' ? tls : { cert: join(data, 'tls', 'cert.pem'), key: join(data, 'tls', 'key.pem') };
  try {
    if (tls.mode === 'self-signed' && !isValidUntil(files.cert, now + renewMilliseconds))
      makeCertificate(files, now, created);
    const certificate = { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') };
    createSecureContext(certificate); // throws unless they are a pair
    return certificate;
  } catch (error) {
    if (error instanceof StorageError) throw error;
    throw new ConfigError([
      `the certificate in ${files.cert} with the key in ${files.key} can't be used: ${reasonOf(error)}`,
    ]);
  }
}

function makeCertificate(files: CertificateFiles, now: number, created: string[]): void {
  const { certPem, keyPem } = selfSigned({ now });
  try {
    makeFolder(dirname(files.cert));
    replacePrivate(files.key, keyPem);
    replacePrivate(files.cert, certPem);
    created.push(`a self-signed certificate: ${files.cert}`);
  } catch (error) {
    if (!isValidUntil(files.cert, now)) throw toStorageError(error, files.cert); // else it still serves
  }
}

/** Whether there is a certificate that is valid until then. */
function isValidUntil(file: string, until: number): boolean {
  return existsSync(file) && new X509Certificate(readFileSync(file)).validToDate.getTime() > until;
}

function reasonOf(error: unknown): string {
  if (isSystemError(error)) return `${error.path ?? 'it'} ${systemErrorText(error)}`;
  return error instanceof Error ? error.message : String(error);
}
