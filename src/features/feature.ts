// What a feature is: one value with its name, what it needs, and the function that creates its parts.
import type { Scope } from '../auth/access.ts';
import type { Signer } from '../auth/jwt.ts';
import type { RefreshTokens } from '../auth/refresh-tokens.ts';
import type { SealedSecrets } from '../auth/sealed-secrets.ts';
import type { AddressLookup } from '../base/addresses.ts';
import type { Logger } from '../base/logger.ts';
import type { Family } from '../base/prometheus.ts';
import type { Timers } from '../base/timers.ts';
import type { Turns } from '../base/turns.ts';
import type { Config } from '../config/config.ts';
import type { Setting } from '../config/settings.ts';
import type { HandlerExports } from '../http/lists/export.ts';
import type { Lists } from '../http/lists/list.ts';
import type { RepresentationCache } from '../http/responses/representation-cache.ts';
import type { RouteGroup } from '../http/routing/router.ts';
import type { Tag } from '../openapi/openapi.ts';
import type { ProblemCode } from '../problem.ts';
import type { Limiters } from '../rates/limiter.ts';
import type { SampleProducts } from '../resource/declared-resource.ts';
import type { Importable } from '../resource/imported-object-store.ts';
import type { Audit } from '../storage/audit.ts';
import type { Connection, Invalidation } from '../storage/connection.ts';
import type { Database } from '../storage/database.ts';
import type { Migration } from '../storage/migrations.ts';
import type { Permit } from '../storage/permit.ts';
import type { Step } from '../storage/slices.ts';
import type { Page } from '../web/page-layout.ts';
import type { Customer } from './customers/customers.ts';
import type { EventType } from './events/event.ts';
import type { AuditedHistory } from './events/history-audit-store.ts';
import type { Readiness } from './health/health-routes.ts';
import type { CustomerTable } from './orders/customer-erasure-store.ts';
import type { Order } from './orders/order-members.ts';
import type { CurrentShop } from './shop/shop-store.ts';
import type { PasswordChecks } from './users/password-checks.ts';

export type Feature = {
  readonly name: string;
  /** The features that this one needs, besides those that every service has. */
  readonly needs?: readonly Feature[];
  /** Whether every service has this feature. One that is left out is never asked to `load`. */
  readonly isCore?: true;
  /** The section of the feature's routes in the OpenAPI document; several features may share a section. */
  readonly tag?: Tag;
  /** Returns the page of one problem type, or of all types, from the OpenAPI document. */
  readonly problemPage?: (code: ProblemCode | undefined, document: object) => Promise<Page>;
  /** The feature's flags. `config.setting` returns their texts. */
  readonly settings?: readonly Setting[];
  /** The migrations of the feature's tables, from the first. They run even if the feature is left out. */
  readonly migrations?: readonly Migration[];
  /** What other features need to know about this one, even if it is left out. */
  readonly declares?: Declares;
  /** What commands do with the feature's rows. A command loads it, even if the feature is left out. */
  readonly maintenance?: () => Promise<Maintenance>;
  readonly load: () => Promise<(services: FeatureServices) => FeatureParts>;
};

export type Declares = {
  readonly eventTypes?: readonly EventType[];
  readonly scopes?: readonly Scope[];
  /** Tables whose rows users own, by their column `userId`: the cleanup clears removed users from it. */
  readonly ownedTables?: readonly string[];
  /** Tables whose rows refer to customers, by their column `customerId`, and what an erasure clears in them. */
  readonly customerTables?: readonly CustomerTable[];
  /** The objects that imports read besides customers, orders and products. */
  readonly imported?: readonly Importable[];
};

/** The parts of a feature in a running service. The service walks them in the order of the features. */
export type FeatureParts = {
  readonly groups: readonly RouteGroup[];
  /** Steps of the periodic cleanup. */
  readonly cleanup?: readonly Step[];
  readonly metrics?: () => readonly Family[];
  /** Starts what runs in the background. */
  readonly start?: () => void;
  /**
   * Called once changes are on disk and reads see them, with what became stale. Must return immediately: the
   * responses to the changes wait for it.
   */
  readonly onDurableChanges?: (invalidations: readonly Invalidation[]) => void;
  /** Called when the service begins to stop, while the last requests run. */
  readonly close?: () => void | Promise<void>;
};

/** What commands do with the rows of a feature. */
export type Maintenance = {
  /**
   * What `orderly check` verifies: the rows of tables, relations between rows, and rows compared with their
   * events.
   */
  readonly audits?: readonly Audit[];
  readonly checks?: readonly Check[];
  readonly histories?: readonly AuditedHistory[];
  /** Returns notes about rows that are not damaged, but deserve a look. `orderly check` and the start print them. */
  readonly notes?: ((db: Connection) => readonly string[]) | undefined;
  /**
   * Called by `orderly restore` with the copy, whose tables may still have the form of an older version. Returns the
   * lines that the command prints.
   */
  readonly onRestore?: (db: Connection) => readonly string[];
  readonly sample?: SampleRows | undefined;
};

type Check = {
  /** The beginning of the line that shows the progress. */
  readonly title: string;
  readonly run: (db: Connection, report: (issue: string) => void) => void;
};

/** What `orderly sample` adds besides users, customers and orders. */
type SampleRows = {
  readonly hasRows: (db: Connection) => boolean;
  /** Adds the rows, and returns their number with a noun. */
  readonly add: (
    permit: Permit,
    sample: { readonly products: SampleProducts; readonly now: number },
  ) => string;
};

/** The parts of a running service. For `orderly openapi` they are stand-ins. */
export type Running = {
  readonly config: Config;
  readonly publicUrl: string;
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly shop: Pick<CurrentShop, 'inEffect' | 'country' | 'onDurableChanges'>;
  readonly log: Logger;
  readonly now: () => number;
  readonly timers: Timers;
  /** What tests use instead of `dns.lookup`. */
  readonly lookup: AddressLookup | undefined;
  /** Aborted when the service begins to stop. */
  readonly stopping: AbortSignal;
  readonly metricsText: () => string;
  readonly readiness: () => Readiness;
  /** Returns the certificate of the service's own authority in PEM; undefined if it has none. */
  readonly authorityPem: () => string | undefined;
  /** Runs the cleanup now, in the background. */
  readonly runCleanup: () => void;
};

/** What features may use of the service. */
export type FeatureServices = Running & {
  readonly refreshTokens: RefreshTokens;
  readonly signer: Signer;
  /** Encrypts secrets that must be read again. Each purpose has its own key. */
  readonly sealedSecrets: (purpose: string) => SealedSecrets;
  readonly limiters: Limiters;
  readonly caches: {
    readonly orders: RepresentationCache<Order>;
    readonly customers: RepresentationCache<Customer>;
  };
  readonly passwords: PasswordChecks;
  readonly exports: HandlerExports;
  readonly lists: Lists;
  readonly turns: Turns;
  /** Whether the service has the feature of this name. */
  readonly has: (name: string) => boolean;
  /** Returns the OpenAPI document of all routes. */
  readonly describe: () => Promise<object>;
  /** Returns the page of one problem type, or of all types; undefined if no feature has such pages. */
  readonly problemPage: ((code: ProblemCode | undefined) => Promise<Page>) | undefined;
  /** What all features declare, also those that are left out. */
  readonly declared: Required<Declares>;
};
