// The errors of a form whose object was changed meanwhile, by another user or by the form's first attempt.
import type { ApiClient } from './api-client.ts';
import { Rejection } from './request-errors.ts';
import { language } from './language.ts';
import { t } from './texts.ts';

type Version<T> = { readonly value: T; readonly etag: string | undefined };
type Changed =
  | 'Somebody has changed {members} of this order meanwhile. Nothing was saved yet.'
  | 'Somebody has changed {members} of this customer meanwhile. Nothing was saved yet.'
  | 'Somebody has changed {members} of this product meanwhile. Nothing was saved yet.';
type Change<T> = {
  readonly client: ApiClient;
  readonly path: string;
  /** Says which members of the object somebody else has changed. */
  readonly changed: Changed;
  /** The version with which the form was filled in. */
  readonly before: Version<T>;
  /** Returns the members to change, with their values in the form. */
  readonly body: () => object;
  readonly idempotencyKey?: string;
  /** Returns the members that the form shows, in words: `['phone', 'none']`. */
  readonly inWords: (value: T) => readonly (readonly [name: string, text: string])[];
};

/** So long a conflict is shown before it can be overridden. */
const readMilliseconds = 1_500;

const enumeration = new Intl.ListFormat(language);

/**
 * Returns the function that saves a form. If another user has changed what the form shows, it throws an error
 * with their values; the input stays, and the next call saves it over theirs.
 */
export function saverOf<T>(change: Change<T>): () => Promise<void> {
  const { client, path, changed, body, idempotencyKey, inWords } = change;
  const key = idempotencyKey === undefined ? {} : { idempotencyKey };
  let seen = change.before;
  let conflict: { readonly error: Error; readonly shownAt: number } | undefined;
  return async function save() {
    // the second click of a double click hasn't read it
    if (conflict !== undefined && performance.now() - conflict.shownAt < readMilliseconds)
      throw conflict.error;
    try {
      await client.send('PATCH', path, { ...key, body: body(), etag: seen.etag });
    } catch (error) {
      if (!(error instanceof Rejection && error.status === 412)) return explainSavedBefore(error);
      const now = await client.read<T>(path);
      const old = inWords(seen.value).map(([, text]) => text);
      const theirs = inWords(now.value).filter(([, text], index) => text !== old[index]);
      seen = now;
      if (theirs.length > 0) {
        conflict = { error: new Error(conflictText(changed, theirs)), shownAt: performance.now() };
        throw conflict.error;
      }
      await save(); // only what the form doesn't show has changed
    }
  };
}

function conflictText(changed: Changed, theirs: readonly (readonly [string, string])[]): string {
  const members = enumeration.format(theirs.map(([name]) => name));
  return [
    t(changed, { members }),
    ...theirs.map(([name, text]) => t('Now {name}: {text}', { name, text })),
    t('What you entered is still here: save again to put it in place of theirs.'),
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

const explainSavedBefore = explainReusedKey(
  t('This order was saved the first time, before you changed it again: cancel to see it as it is now.'),
);
