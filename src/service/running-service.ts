// A whole service from start to stop: database, secrets, certificate, server and app.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { addressesIn } from '../base/addresses.ts';
import { capacity } from '../base/capacity.ts';
import type { CallerLookups } from '../auth/caller-cache.ts';
import { createAuthenticator } from '../auth/credentials.ts';
import { createPasswordHasher, type PasswordHasher } from '../auth/password.ts';
import type { Config } from '../config/config.ts';
import { Exports } from '../http/lists/export.ts';
import { HttpServer, type Certificate, type ConnectionCounts } from '../http/connections/http-server.ts';
import { Lists } from '../http/lists/list.ts';
import { createMetrics, type Metrics } from '../http/telemetry/metrics.ts';
import { RequestHandler } from '../http/requests/request-handler.ts';
import type { Route } from '../http/routing/route.ts';
import { Router } from '../http/routing/router.ts';
import type { Logger } from '../base/logger.ts';
import { once } from '../base/once.ts';
import type { About } from '../openapi/openapi.ts';
import { countBuckets, createLimiters, type Limiters } from '../rates/limiter.ts';
import { claimFeed, copiedFile, feedBounds, feedFile, unknownFile } from '../features/events/feed-store.ts';
import { PasswordChecks } from '../features/users/password-checks.ts';
import { findKeyCaller } from '../features/keys/key-store.ts';
import { isKnownNetwork } from '../features/sessions/known-network-store.ts';
import { CurrentShop } from '../features/shop/current-shop.ts';
import { findSessionCaller } from '../features/sessions/session-store.ts';
import type { Readiness } from '../features/health/health-routes.ts';
import { findSignInAccount } from '../features/users/user-store.ts';
import { lastBackupAt } from '../storage/backup-traces.ts';
import type { Connection } from '../storage/connection.ts';
import { existsSync } from 'node:fs';
import { databaseFile } from '../storage/database-file.ts';
import { databaseIdentity } from '../storage/file-systems.ts';
import { openDatabase, type Database, type DatabaseOptions } from '../storage/database.ts';
import { claimFolder } from '../storage/private-files.ts';
import { StorageError } from '../storage/storage-error.ts';
import { systemTimers, type Timers } from '../base/timers.ts';
import { Turns } from '../base/turns.ts';
import { version } from '../base/version.ts';
import { Caches } from './caches.ts';
import { CertificateKeeper, ensureCertificate } from './certificate-keeper.ts';
import { Cleanup } from './cleanup.ts';
import { createCryptography, ensureSecrets } from './cryptography.ts';
import type { Core, FeatureParts } from '../features/feature.ts';
import { featuresWithout, migrations, problemPageOf, tagsOf } from './features.ts';
import { createFirstAdmin } from '../features/users/first-admin.ts';
import { LastEventFile, rejectLostDatabase } from './last-event-file.ts';
import { listen, localUrlOf, openConnectionsMax, publicUrlOf } from './listening.ts';

export type ServiceOptions = {
  readonly config: Config;
  readonly log: Logger;
  readonly now?: () => number;
  /** If the signal is aborted while the service starts, `startService` closes all parts and throws. */
  readonly signal?: AbortSignal;
  readonly onFatal?: (error: Error) => void;
  readonly hasher?: PasswordHasher;
  readonly storage?: Pick<DatabaseOptions, 'fdatasync' | 'sqlWorker'>;
  readonly extraRoutes?: readonly Route[];
  readonly timers?: Timers;
  /** The text of a function that tests use instead of `dns.lookup`. */
  readonly lookup?: string;
};

/**
 * Starts a whole service. The service locks its data folder. Throws ConfigError, CommandError and
 * StorageError.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, log, now = Date.now, timers = systemTimers, lookup, extraRoutes = [] } = options;
  const { hasher = createPasswordHasher(), onFatal = () => {} } = options;
  await using unfinished = new AsyncDisposableStack(); // closed in reverse order if the start fails
  unfinished.defer(() => hasher.close());

  const chosen = featuresWithout(config.without);
  const creators = await Promise.all(chosen.map((feature) => feature.load()));
  const parts: FeatureParts[] = []; // of each feature, once the service listens
  const caches = new Caches(config.cacheBytes);
  const fatal = Promise.withResolvers<Error>();
  claimFolder(config.dataFolder);
  rejectLostDatabase(config.dataFolder);
  const isNew = !existsSync(databaseFile(config.dataFolder));
  const database = await openServiceDatabase(options, { caches, parts, onFatal: fatal.resolve });
  unfinished.defer(() => database.close());
  if (isNew)
    log.write(
      'warn',
      `There was no database in ${config.dataFolder}: a new, empty one was made. Should there be one, is its disk mounted?`,
    );
  await nextTurn(); // delivers a signal that was sent during a long migration
  options.signal?.throwIfAborted();

  // this process has locked the folder, so it can create the files that are missing
  const { secrets, created: createdSecrets } = ensureSecrets(config);
  const { certificate: current, created: createdCertificates } = ensureCertificate(config, now());
  const lastEventFile = new LastEventFile(config.dataFolder, database.read);
  await claimDatabase(database, { config, log, lastEventFile });
  const createdAdmins = await addFirstAdmin(options, { database, hasher, now: now() });
  await lastEventFile.write(); // written now, so that a later start notices the loss of this database
  const created = [...createdSecrets, ...createdCertificates, ...createdAdmins];

  const isTrusted = addressesIn(config.trustedProxy);
  const server = new HttpServer({
    certificate: current,
    connectionsMax: openConnectionsMax(),
    connectionsPerAddressMax: config.connectionsPerAddress,
    keepAliveSeconds: config.keepAliveSeconds,
    isTrusted,
  });
  const address = await listen(server, config);
  unfinished.defer(() => server.close());
  const publicUrl = publicUrlOf(config, address.port);
  const onRenewal = (renewed: Certificate): void => server.renew(renewed);
  const certificate = new CertificateKeeper({ config, log, now, current, onRenewal });

  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  const cryptography = createCryptography(secrets, publicUrl);
  const limiters = createLimiters(config.rates);
  const metrics = createMetrics();
  const exports = new Exports({ log, timers });
  const lists = new Lists({ cursors: cryptography.cursors, exports });
  const router = new Router();
  const turns = new Turns();
  const cleanup = new Cleanup({
    database,
    isStopping,
    lastEventFile,
    steps: () => parts.flatMap((each) => each.cleanup ?? []),
  });
  const figures = { config, database, caches, limiters, hasher, server, certificate, exports };
  const metricsText = (): string =>
    metrics.text(
      figuresOf(figures),
      parts.flatMap((each) => each.metrics?.() ?? []),
    );
  const describe = describerOf(router, { tags: tagsOf(chosen), publicUrl, version }, turns);
  const core: Core = {
    ...cryptography,
    config,
    publicUrl,
    database,
    caches,
    shop: new CurrentShop(database.read, config),
    limiters,
    passwords: new PasswordChecks({ hasher, limiters, findSignInAccount, isKnownNetwork }),
    exports,
    lists,
    log,
    now,
    timers,
    turns,
    lookup,
    stopping: stopping.signal,
    has: (name) => chosen.some((feature) => feature.name === name),
    describe,
    problemPage: problemPageOf(chosen, describe),
    metricsText,
    readiness: () => readinessOf(isStopping(), database),
    authorityPem: () => certificate.authorityPem,
    ownerClearers: () => parts.flatMap((each) => each.clearOwner ?? []),
    cleanUp: () => cleanup.runInBackground(),
  };
  parts.push(...creators.map((create) => create(core)));
  for (const group of parts.flatMap((each) => each.groups)) router.mount(group);
  router.mount({ routes: extraRoutes, invalidStatus: 400 });
  for (const each of parts) each.start?.();

  const lookupsOf = (db: Connection): CallerLookups => ({
    findSession: (id) => findSessionCaller(db, id),
    findKey: (id) => findKeyCaller(db, id),
  });
  const authenticator = createAuthenticator({
    signer: cryptography.signer,
    lookups: lookupsOf(database.read),
    cache: caches.callers,
    onKeyUse: (keyId, time) => cleanup.recordKeyUse(keyId, time),
  });
  const handler = new RequestHandler({
    router,
    turns,
    authenticator,
    lookupsOf,
    database,
    limiters,
    publicUrl,
    now,
    timers,
    log,
    metrics,
    responses: cryptography.storedResponses,
    isTrusted,
    acceptsQueryKeys: config.apiKeyQuery,
    isTls: config.tls.mode !== 'off',
    corsOrigins: new Set(config.corsOrigins),
    isStopping,
    keepAliveSeconds: config.keepAliveSeconds,
    unsentBytesMax: capacity.unsentBytes,
  });
  server.setHandler(handler);

  unfinished.move(); // from now on the service closes its parts
  const service = new Service({
    app: { router, handler, cleanup, metrics, metricsText },
    parts,
    database,
    hasher,
    server,
    certificate,
    stopping,
    created,
    publicUrl,
    localUrl: localUrlOf(config, address),
    has: core.has,
  });
  void fatal.promise.then((error) => service.stop().finally(() => onFatal(error)));
  return service;
}

type Figures = {
  readonly config: Config;
  readonly database: Database;
  readonly caches: Caches;
  readonly limiters: Limiters;
  readonly hasher: PasswordHasher;
  readonly server: HttpServer;
  readonly certificate: CertificateKeeper;
  readonly exports: Exports;
};

/** Reads the service's own figures for /metrics. */
function figuresOf({ config, database, caches, limiters, hasher, server, certificate, exports }: Figures) {
  return {
    storage: database.stats,
    buckets: countBuckets(limiters),
    connections: server.connections,
    caches: [caches.orders, caches.customers],
    passwordsWaiting: hasher.waiting,
    exports: exports.counts,
    certificateExpiresAt: certificate.notAfter,
    lastBackupAt: lastBackupAt(config.dataFolder),
  };
}

/**
 * Returns a function that creates the OpenAPI document. The first call loads the generator and creates the
 * document.
 */
export function describerOf(
  router: Pick<Router, 'mounted'>,
  about: About,
  turns: Turns,
): () => Promise<object> {
  return once(async () => {
    const { openapiDocument } = await import('../openapi/openapi.ts');
    return turns.runSteps(openapiDocument(router.mounted, about));
  });
}

function readinessOf(isStopping: boolean, { stats }: Pick<Database, 'stats'>): Readiness {
  if (isStopping) return 'stopping';
  return stats.canWrite ? 'ready' : 'read-only';
}

type Listeners = {
  readonly caches: Caches;
  /** The parts of each feature; empty until the service listens. */
  readonly parts: readonly FeatureParts[];
  onFatal(error: Error): void;
};

function openServiceDatabase(
  { config, log, signal = new AbortController().signal, storage = {} }: ServiceOptions,
  { caches, parts, onFatal }: Listeners,
): Promise<Database> {
  return openDatabase({
    folder: config.dataFolder,
    migrations,
    checkpoints: config.checkpoints,
    onSync(invalidations) {
      caches.invalidate(invalidations);
      for (const each of parts) each.onSync?.(invalidations);
    },
    onExternalCommit() {
      caches.clear();
      for (const each of parts) each.onSync?.([{ kind: 'everything' }]);
    },
    onFatal(error) {
      if (error instanceof StorageError) log.write('error', error.message);
      else
        log.write('error', 'syncing to disk failed: stopping, so that a restart recovers from the WAL', {
          cause: String(error),
        });
      onFatal(error);
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
  const last = feedFile(database.read);
  const identity = databaseIdentity(databaseFile(config.dataFolder)) ?? unknownFile;
  const { missingEvent } = lastEventFile;
  const isOther = identity !== unknownFile && last !== unknownFile && last !== identity;
  const isCopy = last !== '' && (isOther || last === copiedFile || missingEvent !== undefined);
  if (missingEvent !== undefined) {
    const { latest } = feedBounds(database.read);
    const what = `the database ends at event ${latest}, but had events up to ${missingEvent}`;
    log.write('warn', `${what}: it is an older copy, or its write-ahead log was lost`);
  }
  if (isCopy)
    log.write('info', 'the database is a copy: readers of events have to begin again (410 events-gone)');
  const isKnown = last === identity || (identity === unknownFile && last !== '');
  if (isCopy || !isKnown) await database.write((writer) => claimFeed(writer, identity, isCopy));
}

/**
 * Creates the first administrator, if needed. The signal also ends the hashing of the password, which takes a
 * while.
 */
async function addFirstAdmin(
  { config, signal }: ServiceOptions,
  { database, hasher, now }: { database: Database; hasher: PasswordHasher; now: number },
): Promise<readonly string[]> {
  signal?.throwIfAborted();
  const endHashing = (): void => hasher.close();
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

/** The parts that handle requests, and the parts that run beside them. */
type App = {
  readonly router: Router;
  readonly handler: RequestHandler;
  readonly cleanup: Cleanup;
  readonly metrics: Metrics;
  readonly metricsText: () => string;
};

/** The parts of a running service. */
type ServiceParts = {
  readonly app: App;
  /** The parts of each feature, in the order of the features. */
  readonly parts: readonly FeatureParts[];
  readonly database: Database;
  readonly hasher: PasswordHasher;
  readonly server: HttpServer;
  readonly certificate: CertificateKeeper;
  /** Aborted when the service begins to stop. */
  readonly stopping: AbortController;
  readonly publicUrl: string;
  readonly localUrl: string;
  readonly created: readonly string[];
  /** Whether a feature that can be left out is there. */
  readonly has: (name: string) => boolean;
};

export class Service {
  readonly app: App;
  readonly database: Database;
  readonly publicUrl: string;
  readonly localUrl: string;
  /** A line for each file or account that this start created. */
  readonly created: readonly string[];
  /** Whether a feature that can be left out is there. */
  readonly has: (name: string) => boolean;
  readonly #parts: ServiceParts;
  #stopped: Promise<void> | undefined;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
    this.app = parts.app;
    this.database = parts.database;
    this.publicUrl = parts.publicUrl;
    this.localUrl = parts.localUrl;
    this.created = parts.created;
    this.has = parts.has;
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
    const { app, parts, database, hasher, server, certificate, stopping } = this.#parts;
    stopping.abort();
    certificate.close();
    // all together, since open streams would keep the server from closing
    await Promise.all([...parts.map((each) => each.close?.()), server.close()]);
    app.handler.close();
    await app.cleanup.run().catch(() => {}); // the next start does the rest
    app.cleanup.close();
    app.metrics.close();
    hasher.close();
    await database.close();
  }
}
