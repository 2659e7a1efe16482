// Pages for kinds of objects that the console has no page of its own for, from the service's OpenAPI document: which
// operations there are, who may call them (`x-access`), and what their members, filters and sorts are.
import type { ApiClient } from './api-client.ts';
import type { Role } from './api-types.ts';
import { columnName, wordOf } from './column-names.ts';
import { h } from './elements.ts';
import { type Member, textOfMember } from './fields.ts';
import type { Choice } from './list-page.ts';
import type { Row } from './live-rows.ts';
import { wordsOfPage } from './page-text.ts';
import { type Resource, resourceList, resourceView } from './resource-pages.ts';
import { type Column, nameCell } from './tables.ts';
import { t } from './texts.ts';
import { isStaff, type OwnPages } from './view.ts';

type Schema = {
  readonly type?: string | readonly string[];
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly format?: string;
  readonly maxLength?: number;
  readonly description?: string;
};
type Content = { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
type Parameter = { readonly name?: string; readonly schema?: Schema };
type Operation = {
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses?: Readonly<Record<string, Content>>;
  readonly 'x-access'?: { readonly callers: string };
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

type Object = Row & Readonly<Record<string, unknown>>;

/** Resolves to the pages that the user may open. */
export async function ownPages(client: ApiClient, role: Role): Promise<readonly OwnPages[]> {
  const document = await client.get<Document>('/openapi.json');
  return wordsOfPage('resources').flatMap((name) => {
    const resource = resourceIn(document, name, role);
    if (resource === undefined) return [];
    const { title } = resource;
    return [
      { name, title, list: (page) => void resourceList(page, resource), one: resourceView(() => resource) },
    ];
  });
}

/** Returns undefined if the role may not see the list. */
function resourceIn({ paths, components }: Document, name: string, role: Role): Resource<Object> | undefined {
  const path = `/${name}`;
  const { get: list, post } = paths[path] ?? {};
  const { get: read, patch, delete: remove } = paths[`${path}/{id}`] ?? {};
  if (list === undefined || read === undefined || !mayCall(list, role)) return undefined;
  const resolve = (schema: Schema = {}): Schema => {
    const one = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
    const [, ref] = /^#\/components\/schemas\/(.*)$/.exec(one.$ref ?? '') ?? [];
    return ref === undefined ? one : resolve(components.schemas[ref]);
  };
  const bodyOf = ({ requestBody = {} }: Operation): Schema =>
    resolve(Object.values(requestBody.content ?? {})[0]?.schema);
  const listed = resolve(list.responses?.['200']?.content?.['application/json']?.schema);
  const shown = resolve(resolve(listed.properties?.['data']).items);
  const members = membersIn(post === undefined ? shown : bodyOf(post), resolve);
  const parameters = new Map(list.parameters?.map((each) => [each.name ?? '', each.schema]));
  const title = list.tags?.[0] ?? name;
  const named = members.filter(({ kind, values }) => kind === undefined && values === undefined);
  const first = named.find((each) => each.name === 'name') ?? named[0];
  const nameOf = (object: Object): string =>
    first === undefined ? `#${object.id}` : textOfMember(first, object);
  const others = members.filter((each) => each !== first && each.kind !== 'note').slice(0, columnsMax);
  const about = (object: Object): string => others.map((member) => textOfMember(member, object)).join(' · ');
  const filters = [...parameters.keys()].filter((each) => !paging.includes(each));
  return {
    name,
    title,
    path,
    members,
    nameOf,
    ...(parameters.has('q') && { searchLabel: t('Search') }),
    ...(!parameters.has('q') && parameters.has('name') && { searchBy: 'name', searchLabel: t('Name') }),
    ...(post !== undefined && mayCall(post, role) && { add: t('Add') }),
    mayChange: patch !== undefined && mayCall(patch, role),
    mayDelete: remove !== undefined && mayCall(remove, role),
    ...('text/csv' in (list.responses?.['200']?.content ?? {}) && { file: `${name}.csv` }),
    filter: (given) =>
      Object.fromEntries([...filters, 'sort'].map((each) => [each, given.get(each)] as const)),
    choices: [...filters, 'sort'].flatMap((each) => {
      const values = closedValues(parameters.get(each), resolve);
      const label = members.find((member) => member.name === each)?.label ?? labelOf(each);
      return values === undefined ? [] : [choiceFrom(each, label, values)];
    }),
    columns: () => [
      {
        label: first?.label ?? t('No.'),
        cell: (object) => nameCell(`#/${name}/${object.id}`, nameOf(object), about(object)),
      },
      ...others.map((member): Column<Object> => ({
        label: member.label,
        kind: 'wide',
        cell: (object) => h('span.clip.soft', { dir: 'auto' }, textOfMember(member, object)),
      })),
    ],
    none: [t('None yet.'), ''],
    notFound: t('Nothing has these words.'),
    deletion: t('It can’t be restored.'),
  };
}

/** Parameters of each list, and those that the console has no choice for. */
const paging = ['q', 'sort', 'limit', 'cursor', 'total', 'include', 'metadata', 'name'];
const columnsMax = 4;

const callers: Readonly<Record<string, (user: { readonly role: Role }) => boolean>> = {
  anyone: () => true,
  'signed-in': () => true,
  staff: (user) => isStaff({ user }),
  admin: ({ role }) => role === 'admin',
};

function mayCall({ 'x-access': access }: Operation, role: Role): boolean {
  return callers[access?.callers ?? '']?.({ role }) ?? false;
}

type Resolve = (schema?: Schema) => Schema;

/** Members of kinds that people can’t enter, such as `metadata`, are left out. */
function membersIn({ properties = {}, required = [] }: Schema, resolve: Resolve): readonly Member[] {
  return Object.entries(properties).flatMap(([name, schema]): Member[] => {
    const kind = kindOf(name, resolve(schema), properties);
    if (kind === undefined) return [];
    const { description = '' } = resolve(schema);
    const values = kind.kind === 'flag' ? undefined : closedValues(schema, resolve);
    return [
      {
        name,
        label: labelOf(name),
        ...kind,
        ...(values !== undefined && { values: values.map(namedValue) }),
        ...(required.includes(name) && { isRequired: true }),
        ...(description !== '' && kind.kind === undefined && { hint: description }),
      },
    ];
  });
}

type Kind = Pick<Member, 'kind' | 'isWide' | 'attributes'>;

function kindOf(
  name: string,
  { type, enum: values, items, format, maxLength = 0, properties = {} }: Schema,
  siblings: NonNullable<Schema['properties']>,
): Kind | undefined {
  const [plain] = [type].flat().filter((each) => each !== 'null');
  if (['id', 'createdAt', 'updatedAt', 'userId'].includes(name)) return undefined;
  if (name === 'currency') return { kind: 'currency' };
  if (plain === 'array')
    return items?.enum === undefined && items?.$ref === undefined ? undefined : { kind: 'choices' };
  if ('line1' in properties) return { kind: 'address' };
  if (values !== undefined) return { kind: 'choice' };
  if (plain === 'boolean') return { kind: 'flag' };
  if (plain === 'integer' && 'currency' in siblings && /price|amount|total/i.test(name))
    return { kind: 'price' };
  if (plain === 'integer' || plain === 'number') return { kind: 'number' };
  if (plain !== 'string') return undefined;
  if (format === 'date-time') return { kind: 'time' };
  if (format === 'date') return { attributes: { type: 'date' } };
  return maxLength > 300 ? { kind: 'note' } : {};
}

/** The words for a member that the console knows, or those of its name: `startsAt` is “Starts at”. */
function labelOf(name: string): string {
  const known = columnName(name);
  if (known !== name) return known;
  const words = name.replaceAll(/(?=[A-Z])/g, ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function namedValue(value: unknown): readonly [value: string, label: string] {
  if (typeof value === 'boolean') return [String(value), value ? t('Yes') : t('No')];
  return [String(value), wordOf(value)];
}

/** Returns what it may be, or each of a list; undefined if that is not a closed list. */
function closedValues(schema: Schema | undefined, resolve: Resolve): readonly unknown[] | undefined {
  const { type, enum: own, items } = resolve(schema);
  return type === 'boolean' ? [true, false] : (own ?? resolve(items).enum);
}

/** A filter, or the orders. */
function choiceFrom(name: string, label: string, values: readonly unknown[]): Choice {
  if (name !== 'sort') return { name, label, values: values.map(namedValue) };
  return { name, label: t('Sorted by'), values: values.map(String).map(namedSort) };
}

function namedSort(sort: string): readonly [value: string, label: string] {
  return [sort, labelOf(sort.replace('-', '')) + (sort.startsWith('-') ? ' ↓' : '')];
}
