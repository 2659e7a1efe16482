// How a form meets what others change meanwhile: at once, by the live events, or at the latest when it is saved.
import { fill, h } from '../browser/elements.ts';
import { messageOf } from '../forms/forms.ts';
import { enumeration } from '../words/language.ts';
import { isTemporary, Rejection } from '../service/request-errors.ts';
import { t } from '../words/texts.ts';
import type { Page } from './view.ts';

type Values = Readonly<Record<string, unknown>>;
export type Version<T> = { readonly value: T; readonly etag: string | undefined };
export type Editor = Pick<Page, 'client' | 'live' | 'signal'>;

type Change<T> = {
  readonly path: string;
  /** The version with which the form was filled in. */
  readonly known: Version<T>;
  /** Loads the object as it is now. */
  readonly load: () => Promise<Version<T>>;
  /** Returns the members that the form has, with their values in it. */
  readonly read: () => Values;
  /** Enters members of the object as it is now. */
  readonly write: (values: Partial<T>) => void;
  /** What the form shows, in words: `Phone`, `—`. */
  readonly shown: readonly {
    readonly name: string;
    readonly label: string;
    readonly text: (value: T) => string;
  }[];
  /** Returns why some of the members in `mine` can’t be changed any more. */
  readonly refusal?: (now: T, mine: Values) => string | undefined;
};

/**
 * Whatever others change is entered where the user has changed nothing, and said in `news`. What the user has changed
 * stays, and `save` puts it in place of theirs; it resolves to the object.
 */
export function meetingOthers<T extends Values>(
  { client, live, signal }: Editor,
  { path, known, load, read, write, shown, refusal }: Change<T>,
): { readonly news: HTMLElement; readonly save: () => Promise<T> } {
  const news = h('p.issue.form-issue', { role: 'alert' });
  /** The version with which the form was filled in, or that it has saved: `news` says what differs from it. */
  let base = known;
  let seen = known;
  let before = read();
  let last: Promise<unknown> = Promise.resolve();

  /** Returns what the user has changed. */
  const entered = (): Values => changedIn(read(), before);

  /** Returns whether any of it shows. */
  function meet(now: Version<T>): boolean {
    const mine = changedIn(entered(), now.value);
    const others = changedIn(now.value, seen.value);
    const [kept, taken] = partition(others, (name) => Object.hasOwn(mine, name));
    write(taken as Partial<T>); // some of its members
    const [written] = partition(read(), (name) => Object.hasOwn(taken, name));
    before = { ...before, ...written, ...kept };
    seen = now;
    const theirs = shown.filter(({ text }) => text(now.value) !== text(base.value));
    const over = theirs.filter(({ name }) => Object.hasOwn(mine, name));
    const labels = (members: typeof shown): string => enumeration.format(members.map(({ label }) => label));
    const lines = [
      theirs.length > 0 && t('Somebody has changed {members} meanwhile.', { members: labels(theirs) }),
      ...theirs.map(({ label, text }) => t('Now {name}: {text}', { name: label, text: text(now.value) })),
      over.length > 0 &&
        t('What you have entered is still here, and is saved in place of theirs: {members}', {
          members: labels(over),
        }),
    ];
    fill(news, refusal?.(now.value, mine) ?? lines.filter(Boolean).join('\n'));
    return theirs.length > 0;
  }

  async function save(): Promise<T> {
    const mine = entered();
    const refused = refusal?.(seen.value, mine);
    if (refused !== undefined) throw new Error(refused);
    try {
      const idempotencyKey = crypto.randomUUID(); // it is sent again if the response is lost
      const request = { body: mine, etag: seen.etag, idempotencyKey };
      base = seen = await client.send<T>('PATCH', path, request);
    } catch (error) {
      if (!(error instanceof Rejection && error.status === 412)) throw error;
      const now = await load();
      const isSaved = hasValues(now.value, mine); // the response to an attempt before was lost
      if (!isSaved && meet(now)) throw new Error(t('Nothing was saved yet.'));
      if (!isSaved) return save(); // only what the form doesn't show has changed
      base = seen = now;
    }
    before = { ...before, ...mine };
    fill(news);
    return seen.value;
  }

  /** What can't be loaded at the moment is met by the next event, or by saving. */
  async function look(): Promise<void> {
    try {
      const now = await load();
      if (now.etag !== seen.etag) meet(now);
    } catch (error) {
      if (!isTemporary(error)) fill(news, messageOf(error));
    }
  }

  /** Waits for the turns before: none loads what another one is about to save. */
  function inTurn<R>(run: () => Promise<R>): Promise<R> {
    const turn = last.then(run, run);
    last = turn;
    return turn;
  }

  live.watch(signal, (events) => {
    if (events.length === 0 || events.some(({ subject }) => subject === path)) void inTurn(look);
  });
  return { news, save: () => inTurn(save) };
}

/** Whether the object has these values. */
export function hasValues(object: object, members: Values): boolean {
  return Object.keys(changedIn(members, object)).length === 0;
}

/** Returns the members that differ from those before. */
function changedIn(values: Values, before: object): Values {
  const old = new Map(Object.entries(before).map(([name, value]) => [name, JSON.stringify(value)]));
  return partition(values, (name) => old.get(name) !== JSON.stringify(values[name]))[0];
}

function partition(values: Values, isFirst: (name: string) => boolean): [Values, Values] {
  const of = (side: boolean): Values =>
    Object.fromEntries(Object.entries(values).filter(([name]) => isFirst(name) === side));
  return [of(true), of(false)];
}

/** A form keeps its key: if the response was lost, a changed form must not repeat the request. */
export function explainReusedKey(text: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof Rejection && error.code === 'idempotency-key-reused' ? new Error(text) : error;
  };
}
