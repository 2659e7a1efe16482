// The certificate that a running service uses: reloaded on SIGHUP and every hour, and renewed before it expires
// if the service created it.
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { hourMilliseconds } from '../base/durations.ts';
import type { Logger } from '../base/logger.ts';
import type { Config } from '../config/config.ts';
import type { Certificate } from '../http/connections/http-server.ts';
import { toStorageError } from '../storage/storage-error.ts';
import { certificateWarnings, readConfiguredCertificate } from './configured-certificate.ts';
import { ensureOwnCertificate } from './own-certificate.ts';

/** The interval of checks: of the expiry, of the machine's addresses, and of files that were replaced. */
const certificateCheckMilliseconds = hourMilliseconds;

const certificateForm = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g;

type KeeperOptions = {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => number;
  readonly current: Certificate | undefined;
  /** Called with a certificate for new connections. */
  readonly onRenewal: (certificate: Certificate) => void;
};

export class CertificateKeeper {
  readonly #options: KeeperOptions;
  readonly #timer: NodeJS.Timeout | undefined;
  #current: Certificate | undefined;
  #warnings: readonly string[] = [];

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#current = options.current;
    if (options.config.tls.mode !== 'off')
      this.#timer = setInterval(() => this.#refresh(), certificateCheckMilliseconds).unref();
  }

  /** The expiry of the certificate in use, in milliseconds since 1970; undefined without TLS. */
  get notAfter(): number | undefined {
    return this.#current && new X509Certificate(this.#current.cert).validToDate.getTime();
  }

  /**
   * The certificate of the service's own authority, which ends the chain that the service shows; undefined if the
   * service doesn't use its own.
   */
  get authorityPem(): string | undefined {
    if (this.#options.config.tls.mode !== 'self-signed') return undefined;
    return this.#current?.cert.match(certificateForm)?.at(-1);
  }

  reload(): void {
    this.#warnings = [];
    if (this.#current !== undefined && this.#refresh())
      this.#options.log.write('info', 'the certificate was reloaded');
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Reads the certificate, or renews the service's own if this is due. Returns false if it failed. */
  #refresh(): boolean {
    const { config, log, now, onRenewal } = this.#options;
    try {
      const { certificate: read, created } = ensureCertificate(config, now());
      for (const each of created) log.write('info', `Created ${each}.`);
      const warnings = certificateWarnings(config, now());
      for (const each of warnings) if (!this.#warnings.includes(each)) log.write('warn', each);
      this.#warnings = warnings;
      if (read !== undefined && read.cert !== this.#current?.cert) onRenewal(read);
      this.#current = read;
      return true;
    } catch (error) {
      log.write('error', 'the certificate could not be reloaded; the old one stays in use', {
        cause: String(error),
      });
      return false;
    }
  }
}

/** The certificate is undefined without TLS. */
type EnsuredCertificate = {
  readonly certificate: Certificate | undefined;
  readonly created: readonly string[];
};

export function ensureCertificate(config: Config, now: number): EnsuredCertificate {
  const { tls, dataFolder } = config;
  if (tls.mode === 'off') return { certificate: undefined, created: [] };
  if (tls.mode === 'files') return { certificate: readConfiguredCertificate(tls), created: [] };
  try {
    const { pair, created } = ensureOwnCertificate(config, now);
    return { certificate: { cert: pair.certPem, key: pair.keyPem }, created };
  } catch (error) {
    throw toStorageError(error, join(dataFolder, 'tls'));
  }
}
