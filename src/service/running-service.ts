// A whole service from start to stop: database, secrets, certificate, server, features, and the handler of requests.
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CallerLookups } from '../auth/caller-cache.ts';
import { createAuthenticator } from '../auth/credentials.ts';
import { createPasswordHasher, type PasswordHasher } from '../auth/password.ts';
import { addressesIn, type AddressLookup } from '../base/addresses.ts';
import { capacity } from '../base/capacity.ts';
import type { Logger } from '../base/logger.ts';
import { systemTimers, type Timers } from '../base/timers.ts';
import type { Config } from '../config/config.ts';
import type { FeatureParts, FeatureServices } from '../features/feature.ts';
import type { Readiness } from '../features/health/health-routes.ts';
import { findKeyCaller } from '../features/keys/key-store.ts';
import { findSessionCaller } from '../features/sessions/session-store.ts';
import { CurrentShop } from '../features/shop/shop-store.ts';
import { createFirstAdmin } from '../features/users/first-admin.ts';
import { HttpServer, type Certificate, type ConnectionCounts } from '../http/connections/http-server.ts';
import { RequestHandler } from '../http/requests/request-handler.ts';
import { RequestLog } from '../http/requests/request-log.ts';
import { createCors } from '../http/responses/cors.ts';
import { UnsentResponses } from '../http/responses/unsent-responses.ts';
import type { Route } from '../http/routing/route.ts';
import type { Router } from '../http/routing/router.ts';
import { createMetrics } from '../http/telemetry/metrics.ts';
import { countBuckets } from '../rates/limiter.ts';
import { lastBackupAt } from '../storage/backup.ts';
import type { Connection, Invalidation } from '../storage/connection.ts';
import { databaseFile } from '../storage/database-file.ts';
import { openDatabase, type Database, type DatabaseOptions } from '../storage/database.ts';
import { claimFolder } from '../storage/private-files.ts';
import { StorageError } from '../storage/storage-error.ts';
import { CertificateKeeper, ensureCertificate } from './certificate-keeper.ts';
import { Cleanup } from './cleanup.ts';
import { createCore, type Core } from './core.ts';
import { ensureSecrets } from './cryptography.ts';
import { featuresWithout, migrations } from './features.ts';
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

/**
 * Starts a whole service. The service locks its data folder. Throws ConfigError, CommandError and
 * StorageError.
 */
export async function startService(given: ServiceOptions): Promise<Service> {
  const hasher = given.hasher ?? createPasswordHasher();
  const options = { now: Date.now, timers: systemTimers, ...given, hasher };
  const { config, onFatal } = options;
  await using unfinished = new AsyncDisposableStack(); // closed in reverse order if the start fails
  unfinished.defer(() => hasher.close());

  const creators = await Promise.all(featuresWithout(config.without).map((feature) => feature.load()));
  const fatal = Promise.withResolvers<Error>();
  let service: Service | undefined; // there is none until it listens
  const database = await openInFolder(options, {
    onDurableChanges: (invalidations) => service?.onDurableChanges(invalidations),
    onFatal: fatal.resolve,
  });
  unfinished.defer(() => database.close());
  const files = await completeFolder(database, options);

  const server = createServer(config, files.certificate);
  unfinished.defer(() => server.close());
  const address = await listen(server, config);
  const started = new Service({ ...options, database, files, creators, server, address });
  service = started;
  server.answerBy(started.handler);
  unfinished.move(); // from now on `stop` closes the parts
  void fatal.promise.then((error) => started.stop().finally(() => onFatal?.(error)));
  return started;
}

type StartOptions = ServiceOptions & Required<Pick<ServiceOptions, 'now' | 'timers' | 'hasher'>>;

/** Opens the database of the folder, which nobody else may use from now on. */
async function openInFolder(
  { config, log, storage, signal }: StartOptions,
  { onDurableChanges, onFatal }: Pick<DatabaseOptions, 'onDurableChanges' | 'onFatal'>,
): Promise<Database> {
  const { dataFolder: folder, checkpoints } = config;
  claimFolder(folder);
  rejectLostDatabase(folder);
  const isNew = !existsSync(databaseFile(folder));
  const database = await openDatabase({
    folder,
    migrations,
    checkpoints,
    onDurableChanges,
    onFatal(error) {
      logFatal(log, error);
      onFatal(error);
    },
    log: (level, message, fields) => log.write(level, message, { ...fields }),
    ...(signal && { signal }),
    ...storage,
  });
  if (isNew)
    log.write(
      'warn',
      `There was no database in ${folder}: a new, empty one was made. Should there be one, is its disk mounted?`,
    );
  return database;
}

/** Creates what the folder lacks. */
async function completeFolder(database: Database, { config, log, now, hasher, signal }: StartOptions) {
  await nextTurn(); // delivers a signal that was sent during a long migration
  signal?.throwIfAborted();
  const { secrets, created: createdSecrets } = ensureSecrets(config);
  const { certificate, created: createdCertificates } = ensureCertificate(config, now());
  const lastEventFile = new LastEventFile(config.dataFolder, database.read);
  await claimDatabase(database, lastEventFile, log);
  signal?.throwIfAborted();
  const endHashing = (): unknown => hasher.close(); // it takes a while
  signal?.addEventListener('abort', endHashing);
  const admin = await createFirstAdmin(config, {
    read: database.read,
    write: (callback) => database.write(callback),
    hasher,
    now: now(),
  });
  signal?.removeEventListener('abort', endHashing);
  await lastEventFile.write(); // written now, so that a later start notices the loss of this database
  const created = [...createdSecrets, ...createdCertificates, ...(admin === undefined ? [] : [admin])];
  return { secrets, certificate, lastEventFile, created };
}

function createServer(config: Config, certificate: Certificate | undefined): HttpServer {
  return new HttpServer({
    certificate,
    connectionsMax: openConnectionsMax(),
    connectionsPerAddressMax: config.connectionsPerAddress,
    silenceMilliseconds: config.keepAliveSeconds * 1000,
    isTrusted: addressesIn(config.trustedProxy),
  });
}

function logFatal(log: Logger, error: Error): void {
  if (error instanceof StorageError) return log.write('error', error.message);
  log.write('error', 'syncing to disk failed: stopping, so that a restart recovers from the WAL', {
    cause: String(error),
  });
}

type Parts = StartOptions & {
  readonly database: Database;
  readonly files: Awaited<ReturnType<typeof completeFolder>>;
  readonly creators: readonly ((services: FeatureServices) => FeatureParts)[];
  readonly server: HttpServer;
  readonly address: AddressInfo;
};

/** A service that listens. */
export class Service {
  readonly publicUrl: string;
  readonly localUrl: string;
  readonly database: Database;
  readonly router: Router;
  readonly handler: RequestHandler;
  readonly cleanup: Cleanup;
  readonly metrics = createMetrics();
  readonly #parts: Parts;
  readonly #stopping = new AbortController();
  readonly #certificate: CertificateKeeper;
  readonly #core: Core;
  readonly #features: readonly FeatureParts[];
  #stopped: Promise<void> | undefined;

  constructor(parts: Parts) {
    const { config, log, now, database, files, creators, server, address, extraRoutes = [] } = parts;
    this.publicUrl = publicUrlOf(config, address.port);
    this.localUrl = localUrlOf(config, address);
    this.database = database;
    this.#parts = parts;
    const onRenewal = (renewed: Certificate): void => server.renew(renewed);
    this.#certificate = new CertificateKeeper({ config, log, now, current: files.certificate, onRenewal });
    this.cleanup = new Cleanup({
      database,
      isStopping: () => this.#isStopping,
      lastEventFile: files.lastEventFile,
      steps: () => this.#features.flatMap((each) => each.cleanup ?? []),
    });
    this.#core = this.#createCore();
    this.#features = creators.map((create) => create(this.#core.services));
    this.router = this.#core.router;
    for (const group of this.#features.flatMap((each) => each.groups)) this.router.mount(group);
    this.router.mount({ routes: extraRoutes, invalidStatus: 400 });
    this.handler = this.#createHandler();
    for (const each of this.#features) each.start?.();
  }

  /** A line for each file or account that this start created. */
  get created(): readonly string[] {
    return this.#parts.files.created;
  }

  get connections(): ConnectionCounts {
    return this.#parts.server.connections;
  }

  /** Whether a feature that can be left out is there. */
  has(name: string): boolean {
    return this.#core.services.has(name);
  }

  /** Reads the certificate again, for new connections. */
  reload(): void {
    this.#certificate.reload();
  }

  /** Stops accepting connections, finishes open requests, and stores the state that is only in memory. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** Called once changes are on disk, before anybody reads them. */
  onDurableChanges(invalidations: readonly Invalidation[]): void {
    for (const each of invalidations) this.#core.caches.invalidate(each);
    for (const each of this.#features) each.onDurableChanges?.(invalidations);
  }

  metricsText(): string {
    const { services, caches, exports } = this.#core;
    const figures = {
      storage: this.database.stats,
      buckets: countBuckets(services.limiters),
      connections: this.connections,
      caches: [caches.orders, caches.customers],
      passwordsWaiting: this.#parts.hasher.waiting,
      certificateExpiresAt: this.#certificate.notAfter,
      lastBackupAt: lastBackupAt(this.#parts.config.dataFolder),
    };
    const ofFeatures = this.#features.flatMap((each) => each.metrics?.() ?? []);
    return this.metrics.text(figures, [...exports.families(), ...ofFeatures]);
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  get #readiness(): Readiness {
    if (this.#isStopping) return 'stopping';
    return this.database.stats.canWrite ? 'ready' : 'read-only';
  }

  #createCore(): Core {
    const { config, files, hasher, log, now, timers, lookup } = this.#parts;
    return createCore({
      config,
      publicUrl: this.publicUrl,
      secrets: files.secrets,
      hasher,
      database: this.database,
      shop: new CurrentShop(this.database.read, config),
      log,
      now,
      timers,
      lookup,
      stopping: this.#stopping.signal,
      metricsText: () => this.metricsText(),
      readiness: () => this.#readiness,
      authorityPem: () => this.#certificate.authorityPem,
      runCleanup: () => this.cleanup.runInBackground(),
    });
  }

  #createHandler(): RequestHandler {
    const { database, metrics } = this;
    const { config, log, now, timers } = this.#parts;
    const { router, responseStore, caches, services } = this.#core;
    const authenticator = createAuthenticator({
      signer: services.signer,
      lookups: lookupsOf(database.read),
      cache: caches.callers,
      onKeyUse: (keyId, time) => this.cleanup.recordKeyUse(keyId, time),
    });
    return new RequestHandler({
      router,
      callServices: { database, authenticator, lookupsOf, now },
      responseServices: {
        publicUrl: this.publicUrl,
        isTls: config.tls.mode !== 'off',
        isStopping: () => this.#isStopping,
        keepAliveSeconds: config.keepAliveSeconds,
        now,
        turns: services.turns,
        cors: createCors(new Set(config.corsOrigins)),
        log: new RequestLog(log, timers),
        metrics,
        unsent: new UnsentResponses(capacity.unsentBytes, () => (metrics.dropped.unread += 1)),
      },
      limiters: services.limiters,
      responseStore,
      acceptsQueryKeys: config.apiKeyQuery,
      log,
    });
  }

  async #stop(): Promise<void> {
    const { server, hasher } = this.#parts;
    this.#stopping.abort();
    this.#certificate.close();
    // all together, since open streams would keep the server from closing
    await Promise.all([...this.#features.map((each) => each.close?.()), server.close()]);
    this.handler.close();
    await this.cleanup.run().catch(() => {}); // the next start does the rest
    this.cleanup.close();
    this.metrics.close();
    await Promise.all([this.database.close(), hasher.close()]);
  }
}

function lookupsOf(db: Connection): CallerLookups {
  return { findSession: (id) => findSessionCaller(db, id), findKey: (id) => findKeyCaller(db, id) };
}
