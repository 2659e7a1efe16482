// What a feature is: one value with its name, what it needs, and the function that creates its parts.
import type { Signer } from '../auth/jwt.ts';
import type { RefreshTokens } from '../auth/refresh-tokens.ts';
import type { SealedSecrets } from '../auth/sealed-secrets.ts';
import type { Config } from '../config/config.ts';
import type { HandlerExports } from '../http/transfers/export.ts';
import type { RepresentationCache } from '../http/responses/representation-cache.ts';
import type { Cursors } from '../http/routing/cursor.ts';
import type { PageCache } from '../http/routing/page-cache.ts';
import type { Lists } from '../http/routing/list.ts';
import type { Family } from '../http/telemetry/prometheus.ts';
import type { RouteGroup } from '../http/routing/router.ts';
import type { Invalidation } from '../storage/invalidation.ts';
import type { Logger } from '../base/logger.ts';
import type { Tag } from '../openapi/openapi.ts';
import type { Limiters } from '../rates/limiter.ts';
import type { Customer } from './customers/customer.ts';
import type { Order } from './orders/order.ts';
import type { PasswordChecks } from './users/password-checks.ts';
import type { Readiness } from './health/health-routes.ts';
import type { Database } from '../storage/database.ts';
import type { Step } from '../storage/slices.ts';
import type { Timers } from '../base/timers.ts';
import type { Turns } from '../base/turns.ts';

export type Feature = {
  readonly name: string;
  /** The other features without which it doesn't work, besides those that every service has. */
  readonly needs: readonly Feature[];
  /** Whether every service has it. The others can be left out: their code is then not loaded. */
  readonly isCore?: true;
  /** The section of its routes in the OpenAPI document; several features may share one. */
  readonly tag?: Tag;
  readonly load: () => Promise<(core: Core) => FeatureParts>;
};

/** The parts of a feature in a running service. The service walks them in the order of the features. */
export type FeatureParts = {
  readonly groups: readonly RouteGroup[];
  /** Steps of the periodic cleanup. */
  readonly cleanup?: readonly Step[];
  readonly metrics?: () => readonly Family[];
  /** Starts what runs beside requests. */
  readonly start?: () => void;
  /**
   * Called with what became stale once changes are on disk and reads see them. It must return immediately: the
   * requests that made the changes are answered after it.
   */
  readonly onSync?: (invalidations: readonly Invalidation[]) => void;
  /** Called when the service begins to stop, while the last requests run. */
  readonly close?: () => void | Promise<void>;
};

/** What features may use of the service. */
export type Core = {
  readonly refreshTokens: RefreshTokens;
  readonly signer: Signer;
  readonly totpSecrets: SealedSecrets;
  readonly webhookSecrets: SealedSecrets;
  readonly cursors: Cursors;
  readonly config: Config;
  readonly publicUrl: string;
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly caches: {
    readonly orders: RepresentationCache<Order>;
    readonly customers: RepresentationCache<Customer>;
    readonly pages: PageCache;
  };
  readonly limiters: Limiters;
  readonly passwords: PasswordChecks;
  readonly exports: HandlerExports;
  readonly lists: Lists;
  readonly log: Logger;
  readonly now: () => number;
  readonly timers: Timers;
  readonly turns: Turns;
  /** The text of a function that tests use instead of `dns.lookup`. */
  readonly lookup: string | undefined;
  /** Aborted when the service begins to stop. */
  readonly stopping: AbortSignal;
  /** Whether a feature that can be left out is there. */
  readonly has: (name: string) => boolean;
  /** Returns the OpenAPI document of all routes. */
  readonly describe: () => Promise<object>;
  readonly metricsText: () => string;
  readonly readiness: () => Readiness;
  /** Runs the cleanup now, in the background. */
  readonly cleanUp: () => void;
};
