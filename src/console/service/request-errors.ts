// Why a request failed: the service rejected it, or no response came. Any other error is a defect.
import type { Issue, Problem } from '../words/api-types.ts';
import { serviceClock } from '../words/service-clock.ts';
import { t, firstTranslation } from '../words/texts.ts';

/** The problem in the reader's language. */
export function problemText({ code, detail }: Problem): string {
  return firstTranslation([detail, `problem ${code}`, 'problem other'], { code }) ?? detail;
}

/** A request that the service rejected, with the reason. */
export class Rejection extends Error {
  readonly code: string;
  readonly status: number;
  readonly issues: readonly Issue[];
  /** 0 if the response has no `Retry-After`. */
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
    super(t('The service couldn’t be reached. What you entered is still here; try again in a moment.'));
  }
}

/** A connection may die in silence: after this time without a response the service can't be reached. */
export const answerMilliseconds = 10_000;

/** Throws `Unreachable` if no response comes, or none within the milliseconds, and the reason of an aborted signal. */
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

/** Throws `Unreachable` if the body was cut off or isn't the service's, such as a proxy's page. */
export async function jsonOf<T>(response: Response): Promise<T> {
  const text = await bodyOf(response);
  try {
    return JSON.parse(text) as T; // the shape that the API documents
  } catch {
    throw new Unreachable();
  }
}

/** Returns the error for a response of 400 and above, whose body is a problem. */
export async function rejectionOf(response: Response): Promise<Rejection> {
  const problem = await jsonOf<Problem>(response);
  const seconds = Number(response.headers.get('retry-after')) || 0;
  return new Rejection({ ...problem, detail: problemText(problem) }, seconds);
}

/** Returns whether the same request may succeed later. */
export function isTemporary(error: unknown): boolean {
  return error instanceof Rejection
    ? error.status === 429 || error.status >= 500
    : error instanceof Unreachable;
}

/** Returns the milliseconds to wait before a retry: what the service asks for, but at least these. */
export function retryPause(error: unknown, leastMilliseconds: number): number {
  const seconds = error instanceof Rejection ? error.retryAfterSeconds : 0;
  return Math.max(leastMilliseconds, seconds * 1_000);
}

/** A handler for `catch`: returns undefined for a 404, and rethrows any other error. */
export function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof Rejection && error.status === 404) return undefined;
  throw error;
}
