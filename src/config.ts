// Flags, environment and .env → one checked Config; every fault at once.
import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { passwordIssue } from './auth/password.ts';
import { secretBytesMin } from './limits.ts';
import { levels, type Level } from './logger.ts';
import { emailIssue } from './schema/email.ts';
import type { Rate } from './http/rate-limit.ts';

/** Thrown with all that is wrong with the settings. */
export class ConfigError extends Error {
  readonly faults: readonly string[];
  /** Whether it is only the command that was used wrongly. */
  readonly isUsage: boolean;

  constructor(faults: readonly string[], misuse: readonly string[] = []) {
    super([...faults, ...misuse].join('\n'));
    this.faults = [...faults, ...misuse];
    this.isUsage = faults.length === 0;
  }
}

/** A flag of one command; without `value` it takes none. `fault` says what is wrong with a value. */
export type CommandFlag = {
  readonly flag: string;
  readonly value?: string;
  readonly help: string;
  readonly isRequired?: true;
  readonly fault?: Fault;
};
type Fault = (text: string) => string | undefined;
type Setting = CommandFlag & { readonly value: string; readonly fallback: string };

/**
 * Every setting, as help shows it and as it is checked. The environment variable is the flag's name:
 * `--public-url`, `ORDERLY_PUBLIC_URL`.
 */
export const settings: readonly Setting[] = [
  {
    flag: 'host',
    value: 'ADDRESS',
    fallback: '127.0.0.1',
    help: 'address to listen on',
    fault: (text) => (text === '' ? 'must be an address' : undefined),
  },
  {
    flag: 'port',
    value: 'PORT',
    fallback: '8443',
    help: 'port to listen on; 0 picks one',
    fault: wholeNumber(0, 65_535),
  },
  {
    flag: 'data',
    value: 'FOLDER',
    fallback: 'data',
    help: 'the folder that holds everything',
    fault: (text) => (text === '' ? 'must be a folder' : undefined),
  },
  {
    flag: 'tls',
    value: 'MODE',
    fallback: 'self-signed',
    help: 'self-signed, files, or off (behind a proxy)',
    fault: among(['self-signed', 'files', 'off']),
  },
  { flag: 'tls-cert', value: 'FILE', fallback: '', help: 'certificate chain, PEM, for --tls files' },
  { flag: 'tls-key', value: 'FILE', fallback: '', help: 'private key, PEM, for --tls files' },
  {
    flag: 'public-url',
    value: 'URL',
    fallback: '',
    help: 'how clients reach the service (https://localhost:PORT)',
    fault: origin,
  },
  {
    flag: 'trusted-proxy',
    value: 'LIST',
    fallback: '',
    help: 'addresses or CIDR blocks of proxies to believe',
    fault: listOf(block),
  },
  {
    flag: 'registration',
    value: 'MODE',
    fallback: 'open',
    help: 'open: anyone may sign up; closed: administrators make users',
    fault: among(['open', 'closed']),
  },
  {
    flag: 'jwt-secrets',
    value: 'LIST',
    fallback: '',
    help: `secrets of at least ${secretBytesMin} bytes; the first signs (secret.key). Better in the environment`,
    fault: listOf(secret),
  },
  {
    flag: 'api-key-query',
    value: 'MODE',
    fallback: 'on',
    help: 'whether ?api_key= is taken: on or off',
    fault: among(['on', 'off']),
  },
  {
    flag: 'rate-default',
    value: 'RATE',
    fallback: '600/60',
    help: 'requests/seconds of each principal, or off',
    fault: rate,
  },
  {
    flag: 'rate-anonymous',
    value: 'RATE',
    fallback: '120/60',
    help: 'of each address without a credential',
    fault: rate,
  },
  {
    flag: 'rate-login-account',
    value: 'RATE',
    fallback: '5/60',
    help: 'sign-ins to each account from each address',
    fault: rate,
  },
  {
    flag: 'rate-login-account-total',
    value: 'RATE',
    fallback: '50/60',
    help: 'failed ones to each account, from all',
    fault: rate,
  },
  {
    flag: 'rate-login-address',
    value: 'RATE',
    fallback: '20/60',
    help: 'sign-ins from each address',
    fault: rate,
  },
  {
    flag: 'connections-per-address',
    value: 'N',
    fallback: '256',
    help: 'open connections of each address at most',
    fault: wholeNumber(1, 1_000_000),
  },
  {
    flag: 'rate-created',
    value: 'RATE',
    fallback: '1000/86400',
    help: 'objects that a user without staff rights makes',
    fault: rate,
  },
  {
    flag: 'password-min',
    value: 'LENGTH',
    fallback: '8',
    help: 'shortest password, 8–64 (15 is recommended)',
    fault: wholeNumber(8, 64),
  },
  {
    flag: 'cache-bytes',
    value: 'BYTES',
    fallback: '16777216',
    help: 'memory to keep answers in; 0 keeps none',
    fault: wholeNumber(0, 2 ** 34),
  },
  {
    flag: 'cors-origins',
    value: 'LIST',
    fallback: '',
    help: 'origins whose pages may call, exactly',
    fault: listOf(origin),
  },
  { flag: 'log', value: 'LEVEL', fallback: 'info', help: levels.join(', '), fault: among(levels) },
];

/** Settings without a flag: secrets have no place in a list of processes. */
const adminVariables = ['ORDERLY_ADMIN_EMAIL', 'ORDERLY_ADMIN_PASSWORD'] as const;

/** What a command takes beyond the settings; all operands are required. */
export type Syntax = { readonly flags: readonly CommandFlag[]; readonly operands: readonly string[] };
const settingsOnly: Syntax = { flags: [], operands: [] };

export type Config = ReturnType<typeof configOf>;

export type CommandLine = {
  readonly config: Config;
  readonly operands: readonly string[];
  readonly flags: Readonly<Record<string, string | true>>;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Flags win over the environment, and that over .env. Throws ConfigError. */
export function readCommandLine(
  argv: readonly string[],
  environment: Environment,
  dotEnv: Environment,
  syntax: Syntax = settingsOnly,
): CommandLine {
  const faults: string[] = [];
  const variables = { ...dotEnv, ...environment };
  const { flags, operands } = readArguments(argv, syntax.flags, faults);
  const values = new Map<string, string>();
  for (const { flag, fallback, fault } of settings) {
    const name = variableOf(flag);
    const [source, value] =
      flags[flag] !== undefined ? [`--${flag}`, String(flags[flag])] : [name, variables[name] ?? fallback];
    const wrong = value === fallback ? undefined : fault?.(value);
    if (wrong !== undefined)
      faults.push(`${source} ${wrong}${flag === 'jwt-secrets' ? '' : `, not ${JSON.stringify(value)}`}`);
    values.set(flag, value);
  }
  faults.push(...unknownVariables(variables));
  const config = configOf((flag) => values.get(flag) ?? '', variables, faults);
  const misuse = misuseOf(syntax, operands, flags);
  if (faults.length + misuse.length > 0) throw new ConfigError(faults, misuse);
  return { config, operands, flags };
}

function misuseOf(
  { flags, operands }: Syntax,
  givenOperands: readonly string[],
  given: CommandLine['flags'],
): string[] {
  return [
    ...operands.slice(givenOperands.length).map((name) => `${name} is missing`),
    ...givenOperands.slice(operands.length).map((text) => `${JSON.stringify(text)} is an argument too many`),
    ...flags
      .filter(({ flag, isRequired }) => isRequired === true && given[flag] === undefined)
      .map(({ flag, value = '' }) => `--${flag} ${value} is missing`),
    ...flags.flatMap(({ flag, fault }) => {
      const wrong = given[flag] === undefined ? undefined : fault?.(String(given[flag]));
      return wrong === undefined ? [] : [`--${flag} ${wrong}, not ${JSON.stringify(given[flag])}`];
    }),
  ];
}

function readArguments(
  argv: readonly string[],
  own: readonly CommandFlag[],
  faults: string[],
): { flags: Record<string, string | true>; operands: string[] } {
  const known = [...settings, ...own].map(
    ({ flag, value }) =>
      [flag, { type: value === undefined ? ('boolean' as const) : ('string' as const) }] as const,
  );
  const options = Object.fromEntries(known);
  const { tokens } = parseArgs({
    args: [...argv],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const flags: Record<string, string | true> = {};
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value);
    if (token.kind !== 'option') continue;
    const type = options[token.name]?.type;
    if (type === undefined || !token.rawName.startsWith('--'))
      faults.push(`${token.rawName} is not known; --help lists what is`);
    else if (flags[token.name] !== undefined) faults.push(`${token.rawName} is given more than once`);
    else if (type === 'string' && token.value === undefined) faults.push(`${token.rawName} needs a value`);
    else if (type === 'boolean' && token.value !== undefined) faults.push(`${token.rawName} takes no value`);
    else flags[token.name] = token.value ?? true;
  }
  return { flags, operands };
}

function configOf(get: (flag: string) => string, environment: Environment, faults: string[]) {
  const mode = get('tls') as 'self-signed' | 'files' | 'off'; // checked by its setting, or a fault is noted
  const [cert, key] = [get('tls-cert'), get('tls-key')];
  if (mode === 'files' && (cert === '' || key === ''))
    faults.push('--tls files needs --tls-cert and --tls-key');
  if (mode !== 'files' && (cert !== '' || key !== ''))
    faults.push('--tls-cert and --tls-key go with --tls files');
  const { ORDERLY_ADMIN_EMAIL: adminEmail = '', ORDERLY_ADMIN_PASSWORD: adminPassword = '' } = environment;
  const passwordMin = Number(get('password-min'));
  if ((adminEmail === '') !== (adminPassword === ''))
    faults.push('ORDERLY_ADMIN_EMAIL and ORDERLY_ADMIN_PASSWORD go together');
  else if (adminEmail !== '') faults.push(...adminFaults(adminEmail, adminPassword, passwordMin));
  return {
    host: get('host'),
    port: Number(get('port')),
    data: get('data'),
    tls: { mode, cert, key },
    /** Empty: `https://localhost:<port>`. */
    publicUrl: withoutSlash(get('public-url')),
    trustedProxy: split(get('trusted-proxy')),
    registration: get('registration') === 'closed' ? 'closed' : 'open',
    /** Empty: the one kept in `secret.key`. */
    jwtSecrets: split(get('jwt-secrets')),
    apiKeyQuery: get('api-key-query') === 'on',
    rates: {
      default: rateOf(get('rate-default')),
      anonymous: rateOf(get('rate-anonymous')),
      loginAccount: rateOf(get('rate-login-account')),
      created: rateOf(get('rate-created')),
      loginAccountTotal: rateOf(get('rate-login-account-total')),
      loginAddress: rateOf(get('rate-login-address')),
    },
    connectionsPerAddress: Number(get('connections-per-address')),
    passwordMin,
    cacheBytes: Number(get('cache-bytes')),
    corsOrigins: split(get('cors-origins')).map(withoutSlash),
    log: get('log') as Level, // as tls
    adminEmail,
    adminPassword,
  } as const;
}

function adminFaults(email: string, password: string, passwordMin: number): string[] {
  const faults = [
    [adminVariables[0], emailIssue(email)],
    [adminVariables[1], passwordIssue(password, { name: 'Administrator', email }, passwordMin)],
  ] as const;
  return faults.flatMap(([name, fault]) => (fault === undefined ? [] : [`${name} won't do: ${fault}`]));
}

function unknownVariables(environment: Environment): string[] {
  const known = new Set([...settings.map(({ flag }) => variableOf(flag)), ...adminVariables]);
  return Object.keys(environment)
    .filter((name) => name.startsWith('ORDERLY_') && !known.has(name))
    .map((name) => `${name} is not known; --help lists what is`);
}

function variableOf(flag: string): string {
  return `ORDERLY_${flag.toUpperCase().replaceAll('-', '_')}`;
}

function split(text: string): readonly string[] {
  return text === '' ? [] : text.split(',').map((part) => part.trim());
}

export function wholeNumber(min: number, max: number): Fault {
  return (text) =>
    /^\d{1,12}$/.test(text) && Number(text) >= min && Number(text) <= max
      ? undefined
      : `must be a whole number from ${min} to ${max}`;
}

function among(values: readonly string[]): Fault {
  return (text) => (values.includes(text) ? undefined : `must be ${values.join(' or ')}`);
}

function listOf(fault: Fault): Fault {
  return (text) =>
    split(text)
      .map(fault)
      .find((each) => each !== undefined);
}

/** As browsers write it in their requests, or with a slash at its end. */
function origin(text: string): string | undefined {
  const url = URL.parse(text);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.origin === withoutSlash(text);
  return isOrigin ? undefined : 'must be like https://orders.example.com';
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}

function block(text: string): string | undefined {
  const [network = '', bits, more] = text.split('/');
  const widest = isIP(network) === 6 ? 128 : 32;
  const isBlock =
    isIP(network) !== 0 &&
    more === undefined &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= widest));
  return isBlock ? undefined : 'must be addresses or blocks such as 10.0.0.0/8';
}

function secret(text: string): string | undefined {
  return Buffer.byteLength(text) >= secretBytesMin
    ? undefined
    : `must be secrets of at least ${secretBytesMin} bytes each`;
}

function rate(text: string): string | undefined {
  return text === 'off' || /^[1-9]\d{0,8}\/[1-9]\d{0,5}$/.test(text)
    ? undefined
    : 'must be like 600/60 (requests/seconds) or off';
}

function rateOf(text: string): Rate {
  const [requests, seconds] = text.split('/').map(Number);
  return text === 'off' || requests === undefined || seconds === undefined
    ? undefined
    : { requests, seconds };
}
