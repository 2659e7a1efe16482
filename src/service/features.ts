// The features of the service, in the order of its documents, and which of them a service has.
import { scopes } from '../auth/access.ts';
import { coreSettings, type Setting } from '../config/settings.ts';
import { backups } from '../features/backups/backups-feature.ts';
import { console } from '../features/console/console-feature.ts';
import { customers } from '../features/customers/customers-feature.ts';
import { docs } from '../features/docs/docs-feature.ts';
import { eventTypes } from '../features/events/event.ts';
import { events } from '../features/events/events-feature.ts';
import type { FeatureServices, Declares, Feature, Maintenance } from '../features/feature.ts';
import { feed } from '../features/feed/feed-feature.ts';
import { health } from '../features/health/health-feature.ts';
import { history } from '../features/history/history-feature.ts';
import { idempotency } from '../features/idempotency/idempotency-feature.ts';
import { imports } from '../features/imports/imports-feature.ts';
import { keys } from '../features/keys/keys-feature.ts';
import { metrics } from '../features/metrics/metrics-feature.ts';
import { openapi } from '../features/openapi/openapi-feature.ts';
import { orders } from '../features/orders/orders-feature.ts';
import { products } from '../features/products/products-feature.ts';
import { sales } from '../features/sales/sales-feature.ts';
import { sessions } from '../features/sessions/sessions-feature.ts';
import { shop } from '../features/shop/shop-feature.ts';
import { users } from '../features/users/users-feature.ts';
import { webhooks } from '../features/webhooks/webhooks-feature.ts';
import type { Tag } from '../openapi/openapi.ts';
import type { FeatureMigration } from '../storage/migrations.ts';

export const features: readonly Feature[] = [
  users,
  sessions,
  keys,
  customers,
  orders,
  products,
  sales,
  shop,
  events,
  idempotency,
  history,
  feed,
  imports,
  webhooks,
  health,
  backups,
  metrics,
  openapi,
  docs,
  console,
];

/** The settings of the service and of all features, even of features that are left out. */
export const settings: readonly Setting[] = [
  ...coreSettings,
  ...features.flatMap((feature) => feature.settings ?? []),
];

/** The migrations of all features, in the order in which a new database runs them. */
export const migrations: readonly FeatureMigration[] = features.flatMap(({ name, migrations = [] }) =>
  migrations.map((migration) => ({ ...migration, feature: name })),
);

/** What all features declare, with the types of events and the scopes that belong to no feature. */
export const declared: Required<Declares> = {
  eventTypes: [...eventTypes, ...features.flatMap(({ declares }) => declares?.eventTypes ?? [])],
  scopes: [...scopes, ...features.flatMap(({ declares }) => declares?.scopes ?? [])],
  ownedTables: features.flatMap(({ declares }) => declares?.ownedTables ?? []),
  customerTables: features.flatMap(({ declares }) => declares?.customerTables ?? []),
  imported: features.flatMap(({ declares }) => declares?.imported ?? []),
};

/** What commands do with the rows of all features. */
export function maintenance(): Promise<readonly Maintenance[]> {
  return Promise.all(features.flatMap((feature) => feature.maintenance?.() ?? []));
}

export function featuresWithout(without: readonly string[]): readonly Feature[] {
  return features.filter(({ name }) => !without.includes(name));
}

/** The sections of the features' routes in the OpenAPI document, in its order. */
export function tagsOf(chosen: readonly Feature[]): Tag[] {
  return [...new Set(chosen.flatMap(({ tag }) => tag ?? []))];
}

/** Returns the function that creates the page of a problem type, if a feature has one. */
export function problemPageOf(
  chosen: readonly Feature[],
  describe: FeatureServices['describe'],
): FeatureServices['problemPage'] {
  const [problemPage] = chosen.flatMap((feature) => feature.problemPage ?? []);
  return problemPage && (async (code) => problemPage(code, await describe()));
}

/** Returns a sentence for each feature that can't be left out. */
export function withoutIssues(without: readonly string[]): string[] {
  const left = featuresWithout(without);
  return without.flatMap((name) => {
    const feature = features.find((each) => each.name === name);
    if (feature === undefined) return [`--without ${name}: there is no such feature; ${choices()}`];
    if (feature.isCore === true) return [`--without ${name}: every service has it; ${choices()}`];
    const needing = left.filter(({ needs = [] }) => needs.includes(feature)).map((each) => each.name);
    if (needing.length === 0) return [];
    return [`--without ${name}: ${needing.join(' and ')} can’t do without it`];
  });
}

function choices(): string {
  const names = features.filter(({ isCore }) => isCore !== true).map(({ name }) => name);
  return `there are ${names.join(', ')}`;
}
