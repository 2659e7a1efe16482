// Money and numbers as the browser's region writes them, times in the interface's language with the region's
// order and in the shop's time zone, and words for the names of the API.
import { decimalText, type Digits, moneyText, type PriceFormat, priceOf, readingsOf } from './amounts.ts';
import { placeLines } from './address-order.ts';
import type { Address } from './api-types.ts';
import { isLongGtin } from './gtin.ts';
import { browserLocale, language, locale } from './language.ts';
import { shopOfPage, metaCodes } from './page-meta.ts';
import { writtenPhone } from './phone-numbers.ts';
import { now } from './service-clock.ts';
import { t } from './texts.ts';
import { ZoneDays } from './zone-days.ts';

const active: Digits = Object.fromEntries(
  metaCodes('currencies').map((text) => [text.slice(0, 3), Number(text.slice(4))]),
);
const digits: Digits = {
  ...active,
  ...Object.fromEntries(metaCodes('whole-currencies').map((code) => [code, 0])),
};

const commonCurrencies = 'EUR USD GBP CHF JPY CNY CAD AUD SEK NOK DKK PLN CZK'.split(' ');

/** The currency of new orders. */
export function shopCurrency(): string {
  return shopOfPage().currency;
}

/** The codes that the service accepts, the shop's own and the most common ones first; the browser knows others. */
export function currencies(): readonly string[] {
  const first = [shopCurrency(), ...commonCurrencies].filter((code) => Object.hasOwn(active, code));
  return [...new Set([...first, ...Object.keys(active)])];
}

export const decimalSign = new Intl.NumberFormat(browserLocale).format(1.5).includes(',') ? ',' : '.';
const numberFormat = new Intl.NumberFormat(browserLocale, { maximumFractionDigits: 1 });
const countryNames = new Intl.DisplayNames(locale, { type: 'region' });

export function money(minorUnits: number | null, currency: string): string {
  if (minorUnits === null) return '—';
  return moneyText(minorUnits, currency, { digits, locale: browserLocale }).replace('-', '−');
}

/** Formats a price for an input field. */
export function priceText(minorUnits: number, currency: string): string {
  return decimalText(minorUnits, digits[currency] ?? 2).replace('.', decimalSign);
}

/** `fileSign` begins the decimals in a file, if somebody has said so. */
export function typedPrice(text: string, currency: string, fileSign?: string): number | undefined {
  if (isLongGtin(text)) return undefined;
  return priceOf(text, { ...priceFormat(currency), ...(fileSign !== undefined && { fileSign }) });
}

/** Returns the two amounts that a price such as `1.234` could be; undefined if there is one. */
export function priceReadings(text: string, currency: string): readonly [string, string] | undefined {
  return readingsOf(text, priceFormat(currency));
}

/** Explains what to enter instead of an invalid price, or of none. */
export function priceIssue(text: string, currency: string): string {
  if (text.trim() === '') return t('{label} is required.', { label: t('Price') });
  if (isLongGtin(text)) return t('That is a barcode, no price.');
  const [first, second = ''] = priceReadings(text, currency) ?? [];
  return first === undefined
    ? t('Price must be an amount such as {example}.', { example: priceText(749, currency) })
    : t('Price could be {first} or {second}: enter the one that you mean.', { first, second });
}

/** Signs that people write, and browsers don't. */
const writtenSigns: Readonly<Record<string, readonly string[]>> = {
  CHF: ['Fr.', 'SFr.'],
  DKK: ['kr.'],
  ISK: ['kr.'],
  NOK: ['kr.'],
  SEK: ['kr.'],
};

function priceFormat(currency: string): PriceFormat {
  const signs = (['symbol', 'narrowSymbol'] as const).map((currencyDisplay) => {
    const format = new Intl.NumberFormat(browserLocale, { style: 'currency', currency, currencyDisplay });
    return format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency;
  });
  const all = [currency, ...signs, ...(writtenSigns[currency] ?? [])];
  return { fraction: digits[currency] ?? 2, decimalSign, signs: all };
}

export function count(value: number): string {
  return numberFormat.format(value);
}

/** Returns the empty text in browsers that don't know the zone. */
export function deviceZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone ?? '';
}

/** The service accepts only names, but some browsers have `+02:00`. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && new ZoneDays(name).zone === name;
  } catch {
    return false;
  }
}

const timeStyles = {
  dayAndTime: { dateStyle: 'medium', timeStyle: 'short' },
  day: { dateStyle: 'medium' },
  fullDay: { dateStyle: 'full' },
  month: { month: 'short', year: 'numeric' },
  year: { year: 'numeric' },
  clock: { timeStyle: 'short' },
} as const;
type TimeStyle = keyof typeof timeStyles;

/** The days of the shop’s time zone, and the formats of its times: made again when the shop has another zone. */
class ShopTimes {
  #shopZone: string | null | undefined;
  #days = new ZoneDays('UTC');
  readonly #formats = new Map<TimeStyle, Intl.DateTimeFormat>();

  /** A shop without a time zone has the device's. Some browsers don't know the shop's, or not even their own. */
  get days(): ZoneDays {
    const { timeZone: shopZone } = shopOfPage();
    if (this.#shopZone !== shopZone) {
      this.#shopZone = shopZone;
      this.#formats.clear();
      this.#days = new ZoneDays([shopZone ?? '', deviceZone()].find(isTimeZone) ?? 'UTC');
    }
    return this.#days;
  }

  format(time: Date, style: TimeStyle): string {
    const { zone: timeZone } = this.days;
    const known =
      this.#formats.get(style) ?? new Intl.DateTimeFormat(locale, { ...timeStyles[style], timeZone });
    this.#formats.set(style, known);
    return known.format(time);
  }
}

const shopTimes = new ShopTimes();

/** The days by which orders are shown and counted. */
export function shopDays(): ZoneDays {
  return shopTimes.days;
}

export function timeText(time: Date | string, style: TimeStyle): string {
  return shopTimes.format(new Date(time), style);
}

export function dateTime(iso: string | null): string {
  return iso === null ? '—' : timeText(iso, 'dayAndTime');
}

export function dateOnly(iso: string | null): string {
  return iso === null ? '—' : timeText(iso, 'day');
}

/** Formats a time of today as its time of day, any other as its date. */
export function shortTime(iso: string): string {
  const isToday = shopDays().dayName(new Date(iso)) === today();
  return timeText(iso, isToday ? 'clock' : 'day');
}

/** Formats a number of minutes, or of hours from two on. */
export function timeSpan(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  return minutes < 120 ? unitText(minutes, 'minute') : unitText(Math.round(minutes / 60), 'hour');
}

/** Formats how long ago a time was, in whole days: `3 days`. */
export function age(iso: string): string {
  const [then = 0, today = 0] = [new Date(iso), now()].map((time) => shopDays().startOfDay(time).getTime());
  return unitText(Math.round((today - then) / 86_400_000), 'day');
}

function unitText(value: number, unit: 'minute' | 'hour' | 'day'): string {
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}

/** The name of this day: `2026-11-22`. */
export function today(): string {
  return shopDays().dayName(now());
}

/** Returns the beginning of the day with this name; undefined for any other text. */
export function dayOf(name: string | null): Date | undefined {
  const [, year, month, date] = /^([1-9]\d{3})-(\d\d)-(\d\d)$/.exec(name ?? '') ?? [];
  return year === undefined ? undefined : shopDays().startOf(Number(year), Number(month) - 1, Number(date));
}

/** Returns the code itself if the browser has no name for it. */
export function countryName(code: string): string {
  return countryNames.of(code) ?? code;
}

/** Returns the countries sorted by name, or by code if the browser has no name. */
export function countryChoices(): (readonly [string, string])[] {
  return metaCodes('countries')
    .map((code) => [code, countryName(code)] as const)
    .sort(([, a], [, b]) => a.localeCompare(b));
}

/** The country of the shop, or else of the browser's locale. */
export function homeCountry(): string {
  const { country } = shopOfPage();
  if (country !== null) return country;
  // whoever chose German in an English browser is hardly in America; English alone says nothing of a country
  const isForeign = language !== 'en' && locale === `${language}-001`;
  return new Intl.Locale(isForeign ? language : browserLocale).maximize().region ?? '';
}

export function addressLines(address: Address, name = ''): string[] {
  const { line1, line2, country } = address;
  const lines = [address.name ?? name, line1, line2, ...placeLines(address), countryName(country)];
  return lines.filter((line) => line !== null && line !== undefined && line !== '').map(String);
}

/** Writes a phone number of the shop's country as it is written there, any other as from abroad. */
export function phoneText(phone: string | null): string {
  return phone === null ? '' : writtenPhone(phone, shopOfPage().country);
}
