// The settings of a service as typed values, converted from texts.
import { passwordIssue } from '../auth/password.ts';
import { capacity } from '../base/capacity.ts';
import type { Level } from '../base/log-lines.ts';
import type { Rates } from '../rates/limiter.ts';
import { sentEmailIssue } from '../schema/email.ts';
import type { CheckpointsBy } from '../storage/checkpointer.ts';
import { parseRate, splitList, withoutSlash, adminVariables } from './settings.ts';

export type Config = ReturnType<typeof buildConfig>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Converts the texts. Use the result only if the settings' rules have accepted all texts. */
export function buildConfig(get: (flag: string) => string, environment: Environment) {
  const { ORDERLY_ADMIN_EMAIL: adminEmail = '', ORDERLY_ADMIN_PASSWORD: adminPassword = '' } = environment;
  return {
    host: get('host'),
    port: Number(get('port')),
    dataFolder: get('data'),
    tls: {
      mode: get('tls') as 'self-signed' | 'files' | 'off', // `settings.ts` has checked it
      cert: get('tls-cert'),
      key: get('tls-key'),
    },
    /** Empty means `https://localhost:<port>`. */
    publicUrl: withoutSlash(get('public-url')),
    trustedProxy: splitList(get('trusted-proxy')),
    registration: get('registration') === 'closed' ? 'closed' : 'open',
    /** Empty means the secret in `secret.key`. */
    jwtSecrets: splitList(get('jwt-secrets')),
    apiKeyQuery: get('api-key-query') === 'on',
    rates: {
      default: parseRate(get('rate-default')),
      anonymous: parseRate(get('rate-anonymous')),
      loginAccount: parseRate(get('rate-login-account')),
      changes: parseRate(get('rate-created')),
      loginAccountTotal: parseRate(get('rate-login-account-total')),
      loginAddress: parseRate(get('rate-login-address')),
      loginCode: parseRate(get('rate-login-code')),
    } satisfies Rates,
    connectionsPerAddress: Number(get('connections-per-address')),
    /** The time for which a connection without a request stays open. */
    keepAliveSeconds: Number(get('keep-alive')),
    /** 0 means forever. */
    eventsDays: Number(get('events-days')),
    checkpoints: get('checkpoints') as CheckpointsBy, // `settings.ts` has checked it
    passwordMin: Number(get('password-min')),
    defaultCountry: get('default-country') || undefined,
    /** The default depends on the machine's memory. */
    cacheBytes: get('cache-bytes') === '' ? capacity.cacheBytes : Number(get('cache-bytes')),
    corsOrigins: splitList(get('cors-origins')).map(withoutSlash),
    without: splitList(get('without')),
    log: get('log') as Level, // `settings.ts` has checked it
    adminEmail,
    adminPassword,
    /** Returns the text of a feature's setting, which its rule has accepted. */
    setting: get,
  } as const;
}

/** Issues of settings that depend on each other. */
export function combinationIssues(config: Config): string[] {
  return [...certificateIssues(config), ...adminIssues(config)];
}

function certificateIssues({ tls: { mode, cert, key } }: Config): string[] {
  if (mode === 'files' && (cert === '' || key === ''))
    return ['--tls files requires --tls-cert and --tls-key'];
  if (mode !== 'files' && (cert !== '' || key !== ''))
    return ['--tls-cert and --tls-key are only used with --tls files'];
  return [];
}

function adminIssues({ adminEmail: email, adminPassword: password, passwordMin }: Config): string[] {
  const [emailVariable, passwordVariable] = adminVariables;
  if (email === '' && password === '') return [];
  if (email === '' || password === '')
    return [`${emailVariable} and ${passwordVariable} must be set together`];
  const issues: string[] = [];
  const wrongEmail = sentEmailIssue(email);
  const wrongPassword = passwordIssue(password, { name: 'Administrator', email }, passwordMin);
  if (wrongEmail !== undefined) issues.push(`${emailVariable} is invalid: ${wrongEmail}`);
  if (wrongPassword !== undefined) issues.push(`${passwordVariable} is invalid: ${wrongPassword}`);
  return issues;
}
