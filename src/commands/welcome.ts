// The messages of a start: lines of the log, or a few sentences for people on a terminal.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { permits } from '../auth/certificate.ts';
import { capacity, freeDiskBytes } from '../base/capacity.ts';
import { withCommas } from '../base/message-words.ts';
import type { Logger } from '../base/logger.ts';
import { isSane } from '../base/sane-clock.ts';
import { version } from '../base/version.ts';
import type { Config } from '../config/config.ts';
import { listInitialPasswords } from '../features/users/user-store.ts';
import { connectionBytesMax } from '../http/connections/http-connection.ts';
import { certificateWarnings } from '../service/configured-certificate.ts';
import { openConnectionsMax } from '../service/listening.ts';
import { authorityFile, isLoopback, namesForOtherDevices, type Machine } from '../service/own-certificate.ts';
import type { Service } from '../service/running-service.ts';
import { databaseFile } from '../storage/database-file.ts';
import { unsafeFileSystemOf } from '../storage/file-systems.ts';
import { isOpenToOthers } from '../storage/private-files.ts';

/** Users with generated passwords who are named in the log at a start. */
const initialPasswordsNamedMax = 20;

export type ServiceStart = {
  readonly config: Config;
  readonly service: Service;
  readonly machine: Machine;
  readonly now: number;
};

export function logStart(log: Logger, start: ServiceStart): void {
  for (const message of startMessages(start)) log.write('info', message);
  for (const warning of startWarnings(start)) log.write('warn', warning);
  log.write('info', capacityMessage(start));
  const { localUrl, publicUrl } = start.service;
  log.write('info', 'listening', {
    url: localUrl,
    publicUrl,
    version,
    node: process.versions.node,
    pid: process.pid,
  });
}

/** Returns what the machine gives, and what follows from that. */
function capacityMessage({ config: { dataFolder, cacheBytes } }: ServiceStart): string {
  const { memoryBytes, hashesAtOnce, unsentBytes } = capacity;
  const connections = openConnectionsMax();
  const hashes =
    hashesAtOnce === 1 ? '1 password is hashed at a time' : `${hashesAtOnce} passwords are hashed at a time`;
  return (
    `Of ${megabytes(memoryBytes)} of memory, at most ${megabytes(cacheBytes)} are for the cache, ` +
    `${megabytes(unsentBytes)} for unread responses and ${megabytes(connections * connectionBytesMax)} for ` +
    `${withCommas(connections)} connections, and ${hashes}; ` +
    `${megabytes(freeDiskBytes(dataFolder))} of disk are free.`
  );
}

function megabytes(bytes: number): string {
  return `${withCommas(Math.round(bytes / 1e6))} MB`;
}

/** Returns messages about files that this start created, passwords to replace, and URLs for other devices. */
function startMessages(start: ServiceStart): string[] {
  const { service, now } = start;
  const messages = service.created.map((each) => `Created ${each}.`);
  for (const { email, expiresAt } of listInitialPasswords(service.database.read, initialPasswordsNamedMax)) {
    const advice =
      expiresAt > now
        ? `works until ${new Date(expiresAt).toISOString().slice(0, 10)}: sign in and change it.`
        : `has expired: "orderly admin reset --email ${email}" prints a new one.`;
    messages.push(`The password of ${email} was generated and ${advice}`);
  }
  return [...messages, ...messagesForOtherDevices(start)];
}

/**
 * Returns how other devices reach the service, if they can, and how to make them trust its own certificate.
 */
function messagesForOtherDevices({ config, service, machine }: ServiceStart): string[] {
  if (config.tls.mode !== 'self-signed' || namesForOtherDevices(config, machine).length === 0) return [];
  const file = authorityFile(config.dataFolder);
  const authority = new X509Certificate(readFileSync(file));
  const { port } = new URL(service.localUrl);
  const urls = namesForOtherDevices({ ...config, publicUrl: '' }, machine)
    .filter((name) => permits(authority, name))
    .map((name) => `https://${isIP(name) === 6 ? `[${name}]` : name}:${port}`);
  if (config.publicUrl !== '') urls.unshift(service.publicUrl);
  if (urls.length === 0) return [];
  return [
    `Other devices use ${urls.join(', ')}, and trust the service once ${file} is installed there as a ` +
      `certificate authority; ${urls[0]}/certificate has the steps. Its SHA-256 fingerprint is ` +
      `${authority.fingerprint256}.`,
  ];
}

function startWarnings({ config, service, now }: ServiceStart): string[] {
  const warnings = certificateWarnings(config, now);
  if (isOpenToOthers(databaseFile(config.dataFolder)))
    warnings.push(
      `Other accounts may read the files in ${config.dataFolder}, whose file system keeps no modes (exFAT, FAT): ` +
        'mount it with "umask=077", or use another.',
    );
  const unsafe = unsafeFileSystemOf(config.dataFolder);
  if (unsafe !== undefined)
    warnings.push(
      `The data folder ${config.dataFolder} is on ${unsafe}, whose locks may not work: two services on it would damage ` +
        'the database. Use a local disk.',
    );
  if (!isSane(now))
    warnings.push(`The clock shows ${new Date(now).toISOString()}, which can't be right: set it.`);
  if (config.tls.mode === 'off') warnings.push(...proxyWarnings(config, service));
  return warnings;
}

/** Warns of a service without TLS and without a proxy, unless only this machine is meant to use it. */
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

/** The text for people on a terminal. */
export function welcome(start: ServiceStart): string {
  const { service } = start;
  const { localUrl } = service;
  return [
    ...startMessages(start),
    ...startWarnings(start),
    `orderly ${version} listens on ${localUrl}`,
    ...(service.has('console') ? [`Console, for people: ${localUrl}/console`] : []),
    ...(service.has('docs') ? [`Documentation:       ${localUrl}/docs`] : []),
    'Ctrl-C stops the service.',
    '',
  ].join('\n');
}
