// For the tests of sessions.

export const minute = 60_000;

export const bearerRealm = 'Bearer realm="orderly"';

export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

/** The members of the response to a sign-in or a renewal, in their order. */
export const tokenMembers = [
  'id',
  'userId',
  'tokenType',
  'accessToken',
  'expiresIn',
  'refreshToken',
  'createdAt',
  'expiresAt',
];
