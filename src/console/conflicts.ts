// The errors of a form whose object was changed meanwhile, by another user or by the form's first attempt.
import { Rejection } from './request-errors.ts';

type Version<T> = { readonly value: T; readonly etag: string | undefined };
type Change<T> = {
  /** The kind of the object: `customer`. */
  readonly what: string;
  /** The version with which the form was filled in. */
  readonly before: Version<T>;
  readonly load: () => Promise<Version<T>>;
  /** Sends the form's changes of the version with this ETag. */
  readonly send: (etag: string | undefined) => Promise<unknown>;
  /** Returns the members that the form shows, in words: `['phone', 'none']`. */
  readonly inWords: (value: T) => readonly (readonly [name: string, text: string])[];
};

const enumeration = new Intl.ListFormat('en');

/**
 * Returns the function that saves a form. If another user has changed what the form shows, it throws an error
 * with their values; the input stays, and the next call saves it over theirs.
 */
export function saverOf<T>({ what, before, load, send, inWords }: Change<T>): () => Promise<void> {
  let seen = before;
  return async function save() {
    try {
      await send(seen.etag);
    } catch (error) {
      if (!(error instanceof Rejection && error.status === 412)) throw error;
      const now = await load();
      const old = inWords(seen.value).map(([, text]) => text);
      const theirs = inWords(now.value).filter(([, text], index) => text !== old[index]);
      seen = now;
      if (theirs.length > 0) throw new Error(conflictText(what, theirs));
      await save(); // only what the form doesn't show has changed
    }
  };
}

function conflictText(what: string, theirs: readonly (readonly [string, string])[]): string {
  const names = enumeration.format(theirs.map(([name]) => name));
  return [
    `Somebody has changed ${names} of this ${what} meanwhile. Nothing was saved yet.`,
    ...theirs.map(([name, text]) => `Now ${name}: ${text}`),
    'What you entered is still here: save again to put it in place of theirs.',
  ].join('\n');
}

/** Returns the members that the user has changed in a form: the others may have been changed by somebody else. */
export function changedIn(form: object, before: object): object {
  const old = new Map(Object.entries(before).map(([name, value]) => [name, JSON.stringify(value)]));
  return Object.fromEntries(
    Object.entries(form).filter(([name, value]) => old.get(name) !== JSON.stringify(value)),
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
