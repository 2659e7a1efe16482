// The members that resources share, such as ids, times, lines of text, e-mail addresses and currencies.
import { emailIssue, sentEmailIssue } from './email.ts';
import { countries, currencies, withdrawnCurrencies } from './iso-codes.ts';
import { timeIssue, toTime } from './rfc3339.ts';
import { integer, string, type Issue, type Rule, type Schema } from './schema.ts';

const controls = '\\x00-\\x1f\\x7f-\\x9f';

export const id = integer({ examples: [7] });

/** The form of a request's id, whether the client or the service generated it. */
export const requestIdForm = { maxLength: 64, pattern: '^[A-Za-z0-9._-]+$' } as const;

/** A time as responses show it. */
export const timestamp = string({
  minLength: 24,
  maxLength: 24,
  format: 'date-time',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
  description: 'RFC 3339, UTC, with milliseconds.',
  examples: ['2026-03-01T09:30:00.000Z'],
});

/** A time as requests send it; `toTime` and `timeAtOrAfter` read it. */
export const sentTimestamp = string({
  maxLength: 64,
  format: 'date-time',
  pattern: '^\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?([Zz]|[+\\-]\\d\\d:\\d\\d)$',
  mustBe: 'a time such as 2026-03-01T09:30:00Z or 2026-03-01T10:30:00+01:00 (RFC 3339; in a query + is %2B)',
  reportsFormatForLength: true,
  rule: timeIssue,
  description: 'RFC 3339, with any fraction and offset.',
  examples: ['2026-03-01T09:30:00Z'],
});

export function singleLine(
  maxLength: number,
  description: string,
  example: string,
  rule?: Rule,
): Schema<string> {
  return string({
    minLength: 1,
    maxLength,
    pattern: `^[^\\S${controls}]*[^\\s${controls}][^${controls}]*$`, // blanks, what is not blank, anything
    mustBe: 'a single line of text that is not blank',
    description,
    examples: [example],
    rule: (line) => separatorIssue(line) ?? rule?.(line),
  });
}

/** A rule of lines. The patterns of the document name no such character: few languages have an escape for it. */
export function separatorIssue(line: string): string | undefined {
  if (!/[\u2028\u2029]/.test(line)) return undefined;
  return 'A single line must not contain a line separator (U+2028) or a paragraph separator (U+2029).';
}

/**
 * A rule of names that are sent: a control of direction makes one look like another. Names that were kept before this
 * rule are shown.
 */
export function directionIssue(name: string): string | undefined {
  if (!/[\u202a-\u202e\u2066-\u2069]/.test(name)) return undefined;
  return 'A name must not contain controls of writing direction (U+202A to U+202E, U+2066 to U+2069).';
}

/** Text that may have several lines. */
export function multiLine(maxLength: number, description: string, example: string): Schema<string> {
  return string({
    minLength: 1,
    maxLength,
    pattern: '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]+$',
    mustBe: 'text without control characters',
    description,
    examples: [example],
  });
}

const emailForm = {
  maxLength: 254,
  format: 'idn-email',
  pattern: '^[^\\s@]+@[^\\s@]+$',
  mustBe: 'an e-mail address such as ada@example.com',
  examples: ['ada@example.com'],
} as const;
/** An address that is shown, searched for, or signed in with. */
export const email = string({ ...emailForm, rule: emailIssue });
/** An address that is set. */
export const sentEmail = string({ ...emailForm, rule: sentEmailIssue });
export const country = string({
  minLength: 2,
  maxLength: 2,
  pattern: '^[A-Z]{2}$',
  reportsFormatForLength: true,
  mustBe: 'a country code such as DE (ISO 3166-1 alpha-2)',
  description: 'ISO 3166-1 alpha-2.',
  examples: ['DE'],
  rule: (code) => (countries.has(code) ? undefined : `${code} is not an ISO 3166-1 country code.`),
});
const currencyForm = {
  minLength: 3,
  maxLength: 3,
  pattern: '^[A-Z]{3}$',
  reportsFormatForLength: true,
  mustBe: 'a currency code such as EUR (ISO 4217)',
  examples: ['EUR'],
} as const;
/** A currency that is shown, which may have been withdrawn. */
export const currency = string({
  ...currencyForm,
  description: 'ISO 4217.',
  rule: (code) =>
    currencies.has(code) || withdrawnCurrencies.has(code)
      ? undefined
      : `${code} is not an ISO 4217 currency code.`,
});
/** A currency that is set. */
export const activeCurrency = string({
  ...currencyForm,
  description: 'ISO 4217.',
  rule: (code) => (currencies.has(code) ? undefined : notActive(code)),
});

function notActive(code: string): string {
  return `${code} is not an active ISO 4217 currency code.`;
}

type HasCurrency = Readonly<Record<string, unknown>>;
/** Returns an issue if a change would bring in a currency that was withdrawn. */
export function withdrawnCurrencyIssues(current: HasCurrency, { currency: sent }: HasCurrency): Issue[] {
  if (typeof sent !== 'string' || sent === current['currency'] || !withdrawnCurrencies.has(sent)) return [];
  return [{ pointer: '/currency', code: 'format', detail: notActive(sent) }];
}

export const unitPrice = integer({
  minimum: -1e12,
  maximum: 1e12,
  description: 'In the currency’s minor unit; below 0 for a discount, or a deposit that is given back.',
  mustBe: 'an integer in the currency’s minor unit, such as 749 for 7.49 EUR',
  examples: [749],
});

/** Returns 0 for the -0 that JSON has, and other numbers as they are. */
export function plainZero(sent: number): number {
  return sent + 0;
}

/**
 * Returns an issue for each read-only member that was sent with another value. Its current value is accepted,
 * so that a client can GET, edit and PUT.
 */
export function readOnlyIssues(
  current: Readonly<Record<string, unknown>>,
  sent: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Issue[] {
  const changed = names.filter((name) => sent[name] !== undefined && !isSame(sent[name], current[name]));
  return changed.map((name) => {
    const value = current[name];
    const rule = value === undefined ? 'omit it' : `it must be ${JSON.stringify(value)}, or omitted`;
    return { pointer: `/${name}`, code: 'read-only', detail: `${name} is read-only: ${rule}.` };
  });
}

/** Compares two values of a read-only member. Texts are times, which can be written in several ways. */
function isSame(sent: unknown, current: unknown): boolean {
  if (sent === current) return true;
  return typeof sent === 'string' && typeof current === 'string' && toTime(sent) === toTime(current);
}
