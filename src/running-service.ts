// A whole service from start to stop: database, secrets, certificate, server and app.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createApp, type App, AfterSync } from './app.ts';
import { assertBoundsFit } from './assembly/bounds.ts';
import { Caches } from './assembly/caches.ts';
import { CertificateKeeper, ensureCertificate } from './assembly/certificate-keeper.ts';
import { ensureSecrets } from './assembly/cryptography.ts';
import { createFirstAdmin } from './assembly/first-admin.ts';
import { gateFor, listen, localUrlOf, publicUrlOf } from './assembly/listening.ts';
import { LastEventFile, rejectLostDatabase } from './assembly/last-event-file.ts';
import { createPasswordHasher, type PasswordHasher } from './auth/password.ts';
import type { Config } from './config/config.ts';
import type { ConnectionCounts } from './http/connection-gate.ts';
import { HttpServer, type Certificate } from './http/http-server.ts';
import type { Route } from './http/route.ts';
import type { Logger } from './base/logger.ts';
import { claimFeed, feedBounds, feedFile } from './resources/events/feed-store.ts';
import { migrations } from './migrations/migrations.ts';
import { databaseFile } from './storage/database-file.ts';
import { databaseIdentity } from './storage/database-identity.ts';
import { systemTimers, type Timers } from './base/timers.ts';
import { openDatabase, type Database, type DatabaseOptions } from './storage/database.ts';

export type ServiceOptions = {
  readonly config: Config;
  readonly log: Logger;
  readonly now?: () => number;
  /** If it is aborted while the service starts, `startService` closes all parts and throws. */
  readonly signal?: AbortSignal;
  readonly onFatal?: (error: Error) => void;
  readonly hasher?: PasswordHasher;
  readonly storage?: Pick<DatabaseOptions, 'fdatasync' | 'sqlWorker'>;
  readonly extraRoutes?: readonly Route[];
  readonly timers?: Timers;
  /** The text of a function that tests use instead of `dns.lookup`. */
  readonly lookup?: string;
};

/** Starts a whole service, which locks its data folder. Throws ConfigError, CommandError and StorageError. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, log, now = Date.now, timers = systemTimers, lookup, extraRoutes = [] } = options;
  const { hasher = createPasswordHasher(), onFatal = () => {} } = options;
  assertBoundsFit();
  await using unfinished = new AsyncDisposableStack(); // closed in reverse order if the start fails
  unfinished.defer(() => hasher.close());

  const caches = new Caches(config.cacheBytes);
  const afterSync = new AfterSync();
  const fatal = Promise.withResolvers<Error>();
  rejectLostDatabase(config.data);
  const database = await openServiceDatabase(options, { caches, afterSync, onFatal: fatal.resolve });
  unfinished.defer(() => database.close());
  await nextTurn(); // delivers a signal that came during a long migration
  options.signal?.throwIfAborted();

  // this process has locked the folder, so it can create the files that are missing
  const { secrets, created: createdSecrets } = ensureSecrets(config);
  const { certificate: current, created: createdCertificates } = ensureCertificate(config, now());
  const lastEventFile = new LastEventFile(config.data, database.read);
  await claimDatabase(database, { config, log, lastEventFile });
  const createdAdmins = await addFirstAdmin(options, { database, hasher, now: now() });
  await lastEventFile.write(); // now, so that a later start notices if this database is lost
  const created = [...createdSecrets, ...createdCertificates, ...createdAdmins];

  const server = new HttpServer({ certificate: current, gate: gateFor(config) });
  const address = await listen(server, config);
  unfinished.defer(() => server.close());
  const publicUrl = publicUrlOf(config, address.port);
  const onRenewal = (renewed: Certificate): void => server.renew(renewed);
  const certificate = new CertificateKeeper({ config, log, now, current, onRenewal });
  const stopping = new AbortController();
  const environment = { log, now, timers, lookup, stopping: stopping.signal };
  const app = createApp(
    { config, publicUrl, secrets, extraRoutes },
    { database, caches, afterSync, hasher, server, certificate, ...environment },
  );
  server.setHandler(app.handler);

  unfinished.move(); // from now on the service closes them
  const urls = { publicUrl, localUrl: localUrlOf(config, address) };
  const service = new Service({ app, database, hasher, server, certificate, stopping, created, ...urls });
  void fatal.promise.then((error) => service.stop().finally(() => onFatal(error)));
  return service;
}

function openServiceDatabase(
  { config, log, signal = new AbortController().signal, storage = {} }: ServiceOptions,
  listeners: { readonly caches: Caches; readonly afterSync: AfterSync; onFatal(error: Error): void },
): Promise<Database> {
  const { caches, afterSync } = listeners;
  return openDatabase({
    folder: config.data,
    migrations,
    checkpoints: config.checkpoints,
    onSync(invalidations) {
      caches.invalidate(invalidations);
      afterSync.notify(invalidations);
    },
    onExternalCommit() {
      caches.clear();
      afterSync.notify([{ kind: 'everything' }]);
    },
    onFatal(error) {
      log.write('error', 'syncing to disk failed: stopping, so that a restart recovers from the WAL', {
        cause: String(error),
      });
      listeners.onFatal(error);
    },
    log: (level, message, fields) => log.write(level, message, { ...fields }),
    signal,
    ...storage,
  });
}

type Claim = {
  readonly config: Config;
  readonly log: Logger;
  readonly lastEventFile: Pick<LastEventFile, 'missingEvent'>;
};

/** A copied or restored database begins a new epoch of the feed, which invalidates existing cursors. */
async function claimDatabase(database: Database, { config, log, lastEventFile }: Claim): Promise<void> {
  const identity = databaseIdentity(databaseFile(config.data));
  const { missingEvent } = lastEventFile;
  if (feedFile(database.read) === identity && missingEvent === undefined) return;
  if (missingEvent !== undefined) {
    const { latest } = feedBounds(database.read);
    const what = `the database ends at event ${latest}, but had events up to ${missingEvent}`;
    log.write('warn', `${what}: it is an older copy, or its write-ahead log was lost`);
  }
  await database.write((writer) => claimFeed(writer, identity));
}

/** The signal also ends the hashing of the password, which takes a while. */
async function addFirstAdmin(
  { config, signal }: ServiceOptions,
  { database, hasher, now }: { database: Database; hasher: PasswordHasher; now: number },
): Promise<readonly string[]> {
  signal?.throwIfAborted();
  const endHashing = (): unknown => hasher.close();
  signal?.addEventListener('abort', endHashing, { once: true });
  try {
    const admin = await createFirstAdmin(config, {
      read: database.read,
      write: (callback) => database.write(callback),
      hasher,
      now,
    });
    return admin === undefined ? [] : [admin];
  } finally {
    signal?.removeEventListener('abort', endHashing);
  }
}

/** The parts of a running service. */
type ServiceParts = {
  readonly app: App;
  readonly database: Database;
  readonly hasher: PasswordHasher;
  readonly server: HttpServer;
  readonly certificate: CertificateKeeper;
  /** Aborted when the service begins to stop. */
  readonly stopping: AbortController;
  readonly publicUrl: string;
  readonly localUrl: string;
  readonly created: readonly string[];
};

export class Service {
  readonly app: App;
  readonly database: Database;
  readonly publicUrl: string;
  readonly localUrl: string;
  /** A line for each file or account that this start created. */
  readonly created: readonly string[];
  readonly #parts: ServiceParts;
  #stopped: Promise<void> | undefined;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
    this.app = parts.app;
    this.database = parts.database;
    this.publicUrl = parts.publicUrl;
    this.localUrl = parts.localUrl;
    this.created = parts.created;
  }

  get connections(): ConnectionCounts {
    return this.#parts.server.connections;
  }

  /** Stops accepting connections, finishes open requests, and stores the state that is only in memory. */
  stop(): Promise<void> {
    this.#stopped ??= this.#finish();
    return this.#stopped;
  }

  /** Reads the certificate again, for new connections. */
  reload(): void {
    this.#parts.certificate.reload();
  }

  async #finish(): Promise<void> {
    const { app, database, hasher, server, certificate, stopping } = this.#parts;
    stopping.abort();
    certificate.close();
    app.live.close(); // open streams would keep the server from closing
    await server.close();
    app.handler.close();
    await app.deliveries.close();
    await app.cleanup.run().catch(() => {}); // the next start does the rest
    app.cleanup.close();
    app.metrics.close();
    await Promise.all([database.close(), hasher.close()]);
  }
}
