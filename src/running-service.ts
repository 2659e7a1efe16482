// A whole service, for people and for tests: caches, database, app and server, from start to stop.
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createApp, type App } from './app.ts';
import { removeAdminFile } from './assembly/admin-file.ts';
import { AfterSync } from './assembly/after-sync.ts';
import { Caches } from './assembly/caches.ts';
import { CertificateKeeper } from './assembly/certificate-keeper.ts';
import { makeFirstAdmin } from './assembly/first-admin.ts';
import { gateFor, listen, localUrlOf, publicUrlOf } from './assembly/listening.ts';
import { readCertificate, readSecrets } from './assembly/secrets-and-certificate.ts';
import { createPasswordHasher, type PasswordHasher } from './auth/password.ts';
import type { Config } from './config/config.ts';
import type { AddressLookup } from './http/outgoing-posts.ts';
import type { ConnectionCounts } from './http/connection-gate.ts';
import { HttpServer, type Certificate } from './http/http-server.ts';
import type { Route } from './http/route.ts';
import type { Logger } from './logger.ts';
import { claimFeed, feedFile } from './resources/events/event-store.ts';
import { migrations } from './migrations/migrations.ts';
import { databaseFile } from './storage/database-file.ts';
import { databaseIdentity } from './storage/database-identity.ts';
import { systemTimers, type Timers } from './timers.ts';
import { openDatabase, type Database, type DatabaseOptions } from './storage/database.ts';

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
  readonly timers?: Timers;
  readonly lookup?: AddressLookup;
};

/** The options with their defaults, and what is opened first. */
type ServiceParts = {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => number;
  readonly hasher: PasswordHasher;
  readonly extraRoutes: readonly Route[];
  readonly timers: Timers;
  readonly lookup: AddressLookup | undefined;
  readonly caches: Caches;
  readonly afterSync: AfterSync;
  readonly db: Database;
};

/** A whole service on a folder of its own. Throws ConfigError and StorageError. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const {
    config,
    log,
    now = Date.now,
    abandoned = new AbortController().signal,
    onFatal = () => {},
    hasher = createPasswordHasher(),
    extraRoutes = [],
    timers = systemTimers,
    lookup,
  } = options;
  const caches = new Caches(config.cacheBytes);
  const afterSync = new AfterSync();
  const fatal = Promise.withResolvers<Error>();
  const db = await openServiceDatabase(options, { caches, afterSync }, fatal.resolve);
  const abandonHashing = (): unknown => hasher.close();
  abandoned.addEventListener('abort', abandonHashing, { once: true });
  try {
    await nextTurn(); // a signal that came during a long migration is delivered in it
    abandoned.throwIfAborted();
    const parts = { config, log, now, hasher, extraRoutes, timers, lookup, caches, afterSync, db };
    const service = await openService(parts);
    void fatal.promise.then((error) => service.stop().finally(() => onFatal(error)));
    return service;
  } catch (error) {
    await Promise.all([db.close(), hasher.close()]);
    throw error;
  } finally {
    abandoned.removeEventListener('abort', abandonHashing);
  }
}

function openServiceDatabase(
  { config, log, abandoned, fdatasync }: ServiceOptions,
  { caches, afterSync }: Pick<ServiceParts, 'caches' | 'afterSync'>,
  onFatal: (error: Error) => void,
): Promise<Database> {
  return openDatabase({
    folder: config.data,
    migrations,
    onSync(invalidations) {
      caches.invalidate(invalidations);
      afterSync.run(invalidations);
    },
    onForeignChange() {
      caches.clear();
      afterSync.run([{ kind: 'everything' }]);
    },
    onFatal(error) {
      log.write('error', 'syncing to disk failed: stopping, so that a restart recovers from the WAL', {
        cause: error.message,
      });
      onFatal(error);
    },
    log: (level, message, fields) => log.write(level, message, { ...fields }),
    ...(abandoned === undefined ? {} : { abandoned }),
    ...(fdatasync === undefined ? {} : { fdatasync }),
  });
}

/** The folder is this process's from here on, so what it lacks can be made. */
async function openService(parts: ServiceParts): Promise<Service> {
  const { config, now, hasher, db } = parts;
  const created: string[] = [];
  const secrets = readSecrets(config, created);
  const certificate = readCertificate(config, now(), created);
  await claimDatabase(parts);
  const admin = await makeFirstAdmin(config, { read: db.read, write: db.write, hasher, now: now() });
  if (admin !== undefined) created.push(admin);
  const server = new HttpServer({ certificate, gate: gateFor(config) });
  const address = await listen(server, config);
  return new Service(parts, { secrets, server, certificate, address, created });
}

/** Where the database is a copy, cursors into its events are of the original. */
async function claimDatabase({ config, db }: ServiceParts): Promise<void> {
  const identity = databaseIdentity(databaseFile(config.data));
  if (feedFile(db.read) !== identity) await db.write((writer) => claimFeed(writer, identity));
}

type Listening = {
  readonly secrets: readonly Uint8Array[];
  readonly server: HttpServer;
  readonly certificate: Certificate | undefined;
  readonly address: AddressInfo;
  readonly created: readonly string[];
};

export class Service {
  readonly app: App;
  readonly db: Database;
  readonly publicUrl: string;
  readonly localUrl: string;
  /** What this start created in the folder, a line each. */
  readonly created: readonly string[];
  readonly #parts: ServiceParts;
  readonly #server: HttpServer;
  readonly #certificate: CertificateKeeper;
  #stopping: Promise<void> | undefined;

  constructor(parts: ServiceParts, { secrets, server, certificate, address, created }: Listening) {
    const { config, db } = parts;
    this.#parts = parts;
    this.#server = server;
    this.#certificate = new CertificateKeeper({
      ...parts,
      current: certificate,
      onRenewal: (renewed) => server.renew(renewed),
    });
    this.db = db;
    this.publicUrl = publicUrlOf(config, address.port);
    this.localUrl = localUrlOf(config, address);
    this.created = created;
    this.app = createApp({
      ...parts,
      secrets,
      publicUrl: this.publicUrl,
      connections: () => this.connections,
      certificateEnd: () => this.#certificate.end,
      isStopping: () => this.#stopping !== undefined,
      onPasswordChange: (email) => removeAdminFile(config.data, email),
    });
    server.handle(this.app.handler);
  }

  get connections(): ConnectionCounts {
    return this.#server.connections;
  }

  /** Stops accepting, finishes what runs, writes all. */
  stop(): Promise<void> {
    this.#stopping ??= this.#finish();
    return this.#stopping;
  }

  /** Reads the certificate again, for new connections. */
  reload(): void {
    this.#certificate.reload();
  }

  async #finish(): Promise<void> {
    const { db, hasher } = this.#parts;
    this.#certificate.close();
    this.app.endStreams();
    await this.#server.close();
    await this.app.endDeliveries();
    await this.app.cleanUp().catch(() => {}); // the next start does it
    this.app.close();
    await Promise.all([db.close(), hasher.close()]);
  }
}
