// Every route, in groups with one status for invalid data each, and the dependencies of handlers.
import type { Caches } from './assembly/caches.ts';
import type { Cleanup } from './assembly/cleanup.ts';
import type { Cryptography } from './assembly/cryptography.ts';
import type { Limiters, Limiter } from './rates/limiter.ts';
import type { Config } from './config/config.ts';
import type { HandlerExports } from './http/export.ts';
import { Lists } from './http/list.ts';
import type { Route } from './http/route.ts';
import { Router } from './http/router.ts';
import type { WebhookTargets } from './resources/webhooks/webhook-targets.ts';
import { once } from './base/once.ts';
import { customerRoutes } from './resources/customers/customer-routes.ts';
import type { PasswordChecks } from './resources/flows/password-checks.ts';
import { feedRoutes } from './feed/feed-routes.ts';
import type { Streams } from './feed/live-feed.ts';
import { importRoutes } from './resources/imports/import-routes.ts';
import type { HandlerImports } from './http/line-imports.ts';
import { keyRoutes } from './resources/keys/key-routes.ts';
import { removeUserKeys } from './resources/keys/key-store.ts';
import { orderRoutes, userOrderRoutes } from './resources/orders/order-routes.ts';
import { salesRoute } from './resources/orders/sales-routes.ts';
import { transitions } from './resources/orders/order.ts';
import { sessionRoutes } from './resources/sessions/session-routes.ts';
import { endUserSessions } from './resources/sessions/session-store.ts';
import { systemRoutes, type SystemServices } from './resources/system/system-routes.ts';
import { userRoutes } from './resources/users/user-routes.ts';
import { webhookRoutes } from './resources/webhooks/webhook-routes.ts';
import { version } from './base/version.ts';
import { isStaff } from './auth/access.ts';

/** The dependencies of handlers, except for the database, which each request brings. */
export type HandlerServices = Omit<Cryptography, 'storedResponses'> & {
  readonly passwords: PasswordChecks;
  readonly limiters: Pick<Limiters, 'created'>;
  readonly caches: Pick<Caches, 'orders' | 'customers' | 'pages'>;
  readonly live: Streams;
  readonly exports: HandlerExports;
  readonly imports: HandlerImports;
  readonly webhookTargets: WebhookTargets;
  readonly onWebhookEnabled: (id: number) => void;
  readonly cleanup: Pick<Cleanup, 'runInBackground'>;
  /** Called after a user's password was replaced, with the e-mail address before the change. */
  readonly onPasswordChange: (email: string) => void;
  readonly readiness: SystemServices['readiness'];
  readonly metrics: SystemServices['metrics'];
};

type Settings = { readonly config: Config; readonly publicUrl: string };

/**
 * Invalid data is a 400 for users, sessions, keys, webhooks and the service itself, and a 422 for customers,
 * orders, sales, events and imports.
 */
export function mountRoutes(
  settings: Settings & { readonly extraRoutes: readonly Route[] },
  services: HandlerServices,
): Router {
  const router = new Router();
  const { webhookTargets: targets, webhookSecrets: secrets, onWebhookEnabled } = services;
  const lists = new Lists({ ...services, pages: services.caches.pages });
  const webhooks = webhookRoutes({ lists, targets, secrets, onEnabled: onWebhookEnabled });
  const aboutService = serviceRoutes(settings, services, router);
  const accountAndServiceRoutes = [
    ...userGroup(settings, { ...services, lists }),
    ...aboutService,
    ...settings.extraRoutes,
  ];
  const withQuota = (route: Route): Route => withDailyQuota(route, services.limiters.created);
  router.mount({ routes: accountAndServiceRoutes.map(withQuota), invalidStatus: 400 });
  router.mount({ routes: orderGroup(settings, { ...services, lists }).map(withQuota), invalidStatus: 422 });
  // apart from the others with 400, since documents show routes in this order
  router.mount({ routes: webhooks.map(withQuota), invalidStatus: 400 });
  return router;
}

type ServicesWithLists = HandlerServices & { readonly lists: Lists };

function userGroup({ config, publicUrl }: Settings, services: ServicesWithLists): Route[] {
  const { passwords, signer, refreshTokens, totpSecrets, lists, caches } = services;
  return [
    ...userRoutes({
      passwords,
      totpSecrets,
      lists,
      passwordMin: config.passwordMin,
      registration: config.registration,
      endSessions: endUserSessions,
      removeKeys: removeUserKeys,
      clearOwners: () => services.cleanup.runInBackground(),
      onPasswordChange: services.onPasswordChange,
    }),
    ...userOrderRoutes({ lists, caches }),
    ...sessionRoutes({ passwords, signer, refreshTokens, totpSecrets, lists, publicUrl }),
    ...keyRoutes({ lists }),
  ];
}

function orderGroup({ config: { defaultCountry } }: Settings, services: ServicesWithLists): Route[] {
  const { lists, cursors, caches, live, exports, imports } = services;
  return [
    ...customerRoutes({ lists, caches, defaultCountry }),
    ...orderRoutes({ lists, caches }),
    salesRoute(),
    ...feedRoutes({ cursors, live, exports }),
    ...importRoutes({ imports, defaultCountry }),
  ];
}

/**
 * The documents describe all routes, including these, so they are created at their first request. Their
 * generators are also loaded then: they would take a tenth of the start.
 */
function serviceRoutes(
  { config, publicUrl }: Settings,
  { readiness, metrics }: HandlerServices,
  router: Pick<Router, 'mounted'>,
): Route[] {
  const description = once(async () => {
    const { openapiDocument } = await import('./openapi/openapi.ts');
    return openapiDocument(router.mounted, publicUrl, version);
  });
  const docsPage = once(async () => {
    const document = await description();
    const { docsPage } = await import('./web/docs-page.ts');
    const isSelfSigned = config.tls.mode === 'self-signed';
    return docsPage({ document, publicUrl, rates: config.rates, steps: transitions, isSelfSigned });
  });
  return systemRoutes({
    publicUrl,
    shop: config.shop,
    readiness,
    metrics,
    openapi: async () => JSON.stringify(await description()),
    docsPage,
    async problemPage(code) {
      const document = await description();
      const { problemPage } = await import('./web/problem-page.ts');
      return problemPage(code, document);
    },
  });
}

/**
 * Returns the route with a handler that consumes a token if the route creates or changes an object. Keys share
 * the bucket of their user; those who sign up have one for each address. A request whose content is invalid
 * and one that is answered by a stored response don't get this far. Staff aren't limited.
 */
function withDailyQuota(route: Route, quota: Limiter): Route {
  const isCounted = route.countsAsCreated ?? ['PUT', 'PATCH', 'DELETE'].includes(route.method);
  if (!isCounted || route.endsAccess === true) return route;
  return {
    ...route,
    handle(call) {
      const { caller } = call;
      if (caller === undefined) call.consumeToken(quota, call.addressBucket);
      else if (!isStaff(caller)) call.consumeToken(quota, caller.client);
      return route.handle(call);
    },
  };
}
