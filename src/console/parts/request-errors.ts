// Why a request failed: the service rejected it, or no response came. Any other error is a defect.
import type { Issue, Problem } from './api-types.ts';
import { language } from './language.ts';
import { serviceClock } from './service-clock.ts';
import { t } from './texts.ts';

/** What the service says of a lack of space, whose code it shares with other troubles that pass. */
const sentences = [
  'The disk is full: nothing can be saved until there is space on it. Then the service continues by itself.',
  'Writes are temporarily unavailable.',
  'The disk has too little free space for a backup.',
] as const;

const byCode = {
  'code-required': 'Also enter the code.',
  'content-too-large': 'That is too much at once.',
  'customer-has-orders': 'A customer with orders can’t be deleted.',
  'email-taken': 'Another account has this e-mail address.',
  forbidden: 'Your account may not do that.',
  'in-use': 'Something else refers to it, so it can’t be deleted.',
  'internal-error': 'Something unexpected has gone wrong in the service. Its log has the cause.',
  'invalid-credentials': 'Wrong e-mail address or password.',
  'invalid-token': 'You are no longer signed in.',
  'invalid-transition': 'The order’s status doesn’t allow that any more.',
  'last-admin': 'This is the last administrator. Create another one first.',
  'not-found': 'That isn’t there any more.',
  'order-not-open': 'The order isn’t open any more, so this can’t be changed.',
  'precondition-failed': 'Somebody else has changed it meanwhile.',
  'quota-exceeded': 'That was too often. Wait a moment, and try again.',
  'step-up-required': 'Enter your password again first.',
  unavailable: 'The service is busy. Try again in a moment.',
  'validation-failed': 'Something that was entered isn’t possible.',
} as const;

/** The problem in the reader's language. In English the service's own sentence says most. */
export function wordsOf({ code, detail }: Problem): string {
  if (language === 'en') return detail;
  const sentence = sentences.find((each) => each === detail);
  if (sentence !== undefined) return t(sentence);
  return isKnown(code) ? t(byCode[code]) : t('The service has refused that: {code}.', { code });
}

function isKnown(code: string): code is keyof typeof byCode {
  return Object.hasOwn(byCode, code);
}

/** A request that the service rejected, with the reason. */
export class Rejection extends Error {
  readonly code: string;
  readonly status: number;
  readonly issues: readonly Issue[];
  /** The wait before a retry; 0 if the response has none. */
  readonly retryAfterSeconds: number;

  constructor({ code, status, detail, errors = [] }: Problem, retryAfterSeconds = 0) {
    super(detail);
    this.code = code;
    this.status = status;
    this.issues = errors;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** No response came: it is unknown whether the request arrived. */
export class Unreachable extends Error {
  constructor() {
    super(t('The service can’t be reached. What you entered is still here; try again in a moment.'));
  }
}

/** Whoever has not answered for so long can't be reached: a connection may die in silence. */
export const answerMilliseconds = 10_000;

/** Throws `Unreachable` if no response comes, in time if there is one, or the reason of the aborted signal. */
export async function fetchResponse(
  path: string,
  init: RequestInit,
  milliseconds?: number,
): Promise<Response> {
  const waiting = new AbortController();
  const stop = (): void => waiting.abort(init.signal?.reason);
  init.signal?.addEventListener('abort', stop);
  if (init.signal?.aborted === true) stop();
  const timer = milliseconds && setTimeout(() => waiting.abort(new Unreachable()), milliseconds);
  const response = await fetch(path, { ...init, signal: waiting.signal }).catch((error: unknown) => {
    throw waiting.signal.aborted ? error : whyLost(error);
  });
  clearTimeout(timer);
  serviceClock.compare(response);
  return response;
}

/** Throws `Unreachable` if the body was cut off. */
export async function bodyOf(response: Response): Promise<string> {
  return response.text().catch((error: unknown) => {
    throw whyLost(error);
  });
}

/** Browsers throw a TypeError where a connection fails. */
function whyLost(error: unknown): unknown {
  return error instanceof TypeError ? new Unreachable() : error;
}

/** Throws `Unreachable` if the body was cut off, or isn't the service's: a proxy's page, for example. */
export async function jsonOf<T>(response: Response): Promise<T> {
  const text = await bodyOf(response);
  try {
    return JSON.parse(text) as T; // the shape that the API documents
  } catch {
    throw new Unreachable();
  }
}

/** Returns the error for a response of 400 and above: each of the service's has a problem. */
export async function rejectionOf(response: Response): Promise<Rejection> {
  const problem = await jsonOf<Problem>(response);
  const seconds = Number(response.headers.get('retry-after')) || 0;
  return new Rejection({ ...problem, detail: wordsOf(problem) }, seconds);
}

/** Returns whether the same request may succeed later. */
export function isTemporary(error: unknown): boolean {
  return error instanceof Rejection
    ? error.status === 429 || error.status >= 500
    : error instanceof Unreachable;
}

/** Returns how long to wait before the same request: as long as the service asks for, and at least this. */
export function retryPause(error: unknown, leastMilliseconds: number): number {
  const seconds = error instanceof Rejection ? error.retryAfterSeconds : 0;
  return Math.max(leastMilliseconds, seconds * 1_000);
}

/** A handler for `catch`: returns undefined for a 404, and rethrows any other error. */
export function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof Rejection && error.status === 404) return undefined;
  throw error;
}
