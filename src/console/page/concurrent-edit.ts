// A form for an object that others may change while somebody fills it in. What others have changed is entered where the
// user has changed nothing, and `news` says it: at once, by the live events, or at the latest when the form is saved. What
// the user has changed stays, and `save` puts it in place of theirs.
import { fill, h } from '../browser/elements.ts';
import { messageOf } from '../forms/forms.ts';
import { query, type Version } from '../service/api-client.ts';
import type { List, ServiceEvent } from '../words/api-types.ts';
import { enumeration } from '../words/language.ts';
import { isTemporary, Rejection } from '../service/request-errors.ts';
import { t } from '../words/texts.ts';
import type { Page } from './view.ts';

type Values = Readonly<Record<string, unknown>>;
export type Editor = Pick<Page, 'client' | 'live' | 'signal'>;

type Edit<T> = {
  readonly path: string;
  /** The version with which the form was filled in. */
  readonly known: Version<T>;
  readonly load: () => Promise<Version<T>>;
  /** Returns the values in the form, by the names of the members. */
  readonly read: () => Values;
  /** Enters members of the object in the form. */
  readonly write: (values: Partial<T>) => void;
  /** The members that the news are about, with their values in words. */
  readonly shown: readonly {
    readonly name: string;
    readonly label: string;
    readonly text: (value: T) => string;
  }[];
  /** Returns why some of the user's changes aren't allowed any more. */
  readonly refusal?: (now: T, mine: Values) => string | undefined;
};

/** Among these is the last change of an object that was changed a moment ago. */
const newestRead = 20;

export function concurrentEdit<T extends Values>(
  { client, live, signal }: Editor,
  { path, known, load, read, write, shown, refusal }: Edit<T>,
): { readonly news: HTMLElement; readonly save: () => Promise<T> } {
  const news = h('p.issue.form-issue', { role: 'alert' });
  /** The version with which the form was filled in, or that it has saved: the news say what differs from it. */
  let base = known;
  let latest = known;
  /** What the form reads where the user has changed nothing. */
  let unchanged = read();
  let queue: Promise<unknown> = Promise.resolve();

  const changes = (): Values => differing(read(), unchanged);

  /** Returns whether the news say anything. */
  function merge(now: Version<T>): boolean {
    const mine = differing(changes(), now.value);
    const isMine = (name: string): boolean => Object.hasOwn(mine, name);
    const theirs = differing(now.value, latest.value);
    write(pick(theirs, (name) => !isMine(name)) as Partial<T>); // each is a member of T
    unchanged = { ...read(), ...pick({ ...unchanged, ...theirs }, isMine) };
    latest = now;
    const changed = shown.filter(({ text }) => text(now.value) !== text(base.value));
    const refused = refusal?.(now.value, mine);
    fill(news, refused ?? newsText(changed, now.value, { isMine, who: t('Somebody') }));
    placeNews(changed.find(({ name }) => isMine(name))?.name);
    if (changed.length > 0 && refused === undefined)
      void sayWho((who) => newsText(changed, now.value, { isMine, who }));
    return changed.length > 0;
  }

  /** What somebody else has entered stands below what the user has entered there. */
  function placeNews(name = ''): void {
    const control = news.closest('form')?.querySelector(`[data-pointer="/${name}"]`);
    control?.closest('.field')?.append(news);
  }

  /** The news stand already, and nothing waits for the name. */
  async function sayWho(newsBy: (who: string) => string): Promise<void> {
    const said = news.textContent;
    const who = await nameOfLast(path);
    if (who !== undefined && news.textContent === said) fill(news, newsBy(who));
  }

  async function save(): Promise<T> {
    const mine = changes();
    const refused = refusal?.(latest.value, mine);
    if (refused !== undefined) throw new Error(refused);
    try {
      const idempotencyKey = crypto.randomUUID(); // it is sent again if the response is lost
      const request = { body: mine, etag: latest.etag, idempotencyKey };
      latest = await client.send<T>('PATCH', path, request);
    } catch (error) {
      if (!(error instanceof Rejection && error.status === 412)) throw error;
      const now = await load();
      const isSaved = hasValues(now.value, mine); // the response to an attempt before was lost
      if (!isSaved && merge(now)) throw new Error(t('Nothing was saved yet.'));
      if (!isSaved) return save(); // only what the form doesn't show has changed
      latest = now;
    }
    base = latest;
    unchanged = { ...unchanged, ...mine };
    fill(news);
    return latest.value;
  }

  /** Whoever has changed the object last, where their name may be known. */
  async function nameOfLast(subject: string): Promise<string | undefined> {
    const latestEvents = `/events?${query({ sort: '-id', limit: newestRead, include: 'actorName' })}`;
    const events = await client.get<List<ServiceEvent>>(latestEvents, signal).catch(() => undefined);
    return events?.data.find((event) => event.subject === subject)?.actorName ?? undefined;
  }

  /** What can't be loaded at the moment is merged after the next event, or by saving. */
  async function update(): Promise<void> {
    try {
      const now = await load();
      if (now.etag !== latest.etag) merge(now);
    } catch (error) {
      if (!isTemporary(error)) fill(news, messageOf(error));
    }
  }

  /** Nothing is loaded while a save is on its way. */
  function inTurn<R>(run: () => Promise<R>): Promise<R> {
    const turn = queue.then(run, run);
    queue = turn;
    return turn;
  }

  live.watch(signal, (events) => {
    if (events.length === 0 || events.some(({ subject }) => subject === path)) void inTurn(update);
  });
  return { news, save: () => inTurn(save) };
}

type Others = { readonly isMine: (name: string) => boolean; readonly who: string };

/** Names the members that others have changed, their values now, and those that the user has changed, too. */
function newsText<T>(changed: Edit<T>['shown'], now: T, { isMine, who }: Others): string {
  if (changed.length === 0) return '';
  const namesOf = (members: Edit<T>['shown']): string =>
    enumeration.format(members.map(({ label }) => label));
  const both = changed.filter(({ name }) => isMine(name));
  const lines = [
    t('{who} has changed {members} meanwhile.', { who, members: namesOf(changed) }),
    ...changed.map(({ label, text }) => t('Now {name}: {text}', { name: label, text: text(now) })),
  ];
  const kept = 'What you have entered is still here, and is saved in place of theirs: {members}';
  if (both.length > 0) lines.push(t(kept, { members: namesOf(both) }));
  return lines.join('\n');
}

export function hasValues(object: object, values: Values): boolean {
  return Object.keys(differing(values, object)).length === 0;
}

/** Returns the values that the other object doesn't have. */
function differing(values: Values, other: object): Values {
  const known = new Map(Object.entries(other).map(([name, value]) => [name, JSON.stringify(value)]));
  return pick(values, (name) => known.get(name) !== JSON.stringify(values[name]));
}

function pick(values: Values, isPicked: (name: string) => boolean): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isPicked(name)));
}
