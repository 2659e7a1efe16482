// What a form says if its object was changed meanwhile: by somebody else, or by its own first attempt.
import { Rejection } from './api-client.ts';

type Loaded<T> = {
  /** `this customer` */
  readonly what: string;
  /** As the form was filled in. */
  readonly before: T;
  readonly load: () => Promise<T>;
  /** What each member is called. */
  readonly members: Readonly<Partial<Record<keyof T, string>>>;
};

const enumeration = new Intl.ListFormat('en');

/** Throws an error that says what somebody else has changed. */
export async function explainConflict<T>(
  error: unknown,
  { what, before, load, members }: Loaded<T>,
): Promise<never> {
  if (!(error instanceof Rejection && error.status === 412)) throw error;
  const now = await load();
  const names = Object.keys(members) as (keyof T)[]; // of a literal
  const changed = names.filter((each) => JSON.stringify(now[each]) !== JSON.stringify(before[each]));
  const which = changed.map((each) => members[each] ?? '');
  const subject = which.length === 0 ? what : `${enumeration.format(which)} of ${what}`;
  throw new Error(
    `Somebody has changed ${subject} meanwhile. Nothing was saved; cancel to see it as it is now.`,
  );
}

/** The key stays that of the form, so what was done and not answered isn't done again with changes. */
export function explainReusedKey(text: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof Rejection && error.code === 'idempotency-key-reused' ? new Error(text) : error;
  };
}
