// What every request is handled with: the two interfaces, and what their handlers use.
import { handleWithinQuota } from './assembly/daily-quotas.ts';
import type { AfterSync } from './assembly/after-sync.ts';
import { countBuckets, createLimiters, type Limiters } from './assembly/limiters.ts';
import type { Caches } from './assembly/caches.ts';
import { Cleanup } from './assembly/cleanup.ts';
import type { CallerSources } from './auth/caller-cache.ts';
import { createAuthenticator, type Authenticator } from './auth/credentials.ts';
import { createSigner, type Signer } from './auth/jwt.ts';
import { createMacs } from './auth/mac.ts';
import { RefreshTokens } from './auth/refresh-tokens.ts';
import type { PasswordHasher } from './auth/password.ts';
import { SealedSecrets } from './auth/sealed-secrets.ts';
import type { Config } from './config/config.ts';
import type { ConnectionCounts } from './http/connection-gate.ts';
import { createCursors, type Cursors } from './http/cursor.ts';
import { Exports } from './http/export.ts';
import { createMetrics, type Metrics } from './http/metrics.ts';
import { addressesIn } from './network/address-blocks.ts';
import { RequestHandler } from './http/request-handler.ts';
import type { Route } from './http/route.ts';
import type { Router } from './http/router.ts';
import { WebhookTargets } from './network/webhook-targets.ts';
import type { Timers } from './timers.ts';
import { Deliveries } from './webhooks/deliveries.ts';
import { OutgoingPosts, type AddressLookup } from './http/outgoing-posts.ts';
import { mountInterfaces, type HandlerServices } from './interfaces.ts';
import type { Logger } from './logger.ts';
import { feedBounds } from './resources/events/event-store.ts';
import { LiveFeed } from './feed/live-feed.ts';
import { PasswordChecks } from './resources/flows/password-checks.ts';
import { findKeyCaller } from './resources/keys/key-store.ts';
import { isKnownAddress } from './resources/sessions/known-address-store.ts';
import { findSessionCaller } from './resources/sessions/session-store.ts';
import { createStoredResponses } from './http/stored-response-store.ts';
import { findPassword } from './resources/users/user-store.ts';
import { lastBackup } from './storage/backup-traces.ts';
import type { Connection } from './storage/connection.ts';
import type { Database } from './storage/database.ts';

export type AppOptions = {
  readonly config: Config;
  readonly publicUrl: string;
  readonly secrets: readonly Uint8Array[];
  readonly db: Database;
  readonly caches: Caches;
  readonly afterSync: AfterSync;
  readonly hasher: PasswordHasher;
  readonly log: Logger;
  readonly now: () => number;
  readonly connections: () => ConnectionCounts;
  readonly certificateEnd: () => number | undefined;
  readonly isStopping: () => boolean;
  /** Called once a user's password has been replaced, with their e-mail address before that. */
  readonly onPasswordChange: (email: string) => void;
  /** Routes of a test's own. */
  readonly extraRoutes: readonly Route[];
  readonly timers: Timers;
  /** Of webhooks' receivers, instead of the system's. */
  readonly lookup: AddressLookup | undefined;
};

/** What both the handlers of routes and the path to them use. */
type SharedParts = {
  readonly signer: Signer;
  readonly limiters: Limiters;
  readonly metrics: Metrics;
  readonly cleanup: Cleanup;
  readonly deliveries: Deliveries;
  readonly webhookTargets: WebhookTargets;
  readonly webhookSecrets: SealedSecrets;
  readonly totpSecrets: SealedSecrets;
  readonly cursors: Cursors;
  readonly live: LiveFeed;
};

export type App = ReturnType<typeof createApp>;

export function createApp(options: AppOptions) {
  const { config, publicUrl, secrets, db, log, now, isStopping, extraRoutes } = options;
  const webhookTargets = new WebhookTargets(config.webhookAllow);
  const webhookSecrets = new SealedSecrets(secrets, 'webhook secrets');
  const totpSecrets = new SealedSecrets(secrets, 'totp');
  const cleanup = new Cleanup({
    db,
    now,
    eventsDays: config.eventsDays,
    isStopping,
    totpSecrets,
    webhookSecrets,
  });
  const metrics = createMetrics();
  const cursors = createCursors(createMacs(secrets, 'cursors'));
  const live = new LiveFeed({ db: db.read, cursors, log, now });
  options.afterSync.add((invalidations) => live.onSync(invalidations));
  const parts: SharedParts = {
    signer: createSigner({ secrets, issuer: publicUrl, audience: publicUrl }),
    limiters: createLimiters(config.rates),
    metrics,
    cleanup,
    totpSecrets,
    cursors,
    live,
    webhookTargets,
    webhookSecrets,
    deliveries: createDeliveries(options, webhookTargets, webhookSecrets),
  };
  const metricsText = (): string => metricsTextOf(options, parts, router);
  const services = handlerServices(options, parts, metricsText);
  const router: Router = mountInterfaces({ config, publicUrl, services, extraRoutes });
  return {
    router,
    handler: requestHandler(options, parts, router),
    metricsText,
    cleanUp: () => cleanup.run(),
    checkStreams: () => live.check(),
    endStreams: () => live.close(),
    endDeliveries: () => parts.deliveries.close(),
    close() {
      cleanup.close();
      metrics.close();
    },
  };
}

function createDeliveries(
  { db, now, timers, log, lookup, afterSync }: AppOptions,
  targets: WebhookTargets,
  secrets: SealedSecrets,
): Deliveries {
  const posts = new OutgoingPosts(targets, lookup);
  const deliveries = new Deliveries({ db, posts, secrets, now, timers, log });
  afterSync.add((invalidations) => deliveries.onSync(invalidations));
  return deliveries;
}

function handlerServices(
  { secrets, db, caches, hasher, log, isStopping, onPasswordChange }: AppOptions,
  { signer, limiters, cleanup, totpSecrets, cursors, live, webhookSecrets, webhookTargets }: SharedParts,
  metrics: () => string,
): HandlerServices {
  return {
    passwords: new PasswordChecks({ hasher, limiters, findPassword, isKnownAddress }),
    signer,
    refreshTokens: new RefreshTokens(secrets),
    totpSecrets,
    cursors,
    live,
    exports: new Exports({ log }),
    caches,
    created: limiters.created,
    changed: limiters.changed,
    signUps: limiters.signUps,
    removeLeftovers: () => cleanup.begin(),
    onPasswordChange,
    webhookSecrets,
    webhookTargets,
    metrics,
    readiness() {
      if (isStopping()) return 'stopping';
      return db.stats.canWrite ? 'ready' : 'read-only';
    },
  };
}

function metricsTextOf(
  { config, db, caches, hasher, connections, certificateEnd }: AppOptions,
  { limiters, metrics, live, deliveries }: SharedParts,
  { mounted }: Router,
): string {
  return metrics.text({
    mounted,
    storage: db.stats,
    buckets: countBuckets(limiters),
    connections: connections(),
    webhooks: deliveries.counts(),
    caches: [caches.orders, caches.customers],
    passwordsWaiting: hasher.waiting,
    streams: { open: live.open, ...live.counts },
    feed: feedBounds(db.read),
    certificateEnd: certificateEnd(),
    lastBackup: lastBackup(config.data),
  });
}

function requestHandler(options: AppOptions, parts: SharedParts, router: Router): RequestHandler {
  const { config, publicUrl, secrets, db, log, now, isStopping } = options;
  const { limiters, metrics } = parts;
  return new RequestHandler({
    router,
    authenticator: authenticatorOf(options, parts),
    sourcesOf,
    db,
    limiters,
    handleAsCreation: (route, context) => handleWithinQuota(route, context, limiters.created),
    publicUrl,
    now,
    log,
    metrics,
    responses: createStoredResponses(createMacs(secrets, 'fingerprints')),
    isTrusted: addressesIn(config.trustedProxy),
    takesQueryKeys: config.apiKeyQuery,
    isTls: config.tls.mode !== 'off',
    corsOrigins: new Set(config.corsOrigins),
    isStopping,
  });
}

function authenticatorOf({ db, caches }: AppOptions, { signer, cleanup }: SharedParts): Authenticator {
  return createAuthenticator({
    signer,
    sources: sourcesOf(db.read),
    cache: caches.callers,
    onKeyUse: (keyId, time) => cleanup.noteKeyUse(keyId, time),
  });
}

function sourcesOf(db: Connection): CallerSources {
  return { findSession: (id) => findSessionCaller(db, id), findKey: (id) => findKeyCaller(db, id) };
}
