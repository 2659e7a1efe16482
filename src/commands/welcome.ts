// What a start says: lines of the log, or on a terminal a few sentences for people.
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { counted } from '../counted.ts';
import { initialPasswordsNamedMax } from '../limits.ts';
import type { Logger } from '../logger.ts';
import { listInitialPasswords, type InitialPassword } from '../resources/users/user-store.ts';
import { version } from '../version.ts';
import { adminFile, adminFileIsFor } from '../assembly/admin-file.ts';
import type { Service } from '../running-service.ts';

const hourMilliseconds = 3_600_000;

export type Start = { readonly config: Config; readonly service: Service; readonly now: number };

export function logStart(log: Logger, start: Start): void {
  for (const fact of startFacts(start)) log.log('info', fact);
  const { localUrl, publicUrl } = start.service;
  log.log('info', 'listening', {
    url: localUrl,
    publicUrl,
    version,
    node: process.versions.node,
    pid: process.pid,
  });
}

/** What this start made, and the passwords that somebody should replace. */
function startFacts({ config, service, now }: Start): string[] {
  const facts = service.created.map((each) => `Created ${each}.`);
  const file = adminFile(config.data);
  const isFileNew = facts.some((fact) => fact.includes(file));
  for (const password of listInitialPasswords(service.db.read, initialPasswordsNamedMax)) {
    const isInFile = !isFileNew && adminFileIsFor(config.data, password.email);
    facts.push(initialPasswordFact(password, { now, place: isInFile ? `, is in ${file}` : '' }));
  }
  return facts;
}

function initialPasswordFact(
  { email, expiresAt }: InitialPassword,
  { now, place }: { readonly now: number; readonly place: string },
): string {
  const origin = `The password of ${email} was generated`;
  if (expiresAt <= now)
    return `${origin} and has expired: "orderly admin reset --email ${email}" prints a new one.`;
  return `${origin}${place} and works for another ${duration(expiresAt - now)}: sign in and change it.`;
}

/** In days, or in hours where fewer than two days are left. */
function duration(milliseconds: number): string {
  const hours = Math.max(1, Math.round(milliseconds / hourMilliseconds));
  return hours < 48 ? counted(hours, 'hour') : counted(Math.round(hours / 24), 'day');
}

/** For people, on a terminal: what there is, and what to try. */
export function welcome(start: Start): string {
  const { config, service } = start;
  const { localUrl } = service;
  const trust = config.tls.mode === 'self-signed' ? ` --cacert ${join(config.data, 'tls', 'cert.pem')}` : '';
  return [
    ...startFacts(start),
    `orderly ${version} listens on ${localUrl}`,
    '',
    'Sign up from another terminal:',
    `  curl${trust} ${localUrl}/api/users \\`,
    "    -H 'Content-Type: application/json' \\",
    `    -d '{"name":"Eve","email":"eve@example.com","password":"tea at five"}'`,
    `Documentation: ${localUrl}/docs`,
    'Ctrl-C stops the service.',
    '',
  ].join('\n');
}
