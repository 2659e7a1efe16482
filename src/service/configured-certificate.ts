// The certificate that --tls-cert and --tls-key name: reads and checks it, and warns of what clients would
// reject.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { hostOf } from '../base/addresses.ts';
import { dayMilliseconds } from '../base/durations.ts';
import { isSystemError, systemErrorText } from '../base/system-error.ts';
import { ConfigError } from '../config/command-error.ts';
import type { Config } from '../config/config.ts';
import type { Certificate } from '../http/connections/http-server.ts';

type PairFiles = { readonly cert: string; readonly key: string };

/** Reads the certificate. Throws ConfigError, whose message says what would be right. */
export function readConfiguredCertificate(files: PairFiles): Certificate {
  try {
    const certificate = { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') };
    rejectOtherForms(files, certificate);
    // keys of different types would be accepted together below, and then every handshake would fail
    if (!new X509Certificate(certificate.cert).checkPrivateKey(createPrivateKey(certificate.key)))
      throw new Error('the key does not belong to the first certificate in the file');
    createSecureContext(certificate); // throws if a certificate of the chain, or the key, can't be used
    return certificate;
  } catch (error) {
    throw new ConfigError([
      `the certificate in ${files.cert} with the key in ${files.key} can't be used: ${reasonOf(error)}`,
    ]);
  }
}

const certificateStart = '-----BEGIN CERTIFICATE-----';
const keyStart = /-----BEGIN (?:RSA |EC )?PRIVATE KEY-----/;

/** Rejects other forms of files, for which OpenSSL's messages don't name the file. */
function rejectOtherForms(
  files: PairFiles,
  { cert, key }: { readonly cert: string; readonly key: string },
): void {
  if (!cert.includes(certificateStart)) {
    const advice = key.includes(certificateStart)
      ? `, but ${files.key} has: are the two interchanged?`
      : ': it must be a certificate chain in PEM';
    throw new Error(`${files.cert} has no "${certificateStart}"${advice}`);
  }
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(key))
    throw new Error(
      `${files.key} is encrypted, and the service can't ask for the passphrase: ` +
        '"openssl pkey -in FILE -out NEWFILE" decrypts it',
    );
  if (!keyStart.test(key))
    throw new Error(`${files.key} has no "-----BEGIN PRIVATE KEY-----": it must be a private key in PEM`);
}

function reasonOf(error: unknown): string {
  if (isSystemError(error)) return `${error.path ?? 'it'} ${systemErrorText(error)}`;
  return error instanceof Error ? error.message : String(error);
}

/** Returns a sentence for each reason why clients would reject the certificate. */
export function certificateWarnings({ tls, publicUrl }: Config, now: number): string[] {
  if (tls.mode !== 'files') return [];
  const certificate = new X509Certificate(readFileSync(tls.cert));
  const { validFromDate, validToDate } = certificate;
  const warnings: string[] = [];
  const what = `The certificate in ${tls.cert}`;
  if (now >= validToDate.getTime())
    warnings.push(`${what} expired on ${dateOf(validToDate)}: clients reject it.`);
  else if (now >= validToDate.getTime() - endSoonMilliseconds(certificate))
    warnings.push(`${what} expires on ${dateOf(validToDate)}: then clients reject it.`);
  if (now < validFromDate.getTime())
    warnings.push(`${what} is valid from ${dateOf(validFromDate)}: until then clients reject it.`);
  const host = publicUrl === '' ? undefined : hostOf(new URL(publicUrl));
  if (host !== undefined && !isFor(certificate, host))
    warnings.push(`${what} is not for ${host}, the host of --public-url: clients reject it.`);
  return warnings;
}

/** Certificates are renewed before the last third of their time, or the last 30 days; half of that is late. */
function endSoonMilliseconds({ validFromDate, validToDate }: X509Certificate): number {
  return Math.min(14 * dayMilliseconds, (validToDate.getTime() - validFromDate.getTime()) / 6);
}

function isFor(certificate: X509Certificate, host: string): boolean {
  return (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
}

function dateOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
