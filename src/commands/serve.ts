// `orderly serve`: runs the service until it is told to stop.
import { flushCompileCache } from 'node:module';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { createApp, type App } from '../app.ts';
import { createPasswordHasher, type PasswordHasher } from '../auth/password.ts';
import { ConfigError, type CommandLine, type Config } from '../config.ts';
import { unavailable } from '../errors.ts';
import { createHttpServer, type HttpServer } from '../http/listen.ts';
import type { Route } from '../http/route.ts';
import { createLog, type Log } from '../log.ts';
import { migrations } from '../migrations/migrations.ts';
import { openDatabase, type Database, type DatabaseOptions } from '../storage/database.ts';
import type { Command } from './commands.ts';
import { makeFirstAdmin } from './first-admin.ts';
import { readCertificate, readSecrets } from './own-secrets.ts';
import { print } from './terminal.ts';
import { tellStart, welcome } from './welcome.ts';

export const serve: Command = { summary: 'runs the service', operands: [], flags: [], run };

async function run({ config }: CommandLine): Promise<number> {
  const { NO_COLOR: noColor = '', TERM: terminal } = process.env;
  const isTerminal = process.stdout.isTTY;
  const log = createLog({
    level: config.log,
    sink: process.stdout,
    isTerminal,
    hasColor: isTerminal && noColor === '' && terminal !== 'dumb',
    now: Date.now,
  });
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const service = await startService({ config, log, onFatal: () => end(1) });
  process.on('SIGHUP', () => service.reload());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (service.isStopping()) process.exit(1);
      log.note('info', `${signal}: finishing what runs; a second one stops at once`);
      service.stop().then(
        () => end(0),
        () => end(1),
      );
    });
  }
  if (isTerminal) await print(welcome(config, service));
  else tellStart(log, config, service);
  keepHeapSmall();
  const status = await ended;
  log.note('info', 'stopped');
  log.flush();
  return status;
}

/**
 * Answers dropped from memory would otherwise double the heap before they are collected; throughput pays
 * 1–2 %. Not a flag of the command line: what was compiled under other flags counts for nothing, and the
 * start would take a third longer.
 */
function keepHeapSmall(): void {
  flushCompileCache();
  setFlagsFromString('--heap-growing-percent=30');
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

export type Service = Awaited<ReturnType<typeof startService>>;

/** A whole service on a folder of its own. Throws ConfigError and StorageError. */
export async function startService({
  config,
  log,
  now = Date.now,
  onFatal = () => {},
  hasher = createPasswordHasher(),
  fdatasync,
  extraRoutes = [],
}: ServiceOptions) {
  let app: App | undefined;
  const fatal = Promise.withResolvers<Error>();
  const db = await openDatabase({
    folder: config.data,
    migrations,
    ...(fdatasync === undefined ? {} : { fdatasync }),
    onCommit: (keys) => app?.forget(keys),
    onForeignChange: () => app?.forgetAll(),
    log: (level, message, fields) => log.note(level, message, { ...fields }),
    onFatal: (error) => {
      log.note('error', 'the disk failed to sync: ending, so that a restart recovers from the log', {
        cause: error.message,
      });
      fatal.resolve(error);
    },
  });
  return await serveFrom(db).catch(async (error: unknown) => {
    await Promise.all([db.close(), hasher.close()]);
    throw error;
  });

  /** The folder is this process's from here on, so what it lacks can be made. */
  async function serveFrom(db: Database) {
    let stopping: Promise<void> | undefined;
    const isStopping = (): boolean => stopping !== undefined;
    const made: string[] = [];
    const secrets = readSecrets(config, made);
    const certificate = readCertificate(config, now(), made);
    const admin = await makeFirstAdmin(config, { read: db.read, write: db.write, hasher, now: now() });
    if (admin !== undefined) made.push(admin);
    const server = createHttpServer({ certificate });
    const address = await listen(server, config);
    const publicUrl = publicUrlOf(config, address.port);
    app = createApp({
      config,
      publicUrl,
      secrets,
      db,
      hasher,
      log,
      now,
      connections: server.connections,
      isStopping,
      extraRoutes,
    });
    server.handle(app.handlers);

    /** Stops accepting, finishes what runs, writes all. */
    function stop(): Promise<void> {
      return (stopping ??= finish());
    }

    async function finish(): Promise<void> {
      await server.close();
      await app?.tidyUp().catch(() => {});
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
        log.note('error', 'the certificate could not be read again; the old one stays', {
          cause: String(error),
        });
      }
    }

    void fatal.promise.then((error) => stop().finally(() => onFatal(error)));
    return { app, db, localUrl: localUrlOf(config, address), publicUrl, made, isStopping, reload, stop };
  }
}

export function publicUrlOf({ publicUrl }: Config, port: number): string {
  return publicUrl === '' ? `https://localhost:${port}` : publicUrl;
}

async function listen(server: HttpServer, config: Config): Promise<AddressInfo> {
  try {
    return await server.listen(config.host, config.port);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException; // what listen rejects with
    const place = `${config.host}, port ${config.port}`;
    if (code === 'EADDRINUSE')
      throw unavailable(`something else listens on ${place}: choose another --port, or stop it.`);
    throw new ConfigError([`can't listen on ${place}: ${listenFaults[code] ?? message}`]);
  }
}

const listenFaults: Readonly<Record<string, string>> = {
  EACCES: 'that needs more rights; choose a --port above 1023',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'there is no host of that name',
};

/** Where it listens, as seen from this machine. */
function localUrlOf({ tls }: Config, { address, port, family }: AddressInfo): string {
  const host =
    address === '127.0.0.1' || address === '::1' || address === '0.0.0.0' || address === '::'
      ? 'localhost'
      : family === 'IPv6'
        ? `[${address}]`
        : address;
  return `${tls.mode === 'off' ? 'http' : 'https'}://${host}:${port}`;
}
