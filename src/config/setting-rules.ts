// Rules for the values of settings.
import { isIP } from 'node:net';
import type { Rate } from '../rates/limiter.ts';
import { secretBytesMin } from '../limits.ts';
import { dialling } from '../schema/dialling-codes.ts';
import { currencies } from '../schema/iso-codes.ts';

/** Returns the requirement that a value misses, in words that follow the flag; undefined if it is valid. */
export type SettingRule = (text: string) => string | undefined;

export function wholeNumber(min: number, max: number): SettingRule {
  return (text) => {
    const isWhole = /^\d{1,12}$/.test(text);
    if (isWhole && Number(text) >= min && Number(text) <= max) return undefined;
    return `must be a whole number from ${min} to ${max}`;
  };
}

export function oneOf(values: readonly string[]): SettingRule {
  const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(values);
  return (text) => (values.includes(text) ? undefined : `must be ${alternatives}`);
}

export function listOf(rule: SettingRule): SettingRule {
  return (text) => {
    const issues = splitList(text).map(rule);
    return issues.find((issue) => issue !== undefined);
  };
}

/** An address of either version, or a host name. */
export function host(text: string): string | undefined {
  if (isIP(text) !== 0 || /^[\p{L}\p{N}._-]+$/u.test(text)) return undefined;
  return 'must be an address or a host name, without brackets and port';
}

/** An origin as browsers send it, optionally with a slash at its end. A wildcard would match none of them. */
export function origin(text: string): string | undefined {
  if (text.includes('*')) return 'must be like https://orders.example.com, without *';
  const url = URL.parse(text);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.origin === withoutSlash(text);
  return isOrigin ? undefined : 'must be like https://orders.example.com';
}

/** An address, or a block of addresses in CIDR notation (RFC 4632). */
export function addressBlock(text: string): string | undefined {
  const [network = '', bits, more] = text.split('/');
  const bitsMax = isIP(network) === 6 ? 128 : 32;
  const isPrefix = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax);
  if (isIP(network) !== 0 && more === undefined && isPrefix) return undefined;
  return 'must be addresses or blocks such as 10.0.0.0/8';
}

export function dialledCountry(text: string): string | undefined {
  if (text === '' || dialling.has(text)) return undefined;
  return 'must be a country code such as DE (ISO 3166-1 alpha-2)';
}

export function currency(text: string): string | undefined {
  return currencies.has(text) ? undefined : 'must be a currency code such as EUR (ISO 4217)';
}

const lineCharsMax = 200;

export function shortLine(text: string): string | undefined {
  if (text.length <= lineCharsMax && !/\p{Cc}/u.test(text)) return undefined;
  return `must be a line of at most ${lineCharsMax} characters`;
}

export function secret(text: string): string | undefined {
  if (Buffer.byteLength(text) >= secretBytesMin) return undefined;
  return `must be secrets of at least ${secretBytesMin} bytes each`;
}

export function rate(text: string): string | undefined {
  if (text === 'off' || /^[1-9]\d{0,8}\/[1-9]\d{0,5}$/.test(text)) return undefined;
  return 'must be like 600/60 (requests/seconds) or off';
}

/** Returns the rate of a text that `rate` accepts. */
export function parseRate(text: string): Rate {
  const [requests, seconds] = text.split('/').map(Number);
  if (text === 'off' || requests === undefined || seconds === undefined) return undefined;
  return { requests, seconds };
}

export function splitList(text: string): readonly string[] {
  return text === '' ? [] : text.split(',').map((part) => part.trim());
}

export function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}
