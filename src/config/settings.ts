// What a setting is, the rules that settings share, and the settings that belong to no feature.
import { isIP } from 'node:net';
import { secretBytesMin } from '../auth/jwt.ts';
import { listed } from '../base/message-words.ts';
import { levels } from '../base/log-lines.ts';
import type { Rate } from '../rates/limiter.ts';
import { currencies } from '../schema/iso-codes.ts';
import { hasPhonePlan } from '../schema/phone.ts';

/** A flag. A flag without `value` takes no value. */
export type CommandFlag = {
  readonly flag: string;
  readonly value?: string;
  readonly help: string;
  readonly isRequired?: true;
  readonly rule?: SettingRule | undefined;
};
/**
 * A setting. The name of its environment variable follows from the flag: `--public-url`,
 * `ORDERLY_PUBLIC_URL`.
 */
export type Setting = CommandFlag & { readonly value: string; readonly fallback: string };

type SettingRow = readonly [flag: string, value: string, fallback: string, help: string, rule?: SettingRule];

const rows: readonly SettingRow[] = [
  ['host', 'ADDRESS', '127.0.0.1', 'address to listen on', host],
  ['port', 'PORT', '8443', 'port to listen on; 0 picks one', wholeNumberRule(0, 65_535)],
  ['data', 'FOLDER', 'data', 'the folder that holds everything', folder],
  [
    'tls',
    'MODE',
    'self-signed',
    'self-signed, files, or off (behind a proxy)',
    wordRule(['self-signed', 'files', 'off']),
  ],
  ['tls-cert', 'FILE', '', 'certificate chain, PEM, for --tls files'],
  ['tls-key', 'FILE', '', 'private key, PEM, for --tls files'],
  ['public-url', 'URL', '', 'how clients reach the service (https://localhost:PORT)', origin],
  ['trusted-proxy', 'LIST', '', 'addresses or CIDR blocks of proxies to trust', listRule(addressBlock)],
  [
    'registration',
    'MODE',
    'open',
    'open: anyone may sign up; closed: administrators create users',
    wordRule(['open', 'closed']),
  ],
  [
    'jwt-secrets',
    'LIST',
    '',
    `secrets of at least ${secretBytesMin} bytes; the first signs (secret.key). Better in the environment`,
    listRule(secret),
  ],
  ['api-key-query', 'MODE', 'on', 'whether ?api_key= is accepted: on or off', wordRule(['on', 'off'])],
  ['rate-default', 'RATE', '600/60', 'requests/seconds of each caller, or off', rate],
  ['rate-anonymous', 'RATE', '120/60', 'requests without a credential, per address', rate],
  ['rate-login-account', 'RATE', '5/60', 'sign-ins to one account from one address', rate],
  ['rate-login-account-total', 'RATE', '50/60', 'sign-ins to one account, in total', rate],
  ['rate-login-address', 'RATE', '20/60', 'sign-ins from one address', rate],
  [
    'rate-login-code',
    'RATE',
    '10/3600',
    'one-time codes for one account, from a known address or all others',
    rate,
  ],
  ['connections-per-address', 'N', '64', 'open connections of one address', wholeNumberRule(1, 1_000_000)],
  [
    'keep-alive',
    'SECONDS',
    '75',
    'seconds that a connection without a request stays open',
    wholeNumberRule(5, 3_600),
  ],
  ['rate-created', 'RATE', '1000/86400', 'objects that a user without staff rights creates or changes', rate],
  ['events-days', 'DAYS', '0', 'days that events are stored; 0 means forever', wholeNumberRule(0, 36_500)],
  [
    'checkpoints',
    'BY',
    'own',
    'who checkpoints the WAL: own, or litestream (a replica)',
    wordRule(['own', 'litestream']),
  ],
  ['password-min', 'LENGTH', '8', 'shortest password, 8–64 (15 is recommended)', wholeNumberRule(8, 64)],
  [
    'default-country',
    'CODE',
    '',
    'country of new addresses in the console, and of phone numbers in national form',
    dialledCountry,
  ],
  [
    'cache-bytes',
    'BYTES',
    '',
    'memory for cached responses; 0 turns the cache off; by default a 16th of the memory, 16 MiB at most',
    wholeNumberRule(0, 2 ** 34),
  ],
  ['cors-origins', 'LIST', '', 'origins whose pages may call the API', listRule(pageOrigin)],
  ['without', 'LIST', '', 'features to leave out, such as console,docs; their data stays'],
  ['log', 'LEVEL', 'info', levels.join(', '), wordRule(levels)],
];

export const coreSettings = rows.map(([flag, value, fallback, help, rule]): Setting => {
  return { flag, value, fallback, help, rule };
});

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

export function wholeNumberRule(min: number, max: number): SettingRule {
  return (text) => {
    const isWhole = /^\d{1,12}$/.test(text);
    if (isWhole && Number(text) >= min && Number(text) <= max) return undefined;
    return `must be a whole number from ${min} to ${max}`;
  };
}

function wordRule(values: readonly string[]): SettingRule {
  return (text) => (values.includes(text) ? undefined : `must be ${listed(values, 'or')}`);
}

export function listRule(rule: SettingRule): SettingRule {
  return (text) => {
    const issues = splitList(text).map(rule);
    return issues.find((issue) => issue !== undefined);
  };
}

function folder(text: string): string | undefined {
  return text === '' ? 'must be a folder' : undefined;
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

export function currencyRule(text: string): string | undefined {
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
