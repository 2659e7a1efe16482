// What a start says: lines of the log, or on a terminal a few sentences for people.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Logger } from '../logger.ts';
import { version } from '../version.ts';
import { adminFile } from './first-admin.ts';
import type { Service } from './serve.ts';

export function logStart(log: Logger, config: Config, { made, localUrl, publicUrl }: Service): void {
  for (const fact of facts(config, made)) log.log('info', fact);
  log.log('info', 'listening', {
    url: localUrl,
    publicUrl,
    version,
    node: process.versions.node,
    pid: process.pid,
  });
}

/** What this start made; and where a password still is that somebody has to be told of. */
function facts({ data }: Config, made: readonly string[]): string[] {
  const file = adminFile(data);
  const isTold = !existsSync(file) || made.some((each) => each.includes(file));
  const found = made.map((each) => `Made ${each}.`);
  if (!isTold) found.push(`The first administrator's password is in ${file}: delete that once you know it.`);
  return found;
}

/** For people, on a terminal: what there is, and what to try. */
export function welcome(config: Config, { localUrl, made }: Service): string {
  const trust = config.tls.mode === 'self-signed' ? ` --cacert ${join(config.data, 'tls', 'cert.pem')}` : '';
  return [
    ...facts(config, made),
    `orderly ${version} listens on ${localUrl}`,
    '',
    'Sign up, from another terminal:',
    `  curl${trust} ${localUrl}/api/users \\`,
    "    -H 'Content-Type: application/json' \\",
    `    -d '{"name":"Eve","email":"eve@example.com","password":"tea at five"}'`,
    `The documentation: ${localUrl}/docs`,
    'Ctrl-C stops the service.',
    '',
  ].join('\n');
}
