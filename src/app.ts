// The composition root: the two interfaces, and what every handler is given.
import type { Config } from './config.ts';
import type { CallerSources } from './auth/caller-cache.ts';
import { createAuthenticator } from './auth/credentials.ts';
import { createSigner } from './auth/jwt.ts';
import { createMacs } from './auth/mac.ts';
import type { PasswordHasher } from './auth/password.ts';
import type { Caches } from './caches.ts';
import type { ConnectionCounts } from './http/connection-gate.ts';
import { withCreatedQuota } from './http/created-quota.ts';
import { createCursors } from './http/cursor.ts';
import { createMetrics } from './http/metrics.ts';
import { openapiDocument } from './http/openapi.ts';
import { createPasswordChecks } from './http/password-checks.ts';
import { trustedProxies } from './http/peer.ts';
import { createLimiter } from './http/rate-limit.ts';
import type { Route } from './http/route.ts';
import { createRouter, type Router } from './http/router.ts';
import { createRequestHandlers } from './http/request-handler.ts';
import { once } from './memoize-last.ts';
import { touchMilliseconds } from './limits.ts';
import type { Logger } from './logger.ts';
import { disownCustomers } from './resources/customers/customer-store.ts';
import { customerRoutes } from './resources/customers/customer-routes.ts';
import { keyRoutes } from './resources/keys/key-routes.ts';
import { findKeyFacts, removeKeysOf, touchKeys } from './resources/keys/key-store.ts';
import { steps } from './resources/orders/order.ts';
import { disownOrders } from './resources/orders/order-store.ts';
import { orderRoutes, userOrderRoutes } from './resources/orders/order-routes.ts';
import {
  endSessionsOf,
  findSessionFacts,
  forgetUsedTokens,
  removeEndedSessions,
} from './resources/sessions/session-store.ts';
import { sessionRoutes } from './resources/sessions/session-routes.ts';
import { createStoredResponses, removeExpiredResponses } from './resources/system/stored-response-store.ts';
import { systemRoutes } from './resources/system/system-routes.ts';
import { findCredentials, forgetRemovedUsers } from './resources/users/user-store.ts';
import { userRoutes } from './resources/users/user-routes.ts';
import type { Connection } from './storage/connection.ts';
import type { Database } from './storage/database.ts';
import { inSlices, type Step } from './storage/slices.ts';
import { version } from './version.ts';
import { docsPage } from './web/docs-page.ts';
import { problemPage } from './web/problem-page.ts';

type AppOptions = {
  readonly config: Config;
  readonly publicUrl: string;
  readonly secrets: readonly Uint8Array[];
  readonly db: Database;
  readonly caches: Caches;
  readonly hasher: PasswordHasher;
  readonly log: Logger;
  readonly now: () => number;
  readonly connections: () => ConnectionCounts;
  readonly isStopping: () => boolean;
  /** Called once a user's password has been replaced, with their e-mail address before that. */
  readonly onPasswordChange: (email: string) => void;
  /** Routes of a test's own. */
  readonly extraRoutes: readonly Route[];
};

export type App = ReturnType<typeof createApp>;

export function createApp(options: AppOptions) {
  const { config, publicUrl, secrets, db, caches, hasher, log, now } = options;
  const signer = createSigner({ secrets, issuer: publicUrl, audience: publicUrl });
  const cursors = createCursors(createMacs(secrets, 'cursors'));
  const keysUsed = new Map<number, number>();
  const authenticator = createAuthenticator({
    signer,
    sources: sourcesOf(db.read),
    cache: caches.callers,
    used: (id, time) => keysUsed.set(id, time),
  });
  const limiters = {
    default: createLimiter('default', config.rates.default),
    anonymous: createLimiter('anonymous', config.rates.anonymous),
    account: createLimiter('login-account', config.rates.loginAccount),
    created: createLimiter('created', config.rates.created),
    accountTotal: createLimiter('login-account-total', config.rates.loginAccountTotal),
    address: createLimiter('login-address', config.rates.loginAddress),
  };
  const passwords = createPasswordChecks({ hasher, limiters, findCredentials });
  const metrics = createMetrics();
  const orders = { cursors, cache: caches.orders, customerCache: caches.customers };

  const description = once(() => openapiDocument(router.mounted, publicUrl, version));
  const docs = once(() =>
    docsPage({
      document: description(),
      publicUrl,
      rates: config.rates,
      steps,
      isSelfSigned: config.tls.mode === 'self-signed',
    }),
  );
  // The two interfaces of the requirements: what is wrong with a request's data is a 400 in one and a 422 in
  // the other.
  const usersInterface: Route[] = [
    ...userRoutes({
      passwords,
      cursors,
      passwordMin: config.passwordMin,
      registration: config.registration,
      endSessions: endSessionsOf,
      removeKeys: removeKeysOf,
      removeLeftovers: tidyUpAside,
      onPasswordChange: options.onPasswordChange,
    }),
    ...userOrderRoutes(orders),
    ...sessionRoutes({ passwords, signer, cursors, publicUrl }),
    ...keyRoutes({ cursors }),
    ...systemRoutes({
      publicUrl,
      readiness,
      metrics: metricsText,
      openapi: () => JSON.stringify(description()),
      docsPage: docs,
      problemPage: (kind) => problemPage(kind, description()),
    }),
    ...options.extraRoutes,
  ];
  const ordersInterface: Route[] = [
    ...customerRoutes({ cursors, cache: caches.customers }),
    ...orderRoutes(orders),
  ];
  const counted = (route: Route): Route => withCreatedQuota(route, limiters.created);
  const router: Router = createRouter([
    { routes: usersInterface.map(counted), invalidStatus: 400 },
    { routes: ordersInterface.map(counted), invalidStatus: 422 },
  ]);

  function readiness(): 'ready' | 'stopping' | 'read-only' {
    return options.isStopping() ? 'stopping' : db.stats.canWrite ? 'ready' : 'read-only';
  }

  function metricsText(): string {
    const buckets = Object.values(limiters).reduce((sum, { size }) => sum + size, 0);
    return metrics.text({
      mounted: router.mounted,
      storage: db.stats,
      buckets,
      connections: options.connections(),
      caches: [caches.orders, caches.customers],
      passwordsWaiting: hasher.waiting,
    });
  }

  const handlers = createRequestHandlers({
    router,
    authenticator,
    sourcesOf,
    db,
    limiters,
    publicUrl,
    now,
    log,
    metrics,
    kept: createStoredResponses(createMacs(secrets, 'fingerprints')),
    isTrusted: trustedProxies(config.trustedProxy),
    takesQueryKeys: config.apiKeyQuery,
    isTls: config.tls.mode !== 'off',
    corsOrigins: new Set(config.corsOrigins),
    isStopping: options.isStopping,
  });

  /**
   * Writes down what is gathered and removes what has expired or has lost its user. Called now and then,
   * after a user is removed, and before the end, when it leaves what may take long to the next start.
   */
  async function tidyUp(): Promise<void> {
    const used = new Map(keysUsed);
    keysUsed.clear();
    await db.write((writer) => touchKeys(writer, used));
    await (removing ??= removeLeftovers().finally(() => {
      removing = undefined;
    }));
  }

  let removing: Promise<void> | undefined;
  function removeLeftovers(): Promise<void> {
    const steps: Step[] = [
      forgetRemovedUsers([disownOrders, disownCustomers]),
      (writer, rowsMax) => removeEndedSessions(writer, rowsMax, now()),
      forgetUsedTokens,
      (writer, rowsMax) => removeExpiredResponses(writer, rowsMax, now()),
    ];
    return inSlices(db, steps, options.isStopping);
  }

  function tidyUpAside(): void {
    tidyUp().catch(() => {
      /* the next time will do */
    });
  }

  const tidying = setInterval(tidyUpAside, touchMilliseconds).unref();
  return {
    router,
    handlers,
    tidyUp,
    close: () => {
      clearInterval(tidying);
      metrics.close();
    },
  };
}

function sourcesOf(db: Connection): CallerSources {
  return { findSession: (id) => findSessionFacts(db, id), findKey: (id) => findKeyFacts(db, id) };
}
