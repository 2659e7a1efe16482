// The id of a request in responses, problems and the log: the client's, or one generated here.
import { randomBytes } from 'node:crypto';
import { requestIdForm } from '../schema/members.ts';
import { fits } from '../schema/schema-check.ts';
import { string } from '../schema/schema.ts';

export const RequestId = string(requestIdForm);

/** Returns the client's id, unless it is missing or invalid. */
export function requestIdFrom(value: string | undefined): string | undefined {
  return value !== undefined && fits(RequestId, value) ? value : undefined;
}

/** Generates ids from a random prefix and a counter, which needs no new randomness for each request. */
export function createRequestIds(): () => string {
  const prefix = `${randomBytes(9).toString('base64url')}-`;
  let count = 0;
  return () => prefix + (count += 1);
}
