// How a form saves an object that was changed meanwhile, by another user or by the form's first attempt.
import type { ApiClient } from './api-client.ts';
import { Rejection } from './request-errors.ts';
import { enumeration } from './language.ts';
import { t } from './texts.ts';

type Values = Readonly<Record<string, unknown>>;
export type Version<T> = { readonly value: T; readonly etag: string | undefined };
type Change<T> = {
  readonly client: ApiClient;
  readonly path: string;
  /** The version with which the form was filled in. */
  readonly known: Version<T>;
  /** Returns the members that the form has, with their values in it. */
  readonly read: () => Values;
  /** Enters values of members. */
  readonly write?: (values: Values) => void;
  readonly idempotencyKey?: string;
  /** Returns the members that the form shows, in words: `['phone', '—']`. */
  readonly inWords: (value: T) => readonly (readonly [name: string, text: string])[];
  /** Throws if one of the members in `mine` can't be changed any more. */
  readonly checkPossible?: (now: T, mine: Values) => void;
};

/**
 * Returns the function that saves what was changed in a form, and resolves to the object. If somebody else has changed
 * what the form shows, fields that the user left alone take that over, and an error says what it is: the next call saves
 * what was entered over that.
 */
export function saverOf<T extends Values>(change: Change<T>): () => Promise<T> {
  const { client, path, known, read, write, idempotencyKey, inWords, checkPossible } = change;
  const key = idempotencyKey === undefined ? {} : { idempotencyKey };
  let seen = known;
  let before = read();
  return async function save() {
    const mine = changedIn(read(), before);
    try {
      return (await client.send<T>('PATCH', path, { ...key, body: mine, etag: seen.etag })).value;
    } catch (error) {
      if (!(error instanceof Rejection && error.status === 412)) return explainSavedBefore(error);
      const now = await client.read<T>(path);
      checkPossible?.(now.value, mine);
      const old = inWords(seen.value).map(([, text]) => text);
      const theirs = inWords(now.value).filter(([, text], index) => text !== old[index]);
      seen = now;
      if (write !== undefined) {
        write(now.value);
        before = read();
        write(mine);
      }
      if (theirs.length === 0) return save(); // only what the form doesn't show has changed
      if (hasValues(now.value, mine)) return now.value; // the response to the first attempt was lost
      throw new Error(conflictText(theirs));
    }
  };
}

/** Whether the object has these values. */
export function hasValues(object: object, members: Values): boolean {
  return Object.keys(changedIn(members, object)).length === 0;
}

function conflictText(theirs: readonly (readonly [string, string])[]): string {
  const members = enumeration.format(theirs.map(([name]) => name));
  return [
    t('Somebody has changed {members} meanwhile. Nothing was saved yet.', { members }),
    ...theirs.map(([name, text]) => t('Now {name}: {text}', { name, text })),
    t('What you entered is still here: save again to put it in place of theirs.'),
  ].join('\n');
}

/** Returns the members that the user has changed in a form: the others may have been changed by somebody else. */
function changedIn(form: Values, before: object): Values {
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
