// A session: the schemas of requests and responses, and its expiry.
import { sessionIdleSecondsMax, sessionSecondsMax } from '../../auth/refresh-tokens.ts';
import { shownIn } from '../../resource/resource-members.ts';
import { email, id, timestamp } from '../../schema/members.ts';
import {
  boolean,
  integer,
  named,
  nullable,
  object,
  oneOf,
  optional,
  string,
  type Infer,
} from '../../schema/schema.ts';
import * as column from '../../storage/table.ts';
import { code } from '../users/totp-store.ts';

const userAgent = string({
  maxLength: 300,
  description: 'The User-Agent of the sign-in.',
  examples: ['curl/8.18.0'],
});

/** The members of a session, each declared once (`resource/resource-members.ts`). */
export const sessionMembers = {
  id: { shown: id, column: column.assignedColumn },
  userId: { shown: id, column: column.integerColumn },
  createdAt: { shown: timestamp, column: column.timeColumn },
  lastUsedAt: { shown: timestamp, column: column.timeColumn },
  expiresAt: { shown: timestamp, column: column.timeColumn },
  userAgent: { shown: nullable(userAgent), column: column.nullableColumn(column.textColumn()) },
};

export const Session = named('Session', object(shownIn(sessionMembers)));
export type Session = Infer<typeof Session>;

const refreshToken = string({
  minLength: 32,
  maxLength: 128,
  pattern: '^[A-Za-z0-9_-]+$',
  mustBe: 'a refresh token',
  description:
    'Valid for one use, which replaces it. The token just replaced gets the same new one again until that is ' +
    'used; any other use of an old one ends the session.',
  examples: ['AAAAAJ8rSxdM2yQwq7Zt1b9RmC5uHhE8sLdP4aFgTiYoV6Xk'],
});

export const NewSession = named(
  'NewSession',
  object({
    email,
    password: string({
      minLength: 1,
      maxLength: 128,
      format: 'password',
      writeOnly: true,
      examples: ['correct horse battery staple'],
    }),
    code: optional(code, {
      description:
        'Required if the account has one-time codes on, ignored otherwise: the six digits that the ' +
        'authenticator app shows, or a recovery code.',
    }),
    cookie: optional(boolean(), {
      description:
        'Whether the refresh token comes in the cookie `__Host-Http-orderly` instead of the body: for ' +
        'pages of the service’s own origin. On another port than 443 and 8443 the port is part of the name.',
    }),
  }),
);
export const TokenRequest = named('TokenRequest', object({ refreshToken }));

const browserKey = string({
  minLength: 43,
  maxLength: 43,
  pattern: '^[A-Za-z0-9_-]+$',
  mustBe: 'a browser key',
  description:
    'The half of a browser’s credential that the storage of the page keeps. The other half is the cookie; ' +
    'neither renews the tokens alone. 32 random bytes in base64url, the same for the whole session.',
  examples: ['q0Zr3mXc8uVdJ5yT1bLwKfN7sHgPaE2oRiB9xMt4CjU'],
});

export const CookieTokenRequest = named('CookieTokenRequest', object({ browserKey }));

export const Tokens = named(
  'Tokens',
  object({
    id,
    userId: id,
    tokenType: oneOf(['Bearer']),
    accessToken: string({
      maxLength: 4_096,
      pattern: '^[A-Za-z0-9_.-]+$',
      description: 'A JSON Web Token for `Authorization: Bearer …`.',
      examples: ['eyJ0eXAiOiJhdCtqd3QifQ.eyJzdWIiOiI3In0.c2lnbmF0dXJl'],
    }),
    expiresIn: integer({ description: 'Seconds until the access token expires.', examples: [900] }),
    refreshToken: nullable(refreshToken, {
      description: 'Valid for one use, which replaces it; null if it is in the cookie.',
    }),
    browserKey: optional(browserKey, { description: 'Present if the refresh token is in the cookie.' }),
    createdAt: timestamp,
    expiresAt: timestamp,
  }),
);
export type Tokens = Infer<typeof Tokens>;

/** Returns the expiry in milliseconds since 1970: 30 days after sign-in, or 14 days after the last use. */
export function expiresAtOf(createdAt: number, lastUsedAt: number): number {
  return Math.min(createdAt + sessionSecondsMax * 1000, lastUsedAt + sessionIdleSecondsMax * 1000);
}

/**
 * Classifies the use of a refresh token by its generation. The token before the current one is returned the
 * current one again, until that is used: a response may be lost, and two tabs may renew together. A generation
 * after the session's is valid: a standby that took over may lack the last renewals.
 */
export function refreshUse(
  generation: number,
  session: { readonly generation: number },
): 'current' | 'replaced' | 'reused' {
  if (generation >= session.generation) return 'current';
  return generation === session.generation - 1 ? 'replaced' : 'reused';
}
