// Money and numbers as the browser's region writes them, times in the interface's language with the region's
// order and in the shop's time zone, and words for the names of the API.
import { decimalText, type Digits, moneyText, type PriceFormat, priceOf, readingsOf } from './amounts.ts';
import { placeLine } from './address-order.ts';
import type { Address } from './api-types.ts';
import { browserLocale, language, locale } from './language.ts';
import { shopOfPage, wordsOfPage } from './page-text.ts';
import { now } from './service-clock.ts';
import { t } from './texts.ts';
import { ZoneDays } from './zone-days.ts';

const active: Digits = Object.fromEntries(
  wordsOfPage('currencies').map((text) => [text.slice(0, 3), Number(text.slice(4))]),
);
const digits: Digits = {
  ...active,
  ...Object.fromEntries(wordsOfPage('whole-currencies').map((code) => [code, 0])),
};

const commonCurrencies = 'EUR USD GBP CHF JPY CNY CAD AUD SEK NOK DKK PLN CZK'.split(' ');

/** What new orders begin with. */
export function shopCurrency(): string {
  return shopOfPage().currency;
}

/** The codes that the service accepts, the shop's own and the most common ones first; the browser knows others. */
export function currencies(): readonly string[] {
  const first = [shopCurrency(), ...commonCurrencies].filter((code) => Object.hasOwn(active, code));
  return [...new Set([...first, ...Object.keys(active)])];
}

const numberLocale = browserLocale;
export const decimalSign = new Intl.NumberFormat(numberLocale).format(1.5).includes(',') ? ',' : '.';
const numberFormat = new Intl.NumberFormat(numberLocale, { maximumFractionDigits: 1 });
const compactNumber = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const wholeDays = new Intl.NumberFormat(locale, { style: 'unit', unit: 'day', unitDisplay: 'long' });
const countryNames = new Intl.DisplayNames(locale, { type: 'region' });

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

/** Returns the two amounts that a price such as `1.234` could be; undefined if there is one. */
export function priceReadings(text: string, currency: string): readonly [string, string] | undefined {
  return readingsOf(text, priceFormat(currency));
}

/** Explains what to enter instead of an invalid price. */
export function priceIssue(text: string, currency: string): string {
  const readings = priceReadings(text, currency);
  if (readings === undefined)
    return t('Price must be an amount such as {example}.', { example: priceText(749, currency) });
  const [first, second] = readings;
  return t('Price could be {first} or {second}: enter the one that you mean.', { first, second });
}

/** What people write, and browsers don't. */
const writtenSigns: Readonly<Record<string, readonly string[]>> = {
  CHF: ['Fr.', 'SFr.'],
  DKK: ['kr.'],
  ISK: ['kr.'],
  NOK: ['kr.'],
  SEK: ['kr.'],
};

function priceFormat(currency: string): PriceFormat {
  const signs = (['symbol', 'narrowSymbol'] as const).map((currencyDisplay) =>
    signOf(currency, currencyDisplay),
  );
  return {
    fraction: digits[currency] ?? 2,
    decimalSign,
    signs: [currency, ...signs, ...(writtenSigns[currency] ?? [])],
  };
}

function signOf(currency: string, currencyDisplay: 'symbol' | 'narrowSymbol'): string {
  const parts = new Intl.NumberFormat(numberLocale, { style: 'currency', currency, currencyDisplay });
  return parts.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency;
}

export function count(value: number): string {
  return numberFormat.format(value);
}

/** Formats whole units of the currency, for the axis of a plot. */
export function compactMoney(minorUnits: number, currency: string): string {
  return compactNumber.format(minorUnits / 10 ** (digits[currency] ?? 2));
}

/** The days of the shop’s time zone, and how its times are written: made again when it has another one. */
class ShopTimes {
  #zone: string | undefined;
  #days = new ZoneDays('UTC');
  #formats = new Map<Intl.DateTimeFormatOptions, Intl.DateTimeFormat>();

  get days(): ZoneDays {
    const zone = shopOfPage().timeZone ?? '';
    if (this.#zone !== zone) {
      this.#zone = zone;
      this.#formats.clear();
      this.#days = daysOf(zone);
    }
    return this.#days;
  }

  format(time: Date, style: Intl.DateTimeFormatOptions): string {
    const { zone: timeZone } = this.days;
    const known = this.#formats.get(style) ?? new Intl.DateTimeFormat(locale, { ...style, timeZone });
    this.#formats.set(style, known);
    return known.format(time);
  }
}

const shopTimes = new ShopTimes();
const dayAndTime = { dateStyle: 'medium', timeStyle: 'short' } as const;
const dayOnly = { dateStyle: 'medium' } as const;
const wholeDay = { dateStyle: 'full' } as const;
const clockTime = { timeStyle: 'short' } as const;
const monthAndYear = { month: 'short', year: 'numeric' } as const;
const yearOnly = { year: 'numeric' } as const;

/** A shop without a time zone has the device's. A browser may not know the shop's zone, and some not even their own. */
function daysOf(zone: string): ZoneDays {
  const known = [zone, deviceZone()].find(isTimeZone) ?? 'UTC';
  return new ZoneDays(known);
}

/** Some browsers have no name for it. */
export function deviceZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone ?? '';
}

/** The service takes names alone, and some browsers say `+02:00`. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && new ZoneDays(name).zone === name;
  } catch {
    return false;
  }
}

/** The time zone whose days are shown and counted. */
export function timeZone(): string {
  return shopTimes.days.zone;
}

export function dateTime(iso: string | null): string {
  return iso === null ? '—' : shopTimes.format(new Date(iso), dayAndTime);
}

export function dateOnly(iso: string | null): string {
  return iso === null ? '—' : shopTimes.format(new Date(iso), dayOnly);
}

export function fullDay(time: Date): string {
  return shopTimes.format(time, wholeDay);
}

export function monthLabel(iso: string): string {
  return shopTimes.format(new Date(iso), monthAndYear);
}

export function yearLabel(iso: string): string {
  return shopTimes.format(new Date(iso), yearOnly);
}

/** Formats a number of minutes, or of hours from two on. */
export function timeSpan(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  const [unit, value] =
    minutes < 120 ? (['minute', minutes] as const) : (['hour', Math.round(minutes / 60)] as const);
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}

/** Formats how long ago a time was, in whole days: `3 days`. */
export function age(iso: string): string {
  const days = (startOfDay(now()).getTime() - startOfDay(new Date(iso)).getTime()) / 86_400_000;
  return wholeDays.format(Math.round(days));
}

/** Formats a time of today as its time of day, any other as its date. */
export function shortTime(iso: string): string {
  const time = new Date(iso);
  return dayName(time) === today() ? shopTimes.format(time, clockTime) : dateOnly(iso);
}

export function startOfDay(time: Date): Date {
  return addDays(time, 0);
}

/** Returns the beginning of the day that is `days` after that of `time`. */
export function addDays(time: Date, days: number): Date {
  return shopTimes.days.startOfDay(time, days);
}

export function startOfMonth(time: Date, monthsLater: number): Date {
  return shopTimes.days.startOfMonth(time, monthsLater);
}

export function startOfYear(time: Date, yearsLater: number): Date {
  return shopTimes.days.startOfYear(time, yearsLater);
}

/** Formats a day in the shop's time zone: `2026-11-22`. */
export function dayName(time: Date): string {
  return shopTimes.days.dayName(time);
}

/** The day it is now. */
export function today(): string {
  return dayName(now());
}

/** Returns the beginning of the day with this name; undefined for any other text. */
export function dayOf(name: string | null): Date | undefined {
  const [, year, month, date] = /^([1-9]\d{3})-(\d\d)-(\d\d)$/.exec(name ?? '') ?? [];
  if (year === undefined) return undefined;
  return shopTimes.days.startOf(Number(year), Number(month) - 1, Number(date));
}

/** Formats a time of day in the shop's time zone: `09:30:00`. */
export function timeOfDay(time: Date): string {
  return shopTimes.days.timeOfDay(time);
}

/** Returns the code itself if the browser has no name for it. */
export function countryName(code: string): string {
  return countryNames.of(code) ?? code;
}

/** Returns the countries sorted by name, or by code if the browser has no name. */
export function countryChoices(): (readonly [string, string])[] {
  return wordsOfPage('countries')
    .map((code) => [code, countryName(code)] as const)
    .sort(([, a], [, b]) => a.localeCompare(b));
}

/** The country of the shop, or else that of the browser's locale. */
export function homeCountry(): string {
  const { country } = shopOfPage();
  if (country !== null) return country;
  // whoever chose German in an English browser is hardly in America; English alone says nothing of a country
  const isForeign = language !== 'en' && locale === `${language}-001`;
  return new Intl.Locale(isForeign ? language : browserLocale).maximize().region ?? '';
}

export function addressLines(address: Address, name = ''): string[] {
  const { line1, line2, country } = address;
  const lines = [address.name ?? name, line1, line2, placeLine(address), countryName(country)];
  return lines.filter((line) => line !== null && line !== undefined && line !== '').map(String);
}
