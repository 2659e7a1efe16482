// Money and numbers as the browser's region writes them, times in the interface's language with the region's
// order, and words for the names of the API.
import { decimalText, type Digits, moneyText, type PriceFormat, priceOf, readingsOf } from './amounts.ts';
import { placeLine } from './address-order.ts';
import type { Address, Payment } from './api-types.ts';
import { locale } from './language.ts';
import { textOfPage, wordsOfPage } from './page-text.ts';
import { t } from './texts.ts';

const active: Digits = Object.fromEntries(
  wordsOfPage('currencies').map((text) => [text.slice(0, 3), Number(text.slice(4))]),
);
const digits: Digits = {
  ...active,
  ...Object.fromEntries(wordsOfPage('whole-currencies').map((code) => [code, 0])),
};

export const countries: readonly string[] = wordsOfPage('countries');
/** What new orders begin with. */
export const defaultCurrency = textOfPage('default-currency');
const commonCurrencies = 'EUR USD GBP CHF JPY CNY CAD AUD SEK NOK DKK PLN CZK'.split(' ');
const firstCurrencies = [defaultCurrency, ...commonCurrencies].filter((code) => Object.hasOwn(active, code));
/** The codes that the service accepts, the shop's own and the most common ones first; the browser knows others. */
export const currencies: readonly string[] = [...new Set([...firstCurrencies, ...Object.keys(active)])];

const numberLocale = navigator.language;
export const decimalSign = new Intl.NumberFormat(numberLocale).format(1.5).includes(',') ? ',' : '.';
const dayTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const dayOnly = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const longDay = new Intl.DateTimeFormat(locale, { dateStyle: 'full' });
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const monthOnly = new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric' });
const plainNumber = new Intl.NumberFormat(numberLocale, { maximumFractionDigits: 1 });
const compactNumber = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const wholeDays = new Intl.NumberFormat(locale, { style: 'unit', unit: 'day', unitDisplay: 'long' });
const countryNames = new Intl.DisplayNames(locale, { type: 'region' });

export const timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

export function money(minorUnits: number | null, currency: string): string {
  return minorUnits === null
    ? '—'
    : moneyText(minorUnits, currency, { digits, locale: numberLocale }).replace('-', '−');
}

/** Formats a price for an input field. */
export function priceText(minorUnits: number, currency: string): string {
  return decimalText(minorUnits, digits[currency] ?? 2).replace('.', decimalSign);
}

/** In a file it may be known which sign begins the decimals. */
export function typedPrice(text: string, currency: string, fileSign?: string): number | undefined {
  return priceOf(text, { ...priceFormat(currency), ...(fileSign !== undefined && { fileSign }) });
}

export function isAmbiguousPrice(text: string, currency: string): boolean {
  return readingsOf(text, priceFormat(currency)) !== undefined;
}

/** Explains what to enter instead of an invalid price. */
export function priceIssue(text: string, currency: string): string {
  const readings = readingsOf(text, priceFormat(currency));
  if (readings === undefined)
    return t('Price must be an amount such as {example}.', { example: priceText(749, currency) });
  const [first, second] = readings;
  return t('Price could be {first} or {second}: enter the one that you mean.', { first, second });
}

function priceFormat(currency: string): PriceFormat {
  const signs = (['symbol', 'narrowSymbol'] as const).map((currencyDisplay) =>
    signOf(currency, currencyDisplay),
  );
  return { fraction: digits[currency] ?? 2, decimalSign, signs: [currency, ...signs] };
}

function signOf(currency: string, currencyDisplay: 'symbol' | 'narrowSymbol'): string {
  const parts = new Intl.NumberFormat(numberLocale, { style: 'currency', currency, currencyDisplay });
  return parts.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency;
}

export function count(value: number): string {
  return plainNumber.format(value);
}

/** Formats whole units of the currency, for the axis of a plot. */
export function compactMoney(minorUnits: number, currency: string): string {
  return compactNumber.format(minorUnits / 10 ** (digits[currency] ?? 2));
}

export function dateTime(iso: string | null): string {
  return iso === null ? '—' : dayTime.format(new Date(iso));
}

export function dateOnly(iso: string | null): string {
  return iso === null ? '—' : dayOnly.format(new Date(iso));
}

export function fullDay(time: Date): string {
  return longDay.format(time);
}

function clockTime(iso: string): string {
  return clock.format(new Date(iso));
}

export function monthLabel(iso: string): string {
  return monthOnly.format(new Date(iso));
}

export function yearLabel(iso: string): string {
  return String(new Date(iso).getFullYear());
}

/** Formats how long ago a time was, in whole days: `3 days`. */
export function age(iso: string): string {
  const days = (startOfDay(new Date()).getTime() - startOfDay(new Date(iso)).getTime()) / 86_400_000;
  return wholeDays.format(Math.round(days));
}

/** Formats a time of today as its time of day, any other as its date. */
export function shortTime(iso: string): string {
  const isToday = new Date(iso).toDateString() === new Date().toDateString();
  return isToday ? clockTime(iso) : dateOnly(iso);
}

export function startOfDay(time: Date): Date {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate());
}

export function addDays(time: Date, days: number): Date {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate() + days);
}

/** Formats a day in the browser's time zone: `2026-11-22`. */
export function dayName(time: Date): string {
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

/** Returns the beginning of the day with this name; undefined for any other text. */
export function dayOf(name: string | null): Date | undefined {
  const [, year, month, date] = /^([1-9]\d{3})-(\d\d)-(\d\d)$/.exec(name ?? '') ?? [];
  return year === undefined ? undefined : new Date(Number(year), Number(month) - 1, Number(date));
}

/** Formats a time of day in the browser's time zone: `09:30:00`. */
export function timeOfDay(time: Date): string {
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':');
}

function two(part: number): string {
  return String(part).padStart(2, '0');
}

/** Returns the code itself if the browser has no name for it. */
export function countryName(code: string): string {
  return countryNames.of(code) ?? code;
}

export function addressLines(address: Address, name = ''): string[] {
  const { line1, line2, country } = address;
  const lines = [address.name ?? name, line1, line2, placeLine(address), countryName(country)];
  return lines.filter((line) => line !== null && line !== undefined && line !== '').map(String);
}

export const paymentNames: Readonly<Record<Payment, string>> = {
  card: t('Card'),
  cash: t('Cash'),
  transfer: t('Transfer'),
  other: t('Other'),
};
