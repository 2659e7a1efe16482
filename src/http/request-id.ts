// The name of a request in responses, problems and the log: the client's own, or one made here.
import { randomBytes } from 'node:crypto';
import { requestIdLengthMax } from '../limits.ts';
import { fits } from '../schema/schema-check.ts';
import { string } from '../schema/schema.ts';

export const RequestId = string({ maxLength: requestIdLengthMax, pattern: '^[A-Za-z0-9._-]+$' });

/** A client's own id, unless it is missing or invalid. */
export function requestIdFrom(value: string | undefined): string | undefined {
  return value !== undefined && fits(RequestId, value) ? value : undefined;
}

/** Unique without asking the system for randomness each time: a random prefix and a counter. */
export function createRequestIds(): () => string {
  const prefix = `${randomBytes(9).toString('base64url')}-`;
  let count = 0;
  return () => prefix + (count += 1);
}
