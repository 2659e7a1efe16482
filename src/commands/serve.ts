// `orderly serve`: runs the service until it is told to stop.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { createApp, type App } from '../app.ts';
import { selfSigned } from '../auth/certificate.ts';
import { createPasswordHasher, type PasswordHasher } from '../auth/password.ts';
import { ConfigError, type CommandLine, type Config } from '../config.ts';
import { createHttpServer, type Certificate, type HttpServer } from '../http/listen.ts';
import type { Route } from '../http/route.ts';
import { createLog, type Log } from '../log.ts';
import { migrations } from '../migrations/migrations.ts';
import { addUser, hasUsers } from '../resources/users/user-store.ts';
import { openDatabase, type Database, type DatabaseOptions } from '../storage/database.ts';
import type { Command } from './commands.ts';

export const serve: Command = { summary: 'runs the service', operands: [], flags: [], run };

async function run({ config }: CommandLine): Promise<number> {
  const isTerminal = process.stdout.isTTY;
  const hasColor = isTerminal && process.env['NO_COLOR'] === undefined;
  const log = createLog({ level: config.log, sink: process.stdout, isTerminal, hasColor, now: Date.now });
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const service = await startService({ config, log, onFatal: () => end(1) });
  if (isTerminal) process.stdout.write(welcome(config, service));
  else log.note('info', 'listening', { url: service.localUrl });
  process.on('SIGHUP', () => service.reload());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (service.isStopping()) process.exit(1);
      service.stop().then(() => end(0), () => end(1));
    });
  }
  const status = await ended;
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
  mkdirSync(config.data, { recursive: true, mode: 0o700 });
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
  await makeFirstAdmin(config, db, hasher, now(), made);
  const server = createHttpServer({
    certificate, publicUrl: config.publicUrl,
    onRequest: (request, response) => app?.handlers.onRequest(request, response),
    onContinue: (request, response) => app?.handlers.onContinue(request, response),
    onExpectation: (request, response) => app?.handlers.onExpectation(request, response),
  });
  const address = await listen(server, config, db);
  const publicUrl = config.publicUrl === '' ? `https://localhost:${address.port}` : config.publicUrl;
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

/** The signing secrets: as configured, or one made at the first start. */
function readSecrets({ jwtSecrets, data }: Config, made: string[]): Uint8Array[] {
  if (jwtSecrets.length > 0) return jwtSecrets.map((secret) => Buffer.from(secret));
  const file = join(data, 'secret.key');
  if (!existsSync(file)) {
    writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
    made.push(`a secret to sign tokens with: ${file}`);
  }
  return [Buffer.from(readFileSync(file, 'utf8').trim())];
}

function readCertificate({ tls, data }: Config, now: number, made: string[]): Certificate | undefined {
  if (tls.mode === 'off') return undefined;
  const files = tls.mode === 'files' ? tls : { cert: join(data, 'tls', 'cert.pem'), key: join(data, 'tls', 'key.pem') };
  if (tls.mode === 'self-signed' && !existsSync(files.cert)) {
    const { certPem, keyPem } = selfSigned({ now });
    mkdirSync(join(data, 'tls'), { recursive: true, mode: 0o700 });
    writeFileSync(files.key, keyPem, { mode: 0o600 });
    writeFileSync(files.cert, certPem);
    made.push(`a self-signed certificate: ${files.cert}`);
  }
  try {
    return { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') };
  } catch (error) {
    throw new ConfigError([`the certificate can't be read: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

/** Contract section 11: where there are no users, an administrator. */
async function makeFirstAdmin({ data, adminEmail, adminPassword }: Config, db: Database, hasher: PasswordHasher, now: number, made: string[]): Promise<void> {
  if (hasUsers(db.read)) return;
  const email = adminEmail === '' ? 'admin@localhost' : adminEmail;
  const password = adminPassword === '' ? randomBytes(15).toString('base64url') : adminPassword;
  const passwordHash = await hasher.hash(password);
  await db.write((writer) => { addUser(writer, { name: 'Administrator', email, role: 'admin', passwordHash }, now); });
  if (adminPassword !== '') return void made.push(`an administrator: ${email}`);
  const file = join(data, 'initial-admin.json');
  writeFileSync(file, `${JSON.stringify({ email, password })}\n`, { mode: 0o600 });
  made.push(`an administrator, ${email}; the password is in ${file}`);
}

async function listen(server: HttpServer, config: Config, db: Database): Promise<AddressInfo> {
  try {
    return await server.listen(config.host, config.port);
  } catch (error) {
    await db.close();
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'something else listens there; choose another --port' : code === 'EACCES' ? 'that needs more rights' : String(error);
    throw new ConfigError([`can't listen on ${config.host}, port ${config.port}: ${reason}`]);
  }
}

function localUrlOf({ tls }: Config, { address, port, family }: AddressInfo): string {
  const host = address === '127.0.0.1' || address === '::1' || address === '0.0.0.0' || address === '::' ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `${tls.mode === 'off' ? 'http' : 'https'}://${host}:${port}`;
}

function welcome(config: Config, { localUrl, made }: Service): string {
  const curl = config.tls.mode === 'self-signed' ? `curl --cacert ${join(config.data, 'tls', 'cert.pem')}` : 'curl';
  return [
    ...made.map((each) => `made ${each}`), `orderly listens on ${localUrl}`, '',
    'Try:', `  ${curl} ${localUrl}/health/ready`, `  the documentation at ${localUrl}/docs`, 'Ctrl-C stops it.', '', '',
  ].join('\n');
}
