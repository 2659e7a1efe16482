// The pages of one kind of objects: their list, and one object with its history, both from the members' declaration.
import type { ServiceEvent } from '../words/api-types.ts';
import type { Version } from '../service/api-client.ts';
import { factList } from '../page/cards.ts';
import { askToDelete, notify } from '../forms/dialogs.ts';
import { Drawing } from '../browser/drawing.ts';
import { type Child, fill, h } from '../browser/elements.ts';
import { eventList, type NamedEvent, readHistory } from '../page/event-list.ts';
import { type Member, textOfMember } from '../forms/fields.ts';
import { dateTime } from '../words/formats.ts';
import { action } from '../forms/forms.ts';
import { listPage, type ListOptions } from './list-page.ts';
import type { Row } from './live-rows.ts';
import { askForObject } from '../page/object-form.ts';
import { undefinedIfMissing } from '../service/request-errors.ts';
import type { Column } from './tables.ts';
import { t } from '../words/texts.ts';
import {
  emptyState,
  goTo,
  type Page,
  reloadable,
  type Reload,
  setPageTitle,
  skeleton,
  type View,
} from '../page/view.ts';

type Values = Row & Readonly<Record<string, unknown>>;

/** What the page of one object shows. */
type ObjectPage<T extends Values> = Pick<ListOptions<T>, 'name' | 'path'> & {
  readonly members: readonly Member[];
  /** What one is called in a heading and in messages. */
  readonly nameOf: (object: T) => string;
  readonly mayChange: boolean;
  readonly mayDelete: boolean;
  /** Said before one is deleted. */
  readonly deletion: string;
  /** Reads what is shown beside its history, instead of its members. */
  readonly more?: (loading: Page) => Promise<More<T>>;
  /** Whether an event is about what is shown there. */
  readonly concerns?: (event: ServiceEvent) => boolean;
  /** How often what leaves no event is loaded again. */
  readonly everyMilliseconds?: number;
};

export type More<T> = {
  /** Whether nothing forbids it now. */
  readonly mayDelete: boolean;
  /** The main one comes first. */
  readonly buttons: (object: T, reload: Reload) => Child;
  readonly content: (object: T, history: Child, reload: Reload) => Child;
};

export type Resource<T extends Values> = ObjectPage<T> &
  Pick<
    ListOptions<T>,
    'title' | 'searchBy' | 'searchLabel' | 'filter' | 'tabs' | 'choices' | 'file' | 'columns'
  > & {
    /** The label of the button for a new one; absent where the user may not add any. */
    readonly add?: string;
    /** Whether there are files to import. */
    readonly hasImport?: boolean;
    /** Said in an empty list: before there is any, and where nothing was found. */
    readonly none: readonly [title: string, text: string];
    readonly notFound: string;
  };

export function resourceList<T extends Values>(page: Page, resource: Resource<T>): Reload {
  const { name, path, add, hasImport = false, members, none, notFound, tabs, nameOf } = resource;
  const { client, user } = page;
  const addOne = async (title: string, reload: Reload): Promise<void> => {
    const added = await askForObject<T>(page, { title, path, members });
    if (added === undefined) return;
    notify(t('{name} is added.', { name: nameOf(added) }));
    void reload(); // the next one can be added meanwhile
  };
  const changeColumn = (reload: Reload): Column<T> => ({
    label: t('Change'),
    kind: 'action',
    cell: (object) => {
      const change = async (): Promise<void> =>
        changeObject(page, resource, { known: await client.read<T>(`${path}/${object.id}`), reload });
      const label = t('Change {name}', { name: nameOf(object) });
      return action(t('Change'), change, { 'data-key': `change-${object.id}`, 'aria-label': label });
    },
  });
  return listPage<T>(page, {
    ...resource,
    columns: (shown) => [
      ...resource.columns(shown),
      ...(resource.mayChange ? [changeColumn(shown.reload)] : []),
    ],
    buttons: (reload) => [
      add !== undefined && action(add, () => addOne(add, reload), { class: 'primary' }),
      user.role === 'admin' && hasImport && h('a.button', { href: `#/${name}/import` }, t('Import …')),
    ],
    none(parameters) {
      if (parameters.has('q')) return emptyState(t('Nothing found'), notFound);
      if (tabs === undefined || !parameters.has(tabs.name)) return emptyState(...none);
      return emptyState(t('None'), t('Nothing is in this list at the moment.'));
    },
  });
}

type Change<T> = { readonly known: Version<T>; readonly reload: Reload };

async function changeObject<T extends Values>(
  page: Page,
  { path, members, nameOf }: ObjectPage<T>,
  { known, reload }: Change<T>,
): Promise<void> {
  const { id } = known.value;
  const title = t('Change {name}', { name: nameOf(known.value) });
  const changed = await askForObject<T>(page, { title, path: `${path}/${id}`, members, known });
  if (changed === undefined) return;
  notify(t('{name} is changed.', { name: nameOf(changed) }));
  await reload();
}

type Details<T> = Version<T> & {
  readonly events: readonly NamedEvent[] | undefined;
  readonly more: More<T> | undefined;
};

export function resourceView<T extends Values>(resource: (page: Page) => ObjectPage<T>): View {
  return (page) => {
    const shown = resource(page);
    const path = `${shown.path}/${page.id}`;
    const head = new Drawing(h('div', setPageTitle('…')));
    const content = h('div', skeleton(8));
    reloadable<Details<T>>(page, content, {
      async load(loading) {
        const [version, events, more] = await Promise.all([
          loading.client.read<T>(path, loading.signal),
          readHistory(loading, path).catch(undefinedIfMissing),
          shown.more?.(loading),
        ]);
        return { ...version, events, more };
      },
      draw(known, reload) {
        head.show(objectHeading(page, shown, { known, reload }));
        return objectContent(shown, known, reload);
      },
      concerns: (event) => event.subject === path || shown.concerns?.(event) === true,
      everyMilliseconds: shown.everyMilliseconds,
    });
    fill(page.main, head.element, content);
  };
}

function objectHeading<T extends Values>(
  page: Page,
  resource: ObjectPage<T>,
  { known, reload }: { readonly known: Details<T>; readonly reload: Reload },
): HTMLElement {
  const { more, value } = known;
  const { mayChange, mayDelete, nameOf, deletion, name: list, path } = resource;
  const name = nameOf(value);
  const remove = (): Promise<void> =>
    askToDelete(t('Delete {name}?', { name }), deletion, async () => {
      await page.client.send('DELETE', `${path}/${value.id}`);
      notify(t('{name} was deleted.', { name }));
      goTo(`/${list}`);
    });
  const change = (): Promise<void> => changeObject(page, resource, { known, reload });
  const isMain = more === undefined && 'primary';
  return setPageTitle(
    name,
    more?.buttons(value, reload),
    mayChange && action(t('Change'), change, { class: isMain, 'data-key': 'change' }),
    mayDelete && more?.mayDelete !== false && action(t('Delete …'), remove, { 'data-key': 'delete' }),
  );
}

function objectContent<T extends Values>(
  { members, nameOf }: ObjectPage<T>,
  { value, events, more }: Details<T>,
  reload: Reload,
): Child {
  const history = events !== undefined && h('section.card.last', h('h2', t('History')), eventList(events));
  if (more !== undefined) return more.content(value, history, reload);
  const hasPrice = members.some(({ kind }) => kind === 'price');
  const facts = members
    .filter(({ kind }) => !(hasPrice && kind === 'currency')) // which the price says
    .map((member) => [member.label, textOfMember(member, value)] as const)
    .filter(([, text]) => text !== nameOf(value)); // which the heading says
  const all = factList([...facts, [t('Created'), dateTime(value.createdAt)]]);
  return h('div.columns', h('section.card.details', h('h2', t('Details')), all), h('div', history));
}
