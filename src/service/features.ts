// The features of the service, in the order of its documents, and which of them a service has.
import { dayMilliseconds } from '../base/durations.ts';
import type { ProblemCode } from '../problem.ts';
import { removeExpiredResponses } from '../http/requests/stored-response-store.ts';
import { customerRoutes } from '../features/customers/customer-routes.ts';
import { clearCustomerOwner } from '../features/customers/customer-store.ts';
import { removeOldEvents } from '../features/events/event-store.ts';
import { keyRoutes } from '../features/keys/key-routes.ts';
import { removeUserKeys } from '../features/keys/key-store.ts';
import { orderRoutes, userOrderRoutes } from '../features/orders/order-routes.ts';
import { clearOrderOwner } from '../features/orders/order-store.ts';
import { transitions } from '../features/orders/order.ts';
import { removeOldAddresses } from '../features/sessions/known-address-store.ts';
import { sessionRoutes } from '../features/sessions/session-routes.ts';
import { endUserSessions, removeExpiredSessions } from '../features/sessions/session-store.ts';
import { healthRoutes } from '../features/health/health-routes.ts';
import { problemRoutes } from '../features/health/problem-routes.ts';
import { resealTotp } from '../features/users/totp-store.ts';
import { userRoutes } from '../features/users/user-routes.ts';
import { clearRemovedOwners } from '../features/users/user-store.ts';
import type { Tag } from '../openapi/openapi.ts';
import type { Step } from '../storage/slices.ts';
import type { Core, Feature } from '../features/feature.ts';
import { removeAdminFile } from '../features/users/first-admin.ts';

const users: Feature = {
  name: 'users',
  needs: [],
  isCore: true,
  tag: { name: 'Users', description: 'People who sign in. `role` is `user`, `staff` or `admin`.' },
  load: async () => (core) => ({
    groups: [
      {
        invalidStatus: 400,
        routes: userRoutes({
          ...core,
          passwordMin: core.config.passwordMin,
          registration: core.config.registration,
          endSessions: endUserSessions,
          removeKeys: removeUserKeys,
          clearOwners: core.cleanUp,
          onPasswordChange: (email) => removeAdminFile(core.config.data, email),
        }),
      },
    ],
    cleanup: [clearRemovedOwners([clearOrderOwner, clearCustomerOwner])],
  }),
};

const suspension: Feature = {
  name: 'suspension',
  needs: [],
  async load() {
    const { suspensionRoutes } = await import('../features/suspension/suspension-routes.ts');
    const routes = suspensionRoutes({ endSessions: endUserSessions, removeKeys: removeUserKeys });
    return () => ({ groups: [{ invalidStatus: 400, routes }] });
  },
};

const totp: Feature = {
  name: 'totp',
  needs: [],
  async load() {
    const { totpRoutes } = await import('../features/totp/totp-routes.ts');
    return (core) => ({ groups: [{ invalidStatus: 400, routes: totpRoutes(core) }] });
  },
};

const sessions: Feature = {
  name: 'sessions',
  needs: [],
  isCore: true,
  tag: { name: 'Sessions', description: 'Signing in, staying signed in, signing out.' },
  load: async () => (core) => ({
    groups: [{ invalidStatus: 400, routes: sessionRoutes(core) }],
    cleanup: [
      (writer, rowsMax) => removeExpiredSessions(writer, rowsMax, core.now()),
      (writer, rowsMax) => removeOldAddresses(writer, rowsMax, core.now()),
      // here, since a sign-in asks for the codes of those who have set them up, even without `totp`
      (writer, rowsMax) => resealTotp(writer, core.totpSecrets, rowsMax),
    ],
  }),
};

const keys: Feature = {
  name: 'keys',
  needs: [],
  isCore: true,
  tag: { name: 'API keys', description: 'Credentials for other programs.' },
  load: async () => (core) => ({ groups: [{ invalidStatus: 400, routes: keyRoutes(core) }] }),
};

const customers: Feature = {
  name: 'customers',
  needs: [],
  isCore: true,
  tag: { name: 'Customers', description: 'The people and companies that order.' },
  load: async () => (core) => ({
    groups: [
      {
        invalidStatus: 422,
        routes: customerRoutes({ ...core, defaultCountry: core.config.defaultCountry }),
      },
    ],
  }),
};

const orders: Feature = {
  name: 'orders',
  needs: [],
  isCore: true,
  tag: { name: 'Orders', description: 'What was ordered, and its status.' },
  load: async () => (core) => ({
    groups: [
      { invalidStatus: 422, routes: orderRoutes(core) },
      { invalidStatus: 400, routes: userOrderRoutes(core) },
    ],
  }),
};

const products: Feature = {
  name: 'products',
  needs: [],
  tag: { name: 'Products', description: 'What the shop sells, with prices and barcodes.' },
  async load() {
    const { productRoutes } = await import('../features/products/product-routes.ts');
    return ({ lists }) => ({ groups: [{ invalidStatus: 422, routes: productRoutes(lists) }] });
  },
};

const sales: Feature = {
  name: 'sales',
  needs: [],
  async load() {
    const { salesRoute } = await import('../features/sales/sales-routes.ts');
    return () => ({ groups: [{ invalidStatus: 422, routes: [salesRoute()] }] });
  },
};

const eventsTag = { name: 'Events', description: 'What happened: of one object, or all of it in order.' };

/** The events of one object. */
const history: Feature = {
  name: 'history',
  needs: [],
  tag: eventsTag,
  async load() {
    const { historyGroups } = await import('../features/history/history-routes.ts');
    return ({ lists }) => ({ groups: historyGroups(lists) });
  },
};

/** All events in order, as pages, files and streams. */
const feed: Feature = {
  name: 'feed',
  needs: [],
  tag: eventsTag,
  async load() {
    const { feedRoutes } = await import('../features/feed/feed-routes.ts');
    const { LiveFeed } = await import('../features/feed/live-feed.ts');
    return (core) => {
      const live = new LiveFeed({ ...core, db: core.database.read });
      return {
        groups: [{ invalidStatus: 422, routes: feedRoutes({ ...core, live }) }],
        metrics: () => live.families(),
        onSync: (invalidations) => live.onSync(invalidations),
        close: () => live.close(),
      };
    };
  },
};

const imports: Feature = {
  name: 'imports',
  needs: [products],
  async load() {
    const { importRoutes } = await import('../features/imports/import-routes.ts');
    const { Imports, importFamilies } = await import('../features/imports/line-imports.ts');
    return (core) => {
      const running = new Imports(core);
      const { defaultCountry } = core.config;
      return {
        groups: [{ invalidStatus: 422, routes: importRoutes({ imports: running, defaultCountry }) }],
        metrics: () => importFamilies(running.counts),
      };
    };
  },
};

const webhooks: Feature = {
  name: 'webhooks',
  needs: [],
  tag: { name: 'Webhooks', description: 'Events sent to other programs, for administrators.' },
  load: async () => (await import('../features/webhooks/webhook-parts.ts')).createWebhooks,
};

/** Health and problem types. */
const service: Feature = {
  name: 'service',
  needs: [],
  isCore: true,
  tag: {
    name: 'Service',
    description:
      'Health, metrics and documentation of the service. A client for users, customers and orders needs ' +
      'none of these: its generator can leave the tag out.',
  },
  load: async () => (core) => {
    const { config, publicUrl, now } = core;
    const problemPage = core.has('docs') ? problemPageOf(core) : undefined;
    const cleanup: Step[] = [(writer, rowsMax) => removeExpiredResponses(writer, rowsMax, now())];
    if (config.eventsDays > 0) {
      const oldest = (): number => now() - config.eventsDays * dayMilliseconds;
      cleanup.push((writer, rowsMax) => removeOldEvents(writer, rowsMax, oldest()));
    }
    return {
      groups: [
        {
          invalidStatus: 400,
          routes: [...healthRoutes(core.readiness), ...problemRoutes({ publicUrl, problemPage })],
        },
      ],
      cleanup,
    };
  },
};

const metrics: Feature = {
  name: 'metrics',
  needs: [],
  async load() {
    const { metricsRoute } = await import('../features/metrics/metrics-routes.ts');
    return (core) => ({ groups: [{ invalidStatus: 400, routes: [metricsRoute(core.metricsText)] }] });
  },
};

const openapi: Feature = {
  name: 'openapi',
  needs: [],
  async load() {
    const { openapiRoute } = await import('../features/openapi/openapi-routes.ts');
    return (core) => ({ groups: [{ invalidStatus: 400, routes: [openapiRoute(core.describe)] }] });
  },
};

/** The documentation as pages; the generators are loaded at the first request. */
const docs: Feature = {
  name: 'docs',
  needs: [openapi],
  async load() {
    const { docsRoutes } = await import('../features/docs/docs-routes.ts');
    return ({ config, publicUrl, describe, turns }) => {
      const isSelfSigned = config.tls.mode === 'self-signed';
      const routes = docsRoutes({
        describe,
        turns,
        publicUrl,
        rates: config.rates,
        steps: transitions,
        isSelfSigned,
      });
      return { groups: [{ invalidStatus: 400, routes }] };
    };
  },
};

const console: Feature = {
  name: 'console',
  needs: [suspension, totp, products, sales, history, feed, webhooks],
  async load() {
    const { consoleRoutes } = await import('../features/console/console-routes.ts');
    return ({ config, has }) => {
      const routes = consoleRoutes({ shop: config.shop, hasDocs: has('docs') });
      return { groups: [{ invalidStatus: 400, routes }] };
    };
  },
};

export const features: readonly Feature[] = [
  users,
  suspension,
  totp,
  sessions,
  keys,
  customers,
  orders,
  products,
  sales,
  history,
  feed,
  imports,
  webhooks,
  service,
  metrics,
  openapi,
  docs,
  console,
];

export function featuresWithout(without: readonly string[]): readonly Feature[] {
  return features.filter(({ name }) => !without.includes(name));
}

/** The sections of their routes in the OpenAPI document, in its order. */
export function tagsOf(chosen: readonly Feature[]): Tag[] {
  return [...new Set(chosen.flatMap(({ tag }) => tag ?? []))];
}

/** Returns a sentence for each feature that can't be left out. */
export function withoutIssues(without: readonly string[]): string[] {
  const left = featuresWithout(without);
  return without.flatMap((name) => {
    const feature = features.find((each) => each.name === name);
    if (feature === undefined) return [`--without ${name}: there is no such feature; ${choices()}`];
    if (feature.isCore === true) return [`--without ${name}: every service has it; ${choices()}`];
    const needing = left.filter(({ needs }) => needs.includes(feature)).map((each) => each.name);
    if (needing.length === 0) return [];
    return [`--without ${name}: ${needing.join(' and ')} can’t do without it`];
  });
}

function choices(): string {
  const names = features.filter(({ isCore }) => isCore !== true).map(({ name }) => name);
  return `there are ${names.join(', ')}`;
}

function problemPageOf({ describe }: Pick<Core, 'describe'>) {
  return async (code: ProblemCode | undefined) => {
    const document = await describe();
    const { problemPage } = await import('../features/docs/problem-page.ts');
    return problemPage(code, document);
  };
}
