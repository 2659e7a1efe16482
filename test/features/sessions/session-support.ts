// For the tests of sessions.
import { executable, type TestResponse } from '../../support/service.ts';

export const needsClock = executable === undefined ? {} : { skip: 'needs the clock' };

/** Returns all that a client sees of a response, except for the id and the time of the request. */
export function shownOf({ status, text, headers, body }: TestResponse): object {
  const { 'x-request-id': _id, date: _date, ...rest } = headers;
  return { status, rest, text: text.replace(body.requestId, '') };
}

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
