// The certificate that a running service uses: read again on SIGHUP and, if the service makes its own,
// renewed before it expires.
import { X509Certificate } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { Certificate } from '../http/http-server.ts';
import { certificateCheckMilliseconds } from '../limits.ts';
import type { Logger } from '../logger.ts';
import { ensureCertificate } from './secrets-and-certificate.ts';

type Options = {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => number;
  readonly current: Certificate | undefined;
  /** Called with a certificate for new connections. */
  readonly onRenewal: (certificate: Certificate) => void;
};

export class CertificateKeeper {
  readonly #options: Options;
  readonly #timer: NodeJS.Timeout | undefined;
  #current: Certificate | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#current = options.current;
    // a configured certificate is read again on SIGHUP only
    if (options.config.tls.mode === 'self-signed')
      this.#timer = setInterval(() => this.renewIfDue(), certificateCheckMilliseconds).unref();
  }

  /** When the certificate in use expires, in milliseconds since 1970; undefined without TLS. */
  get notAfter(): number | undefined {
    return this.#current && new X509Certificate(this.#current.cert).validToDate.getTime();
  }

  reload(): void {
    if (this.#current !== undefined && this.#refresh())
      this.#options.log.write('info', 'the certificate was reloaded');
  }

  /** Makes the service's own certificate again if the machine's names have changed, or before it expires. */
  renewIfDue(): void {
    this.#refresh();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** False if it can't be read. */
  #refresh(): boolean {
    const { config, log, now, onRenewal } = this.#options;
    try {
      const { certificate: read, created } = ensureCertificate(config, now());
      for (const each of created) log.write('info', `Created ${each}.`);
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
