// `orderly serve`: runs the service until it is told to stop.
import { randomBytes, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import { createApp, type App } from '../app.ts';
import { selfSigned } from '../auth/certificate.ts';
import { createPasswordHasher, type PasswordHasher } from '../auth/password.ts';
import { ConfigError, type CommandLine, type Config } from '../config.ts';
import { unavailable } from '../errors.ts';
import { createHttpServer, type Certificate, type HttpServer } from '../http/listen.ts';
import type { Route } from '../http/route.ts';
import { secretBytesMin } from '../limits.ts';
import { createLog, type Log } from '../log.ts';
import { migrations } from '../migrations/migrations.ts';
import { explained, replacePrivate, StorageError } from '../storage/data-folder.ts';
import { openDatabase, type Database, type DatabaseOptions } from '../storage/database.ts';
import { version } from '../version.ts';
import type { Command } from './commands.ts';
import { adminFile, makeFirstAdmin } from './first-admin.ts';
import { print } from './terminal.ts';

const renewDays = 30;

export const serve: Command = { summary: 'runs the service', operands: [], flags: [], run };

async function run({ config }: CommandLine): Promise<number> {
  const { NO_COLOR: noColor = '', TERM: terminal } = process.env;
  const isTerminal = process.stdout.isTTY;
  const log = createLog({ level: config.log, sink: process.stdout, isTerminal, hasColor: isTerminal && noColor === '' && terminal !== 'dumb', now: Date.now });
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const service = await startService({ config, log, onFatal: () => end(1) });
  if (isTerminal) await print(welcome(config, service));
  else tellStart(log, service);
  process.on('SIGHUP', () => service.reload());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (service.isStopping()) process.exit(1);
      log.note('info', `${signal}: finishing what runs; a second one stops at once`);
      service.stop().then(() => end(0), () => end(1));
    });
  }
  const status = await ended;
  log.note('info', 'stopped');
  log.flush();
  return status;
}

export type ServiceOptions = {
  readonly config: Config;
  readonly log: Log;
  readonly now?: () => number;
  readonly onFatal?: (error: Error) => void;
  readonly hasher?: PasswordHasher;
  readonly fdatasync?: DatabaseOptions['fdatasync'];
  readonly extraRoutes?: readonly Route[];
};

export type Service = {
  readonly app: App;
  readonly db: Database;
  /** Where it listens, as seen from this machine. */
  readonly localUrl: string;
  readonly publicUrl: string;
  readonly made: readonly string[];
  isStopping(): boolean;
  reload(): void;
  /** Stops accepting, finishes what runs, writes all. */
  stop(): Promise<void>;
};

/** A whole service on a folder of its own. Throws ConfigError and StorageError. */
export async function startService({ config, log, now = Date.now, onFatal = () => {}, hasher = createPasswordHasher(), fdatasync, extraRoutes }: ServiceOptions): Promise<Service> {
  const made: string[] = [];
  makeFolder(config.data);
  const secrets = readSecrets(config, made);
  const certificate = readCertificate(config, now(), made);
  let isStopping = false;
  let isBroken = false;
  let app: App | undefined;
  const db = await openDatabase({
    folder: config.data, migrations, ...(fdatasync === undefined ? {} : { fdatasync }),
    onCommit: (keys) => app?.forget(keys), onForeignChange: () => app?.forgetAll(),
    log: (level, message, fields) => log.note(level, message, { ...fields }),
    onFatal: (error) => {
      isBroken = true;
      log.note('error', 'the disk failed to sync: ending, so that a restart recovers from the log', { cause: error.message });
      void stop().then(() => onFatal(error));
    },
  });
  const admin = await makeFirstAdmin(config, { read: db.read, write: db.write, hasher, now: now() });
  if (admin !== undefined) made.push(admin);
  const server = createHttpServer({
    certificate, publicUrl: config.publicUrl,
    onRequest: (request, response) => app?.handlers.onRequest(request, response),
    onContinue: (request, response) => app?.handlers.onContinue(request, response),
    onExpectation: (request, response) => app?.handlers.onExpectation(request, response),
  });
  const address = await listen(server, config, db);
  const publicUrl = publicUrlOf(config, address.port);
  app = createApp({
    config, publicUrl, secrets, db, hasher, log, now, connections: server.connections, isStopping: () => isStopping, isBroken: () => isBroken,
    ...(extraRoutes === undefined ? {} : { extraRoutes }),
  });

  let stopping: Promise<void> | undefined;
  function stop(): Promise<void> {
    isStopping = true;
    return (stopping ??= finish());
  }

  async function finish(): Promise<void> {
    await server.close();
    if (!isBroken) await app?.tidyUp().catch(() => {});
    app?.close();
    await Promise.all([db.close(), hasher.close()]);
  }

  function reload(): void {
    if (config.tls.mode === 'off') return;
    try {
      const renewed = readCertificate(config, now(), []);
      if (renewed !== undefined) server.renew(renewed);
      log.note('info', 'the certificate was read again');
    } catch (error) {
      log.note('error', 'the certificate could not be read again; the old one stays', { cause: String(error) });
    }
  }

  return { app, db, localUrl: localUrlOf(config, address), publicUrl, made, isStopping: () => isStopping, reload, stop };
}

export function publicUrlOf({ publicUrl }: Config, port: number): string {
  return publicUrl === '' ? `https://localhost:${port}` : publicUrl;
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw explained(error, folder);
  }
}

/** The signing secrets: as configured, or one made at the first start. */
function readSecrets({ jwtSecrets, data }: Config, made: string[]): Uint8Array[] {
  if (jwtSecrets.length > 0) return jwtSecrets.map((secret) => Buffer.from(secret));
  const file = join(data, 'secret.key');
  try {
    if (!existsSync(file)) {
      replacePrivate(file, `${randomBytes(secretBytesMin).toString('base64url')}\n`);
      made.push(`a secret to sign tokens with: ${file}`);
    }
    const secret = Buffer.from(readFileSync(file, 'utf8').trim());
    if (secret.length < secretBytesMin) throw new StorageError(`${file} is damaged: delete it, and a new one is made; everybody has to sign in again.`);
    return [secret];
  } catch (error) {
    throw explained(error, file);
  }
}

function readCertificate({ tls, data }: Config, now: number, made: string[]): Certificate | undefined {
  if (tls.mode === 'off') return undefined;
  const files = tls.mode === 'files' ? tls : { cert: join(data, 'tls', 'cert.pem'), key: join(data, 'tls', 'key.pem') };
  try {
    if (tls.mode === 'self-signed' && !isGood(files.cert, now)) {
      const { certPem, keyPem } = selfSigned({ now });
      makeFolder(join(data, 'tls'));
      replacePrivate(files.key, keyPem);
      replacePrivate(files.cert, certPem);
      made.push(`a self-signed certificate: ${files.cert}`);
    }
    const certificate = { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') };
    createSecureContext(certificate); // throws unless they are a pair
    return certificate;
  } catch (error) {
    if (error instanceof StorageError) throw error;
    throw new ConfigError([`the certificate in ${files.cert} with the key in ${files.key} can't be used: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

/** Whether there is a certificate that holds for some time yet. */
function isGood(file: string, now: number): boolean {
  return existsSync(file) && new X509Certificate(readFileSync(file)).validToDate.getTime() > now + renewDays * 86_400_000;
}

async function listen(server: HttpServer, config: Config, db: Database): Promise<AddressInfo> {
  try {
    return await server.listen(config.host, config.port);
  } catch (error) {
    await db.close();
    const { code = '', message } = error as NodeJS.ErrnoException; // what listen rejects with
    const place = `${config.host}, port ${config.port}`;
    if (code === 'EADDRINUSE') throw unavailable(`something else listens on ${place}: choose another --port, or stop it.`);
    throw new ConfigError([`can't listen on ${place}: ${listenFaults[code] ?? message}`]);
  }
}

const listenFaults: Readonly<Record<string, string>> = {
  EACCES: 'that needs more rights; choose a --port above 1023',
  EADDRNOTAVAIL: 'this machine does not have that address', ENOTFOUND: 'there is no host of that name', EAI_AGAIN: 'there is no host of that name',
};

function localUrlOf({ tls }: Config, { address, port, family }: AddressInfo): string {
  const host = address === '127.0.0.1' || address === '::1' || address === '0.0.0.0' || address === '::' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `${tls.mode === 'off' ? 'http' : 'https'}://${host}:${port}`;
}

function tellStart(log: Log, { made, localUrl, publicUrl }: Service): void {
  for (const each of made) log.note('info', `made ${each}`);
  log.note('info', 'listening', { url: localUrl, publicUrl, version, node: process.versions.node, pid: process.pid });
}

/** For people, on a terminal: what there is, and what to try. */
function welcome(config: Config, { localUrl, made }: Service): string {
  const trust = config.tls.mode === 'self-signed' ? ` --cacert ${join(config.data, 'tls', 'cert.pem')}` : '';
  const reminder = !made.some((each) => each.includes(adminFile(config.data))) && existsSync(adminFile(config.data))
    ? [`The first administrator's password is in ${adminFile(config.data)}: delete that once you know it.`] : [];
  return [
    ...made.map((each) => `Made ${each}.`), ...reminder, `orderly ${version} listens on ${localUrl}`, '', 'Sign up, from another terminal:',
    `  curl${trust} ${localUrl}/api/users \\`, "    -H 'Content-Type: application/json' \\",
    `    -d '{"name":"Ada","email":"ada@example.com","password":"tea at five"}'`,
    `The documentation: ${localUrl}/docs`, 'Ctrl-C stops the service.', '',
  ].join('\n');
}
