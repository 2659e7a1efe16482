// The errors of a form whose object was changed meanwhile, by another user or by the form's first attempt.
import { Rejection } from './request-errors.ts';

type ConflictOptions<T> = {
  /** The object in a sentence: `this customer`. */
  readonly what: string;
  /** The object as the form was filled in. */
  readonly before: T;
  readonly load: () => Promise<T>;
  /** The name of each member in a sentence. */
  readonly members: Readonly<Partial<Record<keyof T, string>>>;
};

const enumeration = new Intl.ListFormat('en');

/** Throws an error that names the members that another user has changed. */
export async function explainConflict<T>(
  error: unknown,
  { what, before, load, members }: ConflictOptions<T>,
): Promise<never> {
  if (!(error instanceof Rejection && error.status === 412)) throw error;
  const now = await load();
  const names = Object.keys(members) as (keyof T)[]; // a literal has no other keys
  const changed = names.filter((each) => JSON.stringify(now[each]) !== JSON.stringify(before[each]));
  const which = changed.map((each) => members[each] ?? '');
  const subject = which.length === 0 ? what : `${enumeration.format(which)} of ${what}`;
  throw new Error(
    `Somebody has changed ${subject} meanwhile. Nothing was saved; cancel to see it as it is now.`,
  );
}

/** A form keeps its key: if the response was lost, a changed form must not repeat the request. */
export function explainReusedKey(text: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof Rejection && error.code === 'idempotency-key-reused' ? new Error(text) : error;
  };
}

export const explainSavedBefore = explainReusedKey(
  'This order was saved the first time, before you changed it again: cancel to see it as it is now.',
);
