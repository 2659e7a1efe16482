// What a setting is, the rules that settings share, and the settings that belong to no feature.
import { secretBytesMin } from '../auth/jwt.ts';
import { listed } from '../base/listed.ts';
import { levels } from '../base/log-lines.ts';
import { isIP } from 'node:net';
import type { Rate } from '../rates/limiter.ts';
import { currencies } from '../schema/iso-codes.ts';
import { hasPhonePlan } from '../schema/phone.ts';

/** A flag. A flag without `value` takes no value. */
export type CommandFlag = {
  readonly flag: string;
  readonly value?: string;
  readonly help: string;
  readonly isRequired?: true;
  readonly rule?: SettingRule;
};
/**
 * A setting. The name of its environment variable follows from the flag: `--public-url`,
 * `ORDERLY_PUBLIC_URL`.
 */
export type Setting = CommandFlag & { readonly value: string; readonly fallback: string };

export const coreSettings: readonly Setting[] = [
  {
    flag: 'host',
    value: 'ADDRESS',
    fallback: '127.0.0.1',
    help: 'address to listen on',
    rule: host,
  },
  {
    flag: 'port',
    value: 'PORT',
    fallback: '8443',
    help: 'port to listen on; 0 picks one',
    rule: wholeNumber(0, 65_535),
  },
  {
    flag: 'data',
    value: 'FOLDER',
    fallback: 'data',
    help: 'the folder that holds everything',
    rule: (text) => (text === '' ? 'must be a folder' : undefined),
  },
  {
    flag: 'tls',
    value: 'MODE',
    fallback: 'self-signed',
    help: 'self-signed, files, or off (behind a proxy)',
    rule: oneOf(['self-signed', 'files', 'off']),
  },
  { flag: 'tls-cert', value: 'FILE', fallback: '', help: 'certificate chain, PEM, for --tls files' },
  { flag: 'tls-key', value: 'FILE', fallback: '', help: 'private key, PEM, for --tls files' },
  {
    flag: 'public-url',
    value: 'URL',
    fallback: '',
    help: 'how clients reach the service (https://localhost:PORT)',
    rule: origin,
  },
  {
    flag: 'trusted-proxy',
    value: 'LIST',
    fallback: '',
    help: 'addresses or CIDR blocks of proxies to trust',
    rule: listOf(addressBlock),
  },
  {
    flag: 'registration',
    value: 'MODE',
    fallback: 'open',
    help: 'open: anyone may sign up; closed: administrators create users',
    rule: oneOf(['open', 'closed']),
  },
  {
    flag: 'jwt-secrets',
    value: 'LIST',
    fallback: '',
    help:
      `secrets of at least ${secretBytesMin} bytes; the first signs (secret.key). ` +
      'Better in the environment',
    rule: listOf(secret),
  },
  {
    flag: 'api-key-query',
    value: 'MODE',
    fallback: 'on',
    help: 'whether ?api_key= is accepted: on or off',
    rule: oneOf(['on', 'off']),
  },
  {
    flag: 'rate-default',
    value: 'RATE',
    fallback: '600/60',
    help: 'requests/seconds of each caller, or off',
    rule: rate,
  },
  {
    flag: 'rate-anonymous',
    value: 'RATE',
    fallback: '120/60',
    help: 'requests without a credential, per address',
    rule: rate,
  },
  {
    flag: 'rate-login-account',
    value: 'RATE',
    fallback: '5/60',
    help: 'sign-ins to one account from one address',
    rule: rate,
  },
  {
    flag: 'rate-login-account-total',
    value: 'RATE',
    fallback: '50/60',
    help: 'sign-ins to one account, in total',
    rule: rate,
  },
  {
    flag: 'rate-login-address',
    value: 'RATE',
    fallback: '20/60',
    help: 'sign-ins from one address',
    rule: rate,
  },
  {
    flag: 'rate-login-code',
    value: 'RATE',
    fallback: '10/3600',
    help: 'one-time codes for one account, from a known address or all others',
    rule: rate,
  },
  {
    flag: 'connections-per-address',
    value: 'N',
    fallback: '64',
    help: 'open connections of one address',
    rule: wholeNumber(1, 1_000_000),
  },
  {
    flag: 'keep-alive',
    value: 'SECONDS',
    fallback: '75',
    help: 'seconds that a connection without a request stays open',
    rule: wholeNumber(5, 3_600),
  },
  {
    flag: 'rate-created',
    value: 'RATE',
    fallback: '1000/86400',
    help: 'objects that a user without staff rights creates or changes',
    rule: rate,
  },
  {
    flag: 'events-days',
    value: 'DAYS',
    fallback: '0',
    help: 'days that events are stored; 0 means forever',
    rule: wholeNumber(0, 36_500),
  },
  {
    flag: 'checkpoints',
    value: 'BY',
    fallback: 'own',
    help: 'who checkpoints the WAL: own, or litestream (a replica)',
    rule: oneOf(['own', 'litestream']),
  },
  {
    flag: 'password-min',
    value: 'LENGTH',
    fallback: '8',
    help: 'shortest password, 8–64 (15 is recommended)',
    rule: wholeNumber(8, 64),
  },
  {
    flag: 'default-country',
    value: 'CODE',
    fallback: '',
    help: 'country of new addresses in the console, and of phone numbers in national form',
    rule: dialledCountry,
  },
  {
    flag: 'cache-bytes',
    value: 'BYTES',
    fallback: '',
    help: 'memory for cached responses; 0 turns the cache off; by default a 16th of the memory, 16 MiB at most',
    rule: wholeNumber(0, 2 ** 34),
  },
  {
    flag: 'cors-origins',
    value: 'LIST',
    fallback: '',
    help: 'origins whose pages may call the API',
    rule: listOf(pageOrigin),
  },
  {
    flag: 'without',
    value: 'LIST',
    fallback: '',
    help: 'features to leave out, such as console,docs; their data stays',
  },
  { flag: 'log', value: 'LEVEL', fallback: 'info', help: levels.join(', '), rule: oneOf(levels) },
];

/** Settings without a flag, since the list of processes shows flags to everybody. */
export const adminVariables = ['ORDERLY_ADMIN_EMAIL', 'ORDERLY_ADMIN_PASSWORD'] as const;

export function variableOf(flag: string): string {
  return `ORDERLY_${flag.toUpperCase().replaceAll('-', '_')}`;
}

/**
 * Returns the requirement that a text violates, in words that follow the flag; undefined if the text is
 * valid.
 */
type SettingRule = (text: string) => string | undefined;

export function wholeNumber(min: number, max: number): SettingRule {
  return (text) => {
    const isWhole = /^\d{1,12}$/.test(text);
    if (isWhole && Number(text) >= min && Number(text) <= max) return undefined;
    return `must be a whole number from ${min} to ${max}`;
  };
}

function oneOf(values: readonly string[]): SettingRule {
  return (text) => (values.includes(text) ? undefined : `must be ${listed(values, 'or')}`);
}

export function listOf(rule: SettingRule): SettingRule {
  return (text) => {
    const issues = splitList(text).map(rule);
    return issues.find((issue) => issue !== undefined);
  };
}

/** An IP address of either version, or a host name. */
function host(text: string): string | undefined {
  if (isIP(text) !== 0 || /^[\p{L}\p{N}._-]+$/u.test(text)) return undefined;
  return 'must be an address or a host name, without brackets and port';
}

/** An origin of pages, of the web or of an app, such as `capacitor://localhost`. */
function pageOrigin(text: string): string | undefined {
  const issue = origin(text);
  return /^https?:/i.test(text) || !appOriginForm.test(withoutSlash(text)) ? issue : undefined;
}

/** A scheme, a host and perhaps a port: what browsers compare, and send as it was written. */
const appOriginForm = /^[a-z][a-z\d+.-]*:\/\/(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/;

/**
 * An origin as browsers send it, optionally with a slash at its end. No wildcard, which would equal no
 * origin.
 */
function origin(text: string): string | undefined {
  if (text.includes('*')) return 'must be like https://orders.example.com, without *';
  const url = URL.parse(text);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.origin === withoutSlash(text);
  return isOrigin ? undefined : 'must be like https://orders.example.com';
}

/** An IP address, or a block of addresses in CIDR notation (RFC 4632). */
export function addressBlock(text: string): string | undefined {
  const [network = '', bits, more] = text.split('/');
  const bitsMax = isIP(network) === 6 ? 128 : 32;
  const isPrefix = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax);
  if (isIP(network) !== 0 && more === undefined && isPrefix) return undefined;
  return 'must be addresses or blocks such as 10.0.0.0/8';
}

function dialledCountry(text: string): string | undefined {
  if (text === '' || hasPhonePlan(text)) return undefined;
  return 'must be a country code such as DE (ISO 3166-1 alpha-2)';
}

export function currency(text: string): string | undefined {
  return currencies.has(text) ? undefined : 'must be a currency code such as EUR (ISO 4217)';
}

function secret(text: string): string | undefined {
  if (Buffer.byteLength(text) >= secretBytesMin) return undefined;
  return `must be secrets of at least ${secretBytesMin} bytes each`;
}

function rate(text: string): string | undefined {
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
