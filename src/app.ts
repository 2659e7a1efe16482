// The parts of a running service, for requests and beside them, in the order of their creation.
import { removeAdminFile } from './assembly/first-admin.ts';
import type { Caches } from './assembly/caches.ts';
import type { CertificateKeeper } from './assembly/certificate-keeper.ts';
import { Cleanup } from './assembly/cleanup.ts';
import { createCryptography, type Cryptography } from './assembly/cryptography.ts';
import { countBuckets, createLimiters } from './rates/limiter.ts';
import { LastEventFile } from './assembly/last-event-file.ts';
import type { CallerSources } from './auth/caller-cache.ts';
import { createAuthenticator } from './auth/credentials.ts';
import type { PasswordHasher } from './auth/password.ts';
import type { Config } from './config/config.ts';
import { LiveFeed } from './feed/live-feed.ts';
import { Exports } from './http/export.ts';
import type { HttpServer } from './http/http-server.ts';
import { createMetrics } from './http/metrics.ts';
import { Imports } from './http/line-imports.ts';
import { RequestHandler } from './http/request-handler.ts';
import type { Route } from './http/route.ts';
import type { Router } from './http/router.ts';
import { mountRoutes } from './route-groups.ts';
import type { Logger } from './base/logger.ts';
import { addressesIn } from './base/addresses.ts';
import { feedBounds } from './resources/events/feed-store.ts';
import { PasswordChecks } from './resources/flows/password-checks.ts';
import { findKeyCaller } from './resources/keys/key-store.ts';
import { isKnownAddress } from './resources/sessions/known-address-store.ts';
import { findSessionCaller } from './resources/sessions/session-store.ts';
import { findSignInAccount } from './resources/users/user-store.ts';
import { lastBackupAt } from './storage/backup-traces.ts';
import type { Connection } from './storage/connection.ts';
import type { Database } from './storage/database.ts';
import { WebhookTargets } from './resources/webhooks/webhook-targets.ts';
import type { Timers } from './base/timers.ts';
import { Deliveries } from './webhooks/deliveries.ts';
import { OutgoingPosts } from './webhooks/outgoing-posts.ts';
import type { Invalidation } from './storage/invalidation.ts';

type AppSettings = {
  readonly config: Config;
  readonly publicUrl: string;
  readonly secrets: readonly Uint8Array[];
  /** Additional routes, for tests. */
  readonly extraRoutes: readonly Route[];
};

/** The process as the parts use it: database, clock, log, timers and network. */
type AppDependencies = {
  readonly database: Database;
  readonly caches: Caches;
  readonly afterSync: AfterSync;
  readonly hasher: PasswordHasher;
  readonly server: Pick<HttpServer, 'connections'>;
  readonly certificate: Pick<CertificateKeeper, 'notAfter'>;
  readonly log: Logger;
  readonly now: () => number;
  readonly timers: Timers;
  /** The text of a function that tests use instead of `dns.lookup`. */
  readonly lookup: string | undefined;
  /** Aborted when the service begins to stop. */
  readonly stopping: AbortSignal;
};

export type App = ReturnType<typeof createApp>;

export function createApp(
  { config, publicUrl, secrets, extraRoutes }: AppSettings,
  dependencies: AppDependencies,
) {
  const cryptography = createCryptography(secrets, publicUrl);
  const parts = createParts(config, cryptography, dependencies);
  const { live, deliveries, cleanup, metrics } = parts;
  const metricsText = (): string => metrics.text(figuresOf(config, parts, dependencies));
  const services = { ...cryptography, ...servicesOf(config, parts, dependencies), metrics: metricsText };
  const router = mountRoutes({ config, publicUrl, extraRoutes }, services);
  const handler = createHandler({ config, publicUrl, cryptography, router }, parts, dependencies);
  return { router, handler, live, deliveries, cleanup, metrics, metricsText };
}

type Parts = ReturnType<typeof createParts>;

function createParts(config: Config, cryptography: Cryptography, dependencies: AppDependencies) {
  return {
    limiters: createLimiters(config.rates),
    metrics: createMetrics(),
    exports: new Exports(dependencies),
    imports: new Imports(dependencies),
    ...createBackground(config, cryptography, dependencies),
  };
}

/** Reads the figures of all parts, for the metrics. */
function figuresOf(
  config: Config,
  { limiters, live, deliveries, exports, imports }: Parts,
  { database, caches, hasher, server, certificate }: AppDependencies,
) {
  return {
    storage: database.stats,
    buckets: countBuckets(limiters),
    connections: server.connections,
    webhooks: deliveries.counts(),
    caches: [caches.orders, caches.customers, caches.pages],
    passwordsWaiting: hasher.waiting,
    streams: { open: live.open, ...live.counts },
    exports: exports.counts,
    imports: imports.counts,
    feed: feedBounds(database.read),
    certificateExpiresAt: certificate.notAfter,
    lastBackupAt: lastBackupAt(config.data),
  };
}

function servicesOf(
  { data }: Config,
  { limiters, live, deliveries, webhookTargets, cleanup, exports, imports }: Parts,
  dependencies: AppDependencies,
) {
  const { caches, hasher } = dependencies;
  return {
    limiters,
    caches,
    live,
    webhookTargets,
    onWebhookEnabled: (id: number) => deliveries.resume(id),
    cleanup,
    passwords: new PasswordChecks({ hasher, limiters, findSignInAccount, isKnownAddress }),
    exports,
    imports,
    onPasswordChange: (email: string) => removeAdminFile(data, email),
    readiness: () => readinessOf(dependencies),
  };
}

type HandlerParts = Pick<AppSettings, 'config' | 'publicUrl'> & {
  readonly cryptography: Cryptography;
  readonly router: Router;
};

function createHandler(
  { config, publicUrl, cryptography, router }: HandlerParts,
  { limiters, metrics, cleanup }: Parts,
  { database, caches, log, now, timers, stopping }: AppDependencies,
): RequestHandler {
  const authenticator = createAuthenticator({
    signer: cryptography.signer,
    sources: sourcesOf(database.read),
    cache: caches.callers,
    onKeyUse: (keyId, time) => cleanup.recordKeyUse(keyId, time),
  });
  return new RequestHandler({
    router,
    authenticator,
    sourcesOf,
    database,
    limiters,
    publicUrl,
    now,
    timers,
    log,
    metrics,
    responses: cryptography.storedResponses,
    isTrusted: addressesIn(config.trustedProxy),
    acceptsQueryKeys: config.apiKeyQuery,
    isTls: config.tls.mode !== 'off',
    corsOrigins: new Set(config.corsOrigins),
    isStopping: () => stopping.aborted,
  });
}

/** Creates the parts that run beside requests: after changes are on disk, or periodically. */
function createBackground(
  { data, eventsDays, webhookAllow }: Config,
  { cursors, totpSecrets, webhookSecrets }: Cryptography,
  { database, afterSync, log, now, timers, lookup, stopping }: AppDependencies,
) {
  const live = new LiveFeed({ db: database.read, cursors, log, now });
  afterSync.add((invalidations) => live.onSync(invalidations));
  const webhookTargets = new WebhookTargets(webhookAllow);
  const posts = new OutgoingPosts({ targets: webhookTargets, timers, lookup });
  const deliveries = new Deliveries({ database, posts, secrets: webhookSecrets, now, timers, log });
  afterSync.add((invalidations) => deliveries.onSync(invalidations));
  const lastEventFile = new LastEventFile(data, database.read);
  const secrets = { totpSecrets, webhookSecrets };
  const isStopping = (): boolean => stopping.aborted;
  const cleanup = new Cleanup({ database, now, eventsDays, isStopping, lastEventFile, ...secrets });
  return { live, deliveries, webhookTargets, cleanup };
}

function readinessOf({ database, stopping }: AppDependencies): 'ready' | 'stopping' | 'read-only' {
  if (stopping.aborted) return 'stopping';
  return database.stats.canWrite ? 'ready' : 'read-only';
}

function sourcesOf(db: Connection): CallerSources {
  return { findSession: (id) => findSessionCaller(db, id), findKey: (id) => findKeyCaller(db, id) };
}

type Listener = (invalidations: readonly Invalidation[]) => void;

/** The database is opened before the listening parts exist, so they are added later. */
export class AfterSync {
  readonly #listeners: Listener[] = [];

  add(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /**
   * Called once reads see the changes. Listeners must return immediately: the requests that made the changes
   * are answered after them.
   */
  notify(invalidations: readonly Invalidation[]): void {
    for (const listener of this.#listeners) listener(invalidations);
  }
}
