// `orderly serve`: runs the service until it is told to stop.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { flushCompileCache } from 'node:module';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { createApp } from '../app.ts';
import { createPasswordHasher, type PasswordHasher } from '../auth/password.ts';
import { Caches } from '../caches.ts';
import { ConfigError, type CommandLine, type Config } from '../config.ts';
import { unavailable } from '../errors.ts';
import {
  connectionsWithin,
  createConnectionGate,
  openFilesMax,
  type ConnectionGate,
} from '../http/connection-gate.ts';
import { createHttpServer, type HttpServer } from '../http/http-server.ts';
import { trustedProxies } from '../http/peer.ts';
import type { Route } from '../http/route.ts';
import { connectionsMax, lastWordsMillisecondsMax } from '../limits.ts';
import { createLogger, type Logger } from '../logger.ts';
import { migrations } from '../migrations/migrations.ts';
import { openDatabase, type Database, type DatabaseOptions } from '../storage/database.ts';
import { removeAdminFile } from './admin-file.ts';
import type { Command } from './commands.ts';
import { makeFirstAdmin } from './first-admin.ts';
import { readCertificate, readSecrets } from './own-secrets.ts';
import { createStopper, listenToSignals } from './stop-signals.ts';
import { neverBlock, written } from './terminal.ts';
import { logStart, welcome } from './welcome.ts';

export const serve: Command = { summary: 'runs the service', operands: [], flags: [], run };

async function run({ config }: CommandLine): Promise<number> {
  const { stdout } = process;
  const log = logOn(stdout, config);
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const starting = new AbortController();
  let service: Service | undefined; // undefined while it starts

  function finish(): void {
    service?.stop().then(
      () => end(0),
      () => end(1),
    );
  }
  const stop = createStopper({
    stop(reason) {
      log.log('info', `${reason}: finishing what runs; another signal, 2 seconds later, stops at once`);
      starting.abort();
      finish();
    },
    stopAtOnce: () => process.exit(1),
    now: () => performance.now(),
  });
  listenToSignals({ stop, reload: () => service?.reload() });
  try {
    service = await startService({ config, log, abandoned: starting.signal, onFatal: () => end(1) });
    if (starting.signal.aborted) finish();
    else greet(log, config, service);
  } catch (error) {
    if (!starting.signal.aborted) throw error;
    end(0);
  }
  const status = await ended;
  log.log('info', 'stopped');
  log.flush();
  await written(stdout, lastWordsMillisecondsMax);
  if (stdout.writableLength > 0) process.exit(status); // Node would wait for a reader that has stopped
  return status;
}

function logOn(stdout: NodeJS.WriteStream, { log: level }: Config): Logger {
  const { NO_COLOR: noColor = '', TERM: terminal } = process.env;
  const isTerminal = stdout.isTTY;
  if (isTerminal) neverBlock(stdout);
  const hasColor = isTerminal && noColor === '' && terminal !== 'dumb';
  return createLogger({ level, sink: stdout, isTerminal, hasColor, now: Date.now });
}

function greet(log: Logger, config: Config, service: Service): void {
  const start = { config, service, now: Date.now() };
  if (process.stdout.isTTY) process.stdout.write(`${welcome(start)}\n`);
  else logStart(log, start);
  keepHeapSmall();
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
  readonly log: Logger;
  readonly now?: () => number;
  /** Aborted while the service starts, it makes `startService` undo what was begun and throw. */
  readonly abandoned?: AbortSignal;
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
  abandoned = new AbortController().signal,
  onFatal = () => {},
  hasher = createPasswordHasher(),
  fdatasync,
  extraRoutes = [],
}: ServiceOptions) {
  const caches = new Caches(config.cacheBytes);
  const fatal = Promise.withResolvers<Error>();
  const db = await openDatabase({
    folder: config.data,
    migrations,
    ...(fdatasync === undefined ? {} : { fdatasync }),
    onCommit: (invalidations) => caches.invalidate(invalidations),
    onForeignChange: () => caches.clear(),
    abandoned,
    log: (level, message, fields) => log.log(level, message, { ...fields }),
    onFatal: (error) => {
      log.log('error', 'the disk failed to sync: ending, so that a restart recovers from the log', {
        cause: error.message,
      });
      fatal.resolve(error);
    },
  });
  const abandonHashing = (): unknown => hasher.close();
  abandoned.addEventListener('abort', abandonHashing, { once: true });
  try {
    await nextTurn(); // a signal that came during a long migration is delivered in it
    abandoned.throwIfAborted();
    return await serveFrom(db);
  } catch (error) {
    await Promise.all([db.close(), hasher.close()]);
    throw error;
  } finally {
    abandoned.removeEventListener('abort', abandonHashing);
  }

  /** The folder is this process's from here on, so what it lacks can be made. */
  async function serveFrom(db: Database) {
    let stopping: Promise<void> | undefined;
    const isStopping = (): boolean => stopping !== undefined;
    const made: string[] = [];
    const secrets = readSecrets(config, made);
    const certificate = readCertificate(config, now(), made);
    const admin = await makeFirstAdmin(config, { read: db.read, write: db.write, hasher, now: now() });
    if (admin !== undefined) made.push(admin);
    const server = createHttpServer({ certificate, gate: gateFor(config) });
    const address = await listen(server, config);
    const publicUrl = publicUrlOf(config, address.port);
    const app = createApp({
      config,
      publicUrl,
      secrets,
      db,
      caches,
      hasher,
      log,
      now,
      connections: server.connections,
      isStopping,
      onPasswordChange: (email) => removeAdminFile(config.data, email),
      extraRoutes,
    });
    server.handle(app.handlers);

    /** Stops accepting, finishes what runs, writes all. */
    function stop(): Promise<void> {
      return (stopping ??= finish());
    }

    async function finish(): Promise<void> {
      await server.close();
      await app.tidyUp().catch(() => {});
      app.close();
      await Promise.all([db.close(), hasher.close()]);
    }

    function reload(): void {
      if (config.tls.mode === 'off') return;
      try {
        const renewed = readCertificate(config, now(), []);
        if (renewed !== undefined) server.renew(renewed);
        log.log('info', 'the certificate was read again');
      } catch (error) {
        log.log('error', 'the certificate could not be read again; the old one stays', {
          cause: String(error),
        });
      }
    }

    void fatal.promise.then((error) => stop().finally(() => onFatal(error)));
    return {
      app,
      db,
      connections: server.connections,
      localUrl: localUrlOf(config, address),
      publicUrl,
      made,
      isStopping,
      reload,
      stop,
    };
  }
}

function gateFor({ trustedProxy, connectionsPerAddress }: Config): ConnectionGate {
  const filesMax = openFilesMax();
  const mostConnections = connectionsWithin(filesMax, connectionsMax);
  if (mostConnections < 1)
    throw new ConfigError([
      `this process may open only ${filesMax} files (ulimit -n): raise that limit, to 1024 or more.`,
    ]);
  return createConnectionGate({
    connectionsMax: mostConnections,
    perAddressMax: connectionsPerAddress,
    isTrusted: trustedProxies(trustedProxy),
  });
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
  const isHere = ['127.0.0.1', '::1', '0.0.0.0', '::'].includes(address);
  const literal = family === 'IPv6' ? `[${address}]` : address;
  const host = isHere ? 'localhost' : literal;
  return `${tls.mode === 'off' ? 'http' : 'https'}://${host}:${port}`;
}
