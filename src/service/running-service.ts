// A whole service from start to stop: database, secrets, certificate, server and app.
import { existsSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { addressesIn, type AddressLookup } from '../base/addresses.ts';
import { capacity } from '../base/capacity.ts';
import type { CallerLookups } from '../auth/caller-cache.ts';
import { createAuthenticator } from '../auth/credentials.ts';
import { createPasswordHasher, type PasswordHasher } from '../auth/password.ts';
import type { Config } from '../config/config.ts';
import { Exports } from '../http/lists/export.ts';
import { HttpServer, type Certificate, type ConnectionCounts } from '../http/connections/http-server.ts';
import { createMetrics, type Metrics } from '../http/telemetry/metrics.ts';
import { RequestHandler } from '../http/requests/request-handler.ts';
import { RequestLog } from '../http/requests/request-log.ts';
import { createCors } from '../http/responses/cors.ts';
import { UnsentResponses } from '../http/responses/unsent-responses.ts';
import type { Route } from '../http/routing/route.ts';
import { Router } from '../http/routing/router.ts';
import type { Logger } from '../base/logger.ts';
import type { Family } from '../base/prometheus.ts';
import { countBuckets, createLimiters } from '../rates/limiter.ts';
import { findKeyCaller } from '../features/keys/key-store.ts';
import { CurrentShop } from '../features/shop/shop-store.ts';
import { findSessionCaller } from '../features/sessions/session-store.ts';
import type { Readiness } from '../features/health/health-routes.ts';
import { lastBackupAt } from '../storage/backup.ts';
import type { Connection } from '../storage/connection.ts';
import { databaseFile } from '../storage/database-file.ts';
import { openDatabase, type Database, type DatabaseOptions } from '../storage/database.ts';
import { claimFolder } from '../storage/private-files.ts';
import type { Step } from '../storage/slices.ts';
import { StorageError } from '../storage/storage-error.ts';
import { systemTimers, type Timers } from '../base/timers.ts';
import { Caches } from './caches.ts';
import { createCore } from './core.ts';
import { CertificateKeeper, ensureCertificate } from './certificate-keeper.ts';
import { Cleanup } from './cleanup.ts';
import { ensureSecrets } from './cryptography.ts';
import type { FeatureParts } from '../features/feature.ts';
import { featuresWithout, migrations } from './features.ts';
import { createFirstAdmin } from '../features/users/first-admin.ts';
import { claimDatabase, LastEventFile, rejectLostDatabase } from './last-event-file.ts';
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
  /** What tests use instead of `dns.lookup`. */
  readonly lookup?: AddressLookup;
};

export type Service = {
  readonly app: {
    readonly router: Router;
    readonly handler: RequestHandler;
    readonly cleanup: Cleanup;
    readonly metrics: Metrics;
    readonly metricsText: () => string;
  };
  readonly database: Database;
  readonly publicUrl: string;
  readonly localUrl: string;
  /** A line for each file or account that this start created. */
  readonly created: readonly string[];
  /** Whether a feature that can be left out is there. */
  readonly has: (name: string) => boolean;
  readonly connections: ConnectionCounts;
  /** Stops accepting connections, finishes open requests, and stores the state that is only in memory. */
  stop(): Promise<void>;
  /** Reads the certificate again, for new connections. */
  reload(): void;
};

/**
 * Starts a whole service. The service locks its data folder. Throws ConfigError, CommandError and
 * StorageError.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, log, now = Date.now, timers = systemTimers, lookup, extraRoutes = [] } = options;
  const { hasher = createPasswordHasher(), onFatal = () => {} } = options;
  const { signal = new AbortController().signal, storage = {} } = options;
  await using unfinished = new AsyncDisposableStack(); // closed in reverse order if the start fails
  unfinished.defer(() => hasher.close());

  const creators = await Promise.all(featuresWithout(config.without).map((feature) => feature.load()));
  const parts: FeatureParts[] = []; // of each feature, once the service listens
  const caches = new Caches(config.cacheBytes);
  const fatal = Promise.withResolvers<Error>();

  claimFolder(config.dataFolder);
  rejectLostDatabase(config.dataFolder);
  const isNew = !existsSync(databaseFile(config.dataFolder));
  const database = await openDatabase({
    folder: config.dataFolder,
    migrations,
    checkpoints: config.checkpoints,
    onDurableChanges(invalidations) {
      for (const each of invalidations) caches.invalidate(each);
      for (const each of parts) each.onDurableChanges?.(invalidations);
    },
    onFatal(error) {
      logFatal(log, error);
      fatal.resolve(error);
    },
    log: (level, message, fields) => log.write(level, message, { ...fields }),
    signal,
    ...storage,
  });
  unfinished.defer(() => database.close());
  if (isNew)
    log.write(
      'warn',
      `There was no database in ${config.dataFolder}: a new, empty one was made. Should there be one, is its disk mounted?`,
    );
  await nextTurn(); // delivers a signal that was sent during a long migration
  signal.throwIfAborted();

  const completed = await completeFolder(database, { config, log, now, hasher, signal });
  const { secrets, certificate: current, lastEventFile, created } = completed;

  const server = new HttpServer({
    certificate: current,
    connectionsMax: openConnectionsMax(),
    connectionsPerAddressMax: config.connectionsPerAddress,
    silenceMilliseconds: config.keepAliveSeconds * 1000,
    isTrusted: addressesIn(config.trustedProxy),
  });
  const address = await listen(server, config);
  unfinished.defer(() => server.close());
  const publicUrl = publicUrlOf(config, address.port);
  const onRenewal = (renewed: Certificate): void => server.renew(renewed);
  const certificate = new CertificateKeeper({ config, log, now, current, onRenewal });

  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  const metrics = createMetrics();
  const limiters = createLimiters(config.rates);
  const exports = new Exports({ log, timers });
  const steps = (): Step[] => parts.flatMap((each) => each.cleanup ?? []);
  const cleanup = new Cleanup({ database, isStopping, lastEventFile, steps });

  const figures = () => ({
    storage: database.stats,
    buckets: countBuckets(limiters),
    connections: server.connections,
    caches: [caches.orders, caches.customers],
    passwordsWaiting: hasher.waiting,
    exports: exports.counts,
    certificateExpiresAt: certificate.notAfter,
    lastBackupAt: lastBackupAt(config.dataFolder),
  });
  const familiesOf = (each: FeatureParts): readonly Family[] => each.metrics?.() ?? [];
  const metricsText = (): string => metrics.text(figures(), parts.flatMap(familiesOf));

  const { core, router, responses } = createCore({
    config,
    publicUrl,
    limiters,
    secrets,
    hasher,
    database,
    caches,
    shop: new CurrentShop(database.read, config),
    exports,
    log,
    now,
    timers,
    lookup,
    stopping: stopping.signal,
    metricsText,
    readiness: () => readinessOf(isStopping(), database),
    authorityPem: () => certificate.authorityPem,
    runCleanup: () => cleanup.runInBackground(),
  });
  const { turns, signer, has } = core;
  parts.push(...creators.map((create) => create(core)));
  for (const group of parts.flatMap((each) => each.groups)) router.mount(group);
  router.mount({ routes: extraRoutes, invalidStatus: 400 });
  for (const each of parts) each.start?.();

  const lookupsOf = (db: Connection): CallerLookups => ({
    findSession: (id) => findSessionCaller(db, id),
    findKey: (id) => findKeyCaller(db, id),
  });
  const authenticator = createAuthenticator({
    signer,
    lookups: lookupsOf(database.read),
    cache: caches.callers,
    onKeyUse: (keyId, time) => cleanup.recordKeyUse(keyId, time),
  });
  const handler = new RequestHandler({
    router,
    call: { database, authenticator, lookupsOf, now },
    respond: {
      publicUrl,
      isTls: config.tls.mode !== 'off',
      isStopping,
      keepAliveSeconds: config.keepAliveSeconds,
      now,
      turns,
      cors: createCors(new Set(config.corsOrigins)),
      log: new RequestLog(log, timers),
      metrics,
      unsent: new UnsentResponses(capacity.unsentBytes, () => (metrics.dropped.unread += 1)),
    },
    limiters,
    responses,
    acceptsQueryKeys: config.apiKeyQuery,
    log,
  });
  server.setHandler(handler);

  async function finish(): Promise<void> {
    stopping.abort();
    certificate.close();
    // all together, since open streams would keep the server from closing
    await Promise.all([...parts.map((each) => each.close?.()), server.close()]);
    handler.close();
    await cleanup.run().catch(() => {}); // the next start does the rest
    cleanup.close();
    metrics.close();
    await Promise.all([database.close(), hasher.close()]);
  }

  let stopped: Promise<void> | undefined;
  const service: Service = {
    app: { router, handler, cleanup, metrics, metricsText },
    database,
    publicUrl,
    localUrl: localUrlOf(config, address),
    created,
    has,
    get connections() {
      return server.connections;
    },
    stop() {
      stopped ??= finish();
      return stopped;
    },
    reload: () => certificate.reload(),
  };
  unfinished.move(); // from now on `stop` closes the parts
  void fatal.promise.then((error) => service.stop().finally(() => onFatal(error)));
  return service;
}

type FolderOptions = Required<Pick<ServiceOptions, 'config' | 'log' | 'now' | 'hasher' | 'signal'>>;

/** Creates what the folder lacks: this process has locked it. */
async function completeFolder(database: Database, { config, log, now, hasher, signal }: FolderOptions) {
  const { secrets, created: createdSecrets } = ensureSecrets(config);
  const { certificate, created: createdCertificates } = ensureCertificate(config, now());
  const lastEventFile = new LastEventFile(config.dataFolder, database.read);
  await claimDatabase(database, lastEventFile, log);
  signal.throwIfAborted();
  const endHashing = (): unknown => hasher.close(); // it takes a while
  signal.addEventListener('abort', endHashing);
  const admin = await createFirstAdmin(config, {
    read: database.read,
    write: (callback) => database.write(callback),
    hasher,
    now: now(),
  });
  signal.removeEventListener('abort', endHashing);
  await lastEventFile.write(); // written now, so that a later start notices the loss of this database
  const created = [...createdSecrets, ...createdCertificates, ...(admin === undefined ? [] : [admin])];
  return { secrets, certificate, lastEventFile, created };
}

function readinessOf(isStopping: boolean, { stats }: Pick<Database, 'stats'>): Readiness {
  if (isStopping) return 'stopping';
  return stats.canWrite ? 'ready' : 'read-only';
}

function logFatal(log: Logger, error: Error): void {
  if (error instanceof StorageError) return log.write('error', error.message);
  log.write('error', 'syncing to disk failed: stopping, so that a restart recovers from the WAL', {
    cause: String(error),
  });
}
