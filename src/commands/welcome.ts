// The messages of a start: lines of the log, or on a terminal a few sentences for people.
import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hourMilliseconds } from '../durations.ts';
import type { Config } from '../config/config.ts';
import { counted } from '../counted.ts';
import { initialPasswordsNamedMax } from '../limits.ts';
import type { Logger } from '../logger.ts';
import { listInitialPasswords, type InitialPassword } from '../resources/users/user-store.ts';
import { version } from '../version.ts';
import { adminFile, adminFileIsFor } from '../assembly/admin-file.ts';
import { authorityFile, namesLeftOut } from '../assembly/own-certificate.ts';
import { isLoopback, namesForOthers, type Machine } from '../assembly/certificate-names.ts';
import { certificateWarnings } from '../assembly/configured-certificate.ts';
import { clockWarnings } from '../assembly/wrong-clock.ts';
import type { Service } from '../running-service.ts';

export type ServiceStart = {
  readonly config: Config;
  readonly service: Service;
  readonly machine: Machine;
  readonly now: number;
};

export function logStart(log: Logger, start: ServiceStart): void {
  for (const message of startMessages(start)) log.write('info', message);
  for (const message of trustMessages(ownAuthority(start))) log.write('info', message);
  for (const warning of startWarnings(start)) log.write('warn', warning);
  const { localUrl, publicUrl } = start.service;
  log.write('info', 'listening', {
    url: localUrl,
    publicUrl,
    version,
    node: process.versions.node,
    pid: process.pid,
  });
}

/** Names the files that this start created, and the passwords that somebody should replace. */
function startMessages({ config, service, now }: ServiceStart): string[] {
  const messages = service.created.map((each) => `Created ${each}.`);
  const file = adminFile(config.data);
  const isFileNew = messages.some((message) => message.includes(file));
  for (const password of listInitialPasswords(service.database.read, initialPasswordsNamedMax)) {
    const isInFile = !isFileNew && adminFileIsFor(config.data, password.email);
    messages.push(initialPasswordMessage(password, { now, place: isInFile ? `, is in ${file}` : '' }));
  }
  return messages;
}

function initialPasswordMessage(
  { email, expiresAt }: InitialPassword,
  { now, place }: { readonly now: number; readonly place: string },
): string {
  const origin = `The password of ${email} was generated`;
  if (expiresAt <= now)
    return `${origin} and has expired: "orderly admin reset --email ${email}" prints a new one.`;
  return `${origin}${place} and works for another ${duration(expiresAt - now)}: sign in and change it.`;
}

/** Returns days, or hours if fewer than two days are left. */
function duration(milliseconds: number): string {
  const hours = Math.max(1, Math.round(milliseconds / hourMilliseconds));
  return hours < 48 ? counted(hours, 'hour') : counted(Math.round(hours / 24), 'day');
}

/** The authority of the service's own certificate, and the names for which other devices need it. */
type OwnAuthority = {
  readonly file: string;
  readonly certificate: X509Certificate;
  readonly names: readonly string[];
};

/** Returns undefined if the certificate isn't the service's own, or only this machine reaches the service. */
function ownAuthority({ config, machine }: ServiceStart): OwnAuthority | undefined {
  if (config.tls.mode !== 'self-signed') return undefined;
  const names = namesForOthers(config, machine);
  if (names.length === 0) return undefined;
  const file = authorityFile(config.data);
  return { file, certificate: new X509Certificate(readFileSync(file)), names };
}

/** Explains how other devices can trust the service's own certificate. */
function trustMessages(authority: OwnAuthority | undefined): string[] {
  if (authority === undefined) return [];
  const { file, certificate, names } = authority;
  const messages = [
    `Other devices trust the service once ${file} is installed there as a certificate authority. ` +
      `Its SHA-256 fingerprint is ${certificate.fingerprint256}.`,
  ];
  const leftOut = namesLeftOut(certificate, names);
  if (leftOut.length > 0)
    messages.push(
      `${file} does not permit certificates for ${leftOut.join(', ')}. If devices should use that, delete ` +
        'the file and restart: all of them then have to trust the new one.',
    );
  return messages;
}

function startWarnings({ config, service, now }: ServiceStart): string[] {
  const warnings = [...certificateWarnings(config, now), ...clockWarnings(service.database.read, now)];
  if (config.tls.mode === 'off') warnings.push(...proxyWarnings(config, service));
  return warnings;
}

/** Without TLS the service is for a proxy, except where only this machine is to use it. */
function proxyWarnings({ publicUrl, host, trustedProxy }: Config, service: Service): string[] {
  const warnings: string[] = [];
  if (publicUrl === '')
    warnings.push(
      `Without --public-url, links and tokens will name ${service.publicUrl}, where nothing listens with ` +
        '--tls off: set it to the URL of the proxy.',
    );
  if (trustedProxy.length === 0 && (publicUrl !== '' || !isLoopback(host)))
    warnings.push(
      'With --tls off only this machine and proxies of --trusted-proxy may send requests: it names none.',
    );
  return warnings;
}

/** The text for people on a terminal: URLs, and a first command to try. */
export function welcome(start: ServiceStart): string {
  const { service } = start;
  const authority = ownAuthority(start);
  return [
    ...startMessages(start),
    ...startWarnings(start),
    `orderly ${version} listens on ${service.localUrl}`,
    ...urlsForOthers(start, authority).map((url) => `  for other devices: ${url}`),
    ...trustMessages(authority),
    '',
    ...suggestion(start),
    `Console, for people: ${service.localUrl}/console`,
    `Documentation:       ${service.localUrl}/docs`,
    'Ctrl-C stops the service.',
    '',
  ].join('\n');
}

/**
 * The public URL, unless it is this machine's own, and the machine's names and addresses that the certificate
 * is for.
 */
function urlsForOthers(
  { config, service, machine }: ServiceStart,
  authority: OwnAuthority | undefined,
): string[] {
  if (authority === undefined) return [];
  const { port } = new URL(service.localUrl);
  const names = namesForOthers({ ...config, publicUrl: '' }, machine);
  const leftOut = namesLeftOut(authority.certificate, names);
  const urls = names
    .filter((name) => !leftOut.includes(name))
    .map((name) => `https://${isIP(name) === 6 ? `[${name}]` : name}:${port}`);
  return config.publicUrl === '' ? urls : [service.publicUrl, ...urls];
}

/** A first command to type in another terminal. */
function suggestion({ config, service: { localUrl } }: ServiceStart): string[] {
  const trust = config.tls.mode === 'self-signed' ? ` --cacert ${shellWord(authorityFile(config.data))}` : '';
  const json = "    -H 'Content-Type: application/json' \\";
  if (config.registration === 'open')
    return [
      'Sign up from another terminal:',
      `  curl${trust} ${localUrl}/api/users \\`,
      json,
      `    -d '{"name":"Eve","email":"eve@example.com","password":"tea at five"}'`,
    ];
  const file = adminFile(config.data);
  if (!existsSync(file)) return [];
  return [
    'Sign in from another terminal, as the administrator who creates users:',
    `  curl${trust} ${localUrl}/api/sessions \\`,
    json,
    `    -d ${shellWord(`@${file}`)}`,
  ];
}

/** Quotes the text if a shell would split or expand it. */
function shellWord(text: string): string {
  return /^[\w@./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
