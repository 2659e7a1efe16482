// The shop: one object, with what papers print as the sender, and what the service and the console begin with. Members
// that were never set have the values of flags.
import type { Config } from '../../config/config.ts';
import { requireFitting } from '../../problem.ts';
import {
  contentPicker,
  contentReader,
  readOnlyNames,
  sentIn,
  shownIn,
  type ContentOf,
  type RowOf,
} from '../../resource/resource-members.ts';
import { mergePatch } from '../../schema/json-objects.ts';
import {
  country,
  activeCurrency,
  currency,
  readOnlyIssues,
  sentTimestamp,
  singleLine,
  timestamp,
} from '../../schema/members.ts';
import {
  named,
  nullable,
  object,
  oneOf,
  optional,
  partial,
  string,
  type Infer,
  type Schema,
} from '../../schema/schema.ts';
import * as column from '../../storage/table.ts';

export const shopLineCharsMax = 200;

const example = {
  name: 'Tea House',
  address: 'Lange Straße 1, 26122 Oldenburg',
  country: 'DE',
  currency: 'EUR',
  timeZone: 'Europe/Berlin',
  registration: 'closed',
};
const name = singleLine(shopLineCharsMax, 'The sender on papers.', example.name);
const addressIs = 'The sender’s address on papers, in one line.';
const address = singleLine(shopLineCharsMax, addressIs, example.address);
const timeZone = string({
  maxLength: 64,
  pattern: '^[A-Za-z][A-Za-z0-9_+\\-]*(?:/[A-Za-z0-9_+\\-]+)*$',
  reportsFormatForLength: true,
  mustBe: 'a time zone such as Europe/Berlin',
  rule: timeZoneIssue,
  description:
    'Whose days the shop has: a name of the IANA time zone database. Sales are counted in it by default.',
  examples: ['Europe/Berlin'],
});
const registration = oneOf(['open', 'closed'], {
  description: '`open`: anyone may sign up. `closed`: only administrators create users.',
});
type Registration = Infer<typeof registration>;
const ofCountry = {
  description: 'ISO 3166-1 alpha-2: of new addresses, and of phone numbers in national form.',
};
const ofCurrency = { description: 'ISO 4217: of new orders.' };

/** Null is the same as absence: the flag's value counts. */
const settable = <T>(schema: Schema<T>) => optional(nullable(schema));
const optionalText = column.nullableColumn(column.textColumn());

/** Null in the table: the member was never set. */
export const shopMembers = {
  name: { shown: nullable(name), sent: settable(name), column: optionalText },
  address: { shown: nullable(address), sent: settable(address), column: optionalText },
  country: { shown: nullable(country, ofCountry), sent: settable(country), column: optionalText },
  currency: {
    shown: nullable(currency, ofCurrency),
    sent: settable(activeCurrency),
    column: optionalText,
    hasValuesInEvents: true,
  },
  timeZone: { shown: nullable(timeZone), sent: settable(timeZone), column: optionalText },
  registration: {
    shown: nullable(registration),
    sent: settable(registration),
    column: column.nullableColumn(column.textColumn<Registration>()),
  },
  updatedAt: {
    shown: nullable(timestamp, { description: 'Null until something is set.' }),
    readOnly: optional(nullable(sentTimestamp)),
    column: column.nullableColumn(column.timeColumn),
  },
};

/** What was set; a row of the table. */
export const ShopSettings = object(shownIn(shopMembers));
export type ShopSettings = RowOf<typeof shopMembers>;
export const neverSet = Object.fromEntries(
  Object.keys(shopMembers).map((name) => [name, null]),
) as ShopSettings; // each of its members may be null

export type ShopContent = ContentOf<typeof shopMembers>;

export const Shop = named(
  'Shop',
  object({
    ...shownIn(shopMembers),
    currency: { ...currency, ...ofCurrency } as typeof currency,
    registration,
  }),
);
export type Shop = Infer<typeof Shop>;

const replacement = {
  description:
    'What is null or left out is as if it had never been set: as the flags say. ' +
    '`updatedAt` may be sent with its current value.',
  examples: [example],
};
export const ShopReplacement = named('ShopReplacement', object(sentIn(shopMembers), replacement));
const patch = {
  description: 'A JSON Merge Patch (RFC 7396). Null is as if it had never been set: as the flag says.',
  examples: [{ timeZone: 'Europe/Berlin' }],
};
export const ShopPatch = named('ShopPatch', partial(ShopReplacement, patch));
export type ShopPatch = Infer<typeof ShopPatch>;

/** Returns the shop as it is in effect. `--registration closed` closes whatever is set. */
export function shopInEffect(set: ShopSettings, { setting, defaultCountry, registration }: Config): Shop {
  return {
    name: set.name ?? lineOf(setting('shop-name')),
    address: set.address ?? lineOf(setting('shop-address')),
    country: set.country ?? defaultCountry ?? null,
    currency: set.currency ?? setting('default-currency'),
    timeZone: set.timeZone,
    registration: registration === 'closed' ? registration : (set.registration ?? registration),
    updatedAt: set.updatedAt,
  };
}

function lineOf(text: string): string | null {
  return text.trim() || null;
}

const currentContent = contentPicker(shopMembers);
const contentOf = contentReader(shopMembers);
const readOnly = readOnlyNames(shopMembers);

/** Merges a body into what was set. Throws all issues. */
export function mergeShop(set: ShopSettings, body: ShopPatch, method: 'PUT' | 'PATCH'): ShopContent {
  const replacement = method === 'PUT' ? body : mergePatch(currentContent(set), body);
  const issues = readOnlyIssues(set, body, readOnly);
  return contentOf(requireFitting(ShopReplacement, replacement, issues));
}

/** Whether the change could open or close the registration: then it needs a recent sign-in. */
export function needsStepUp(set: ShopSettings, wanted: ShopContent, inEffect: Shop): boolean {
  return wanted.registration !== set.registration && wanted.registration !== inEffect.registration;
}

/** Returns a sentence if there is no such time zone, otherwise undefined. */
export function timeZoneIssue(timeZone: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return undefined;
  } catch {
    return `${timeZone} is not a time zone; Europe/Berlin is one.`;
  }
}
