// Pages for kinds of objects that the console has no page of its own for, from the service's OpenAPI document: which
// operations there are, who may call them (`x-access`), and what their members, filters and sorts are.
import type { ApiClient } from '../service/api-client.ts';
import type { Role } from '../words/api-types.ts';
import { columnName, valueText } from '../words/column-names.ts';
import { h } from '../browser/elements.ts';
import { type Member, textOfMember } from '../forms/fields.ts';
import type { Choice } from './list-page.ts';
import type { Row } from './live-rows.ts';
import { metaCodes } from '../words/page-meta.ts';
import { type Resource, resourceList, resourceView } from './resource-pages.ts';
import { type Column, nameCell } from './tables.ts';
import { t } from '../words/texts.ts';
import { isStaff, type DocumentPages, type Page } from '../page/view.ts';

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

type ApiObject = Row & Readonly<Record<string, unknown>>;

type Resolve = (schema?: Schema) => Schema;

/** Resolves to the pages that the user may open. */
export async function documentPages(client: ApiClient, role: Role): Promise<readonly DocumentPages[]> {
  const document = await client.get<Document>('/openapi.json');
  return metaCodes('resources').flatMap((name) => {
    const resource = resourceIn(document, name, role);
    if (resource === undefined) return [];
    const list = (page: Page): void => void resourceList(page, resource);
    return [{ name, title: resource.title, list, one: resourceView(() => resource) }];
  });
}

/** Returns undefined if the role may not see the list. */
function resourceIn(
  { paths, components }: Document,
  name: string,
  role: Role,
): Resource<ApiObject> | undefined {
  const path = `/${name}`;
  const { get: list, post } = paths[path] ?? {};
  const { get: read, patch, delete: remove } = paths[`${path}/{id}`] ?? {};
  if (list === undefined || read === undefined || !mayCall(list, role)) return undefined;
  const resolve: Resolve = (schema = {}) => {
    const one = schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
    const [, ref] = /^#\/components\/schemas\/(.*)$/.exec(one.$ref ?? '') ?? [];
    return ref === undefined ? one : resolve(components.schemas[ref]);
  };
  const { content = {} } = list.responses?.['200'] ?? {};
  const rows = resolve(resolve(content['application/json']?.schema).properties?.['data']).items;
  const sent = Object.values(post?.requestBody?.content ?? {})[0]?.schema;
  const members = membersIn(resolve(sent ?? rows), resolve);
  const isName = ({ kind, values }: Member): boolean => kind === undefined && values === undefined;
  const first = members.find((each) => each.name === 'name' && isName(each)) ?? members.find(isName);
  const nameOf = (object: ApiObject): string =>
    first === undefined ? `#${object.id}` : textOfMember(first, object);
  const others = members.filter((each) => each !== first && each.kind !== 'note').slice(0, columnsMax);
  const about = (object: ApiObject): string =>
    others.map((member) => textOfMember(member, object)).join(' · ');
  const parameters = new Map(list.parameters?.map((each) => [each.name ?? '', each.schema]));
  const filters = [...[...parameters.keys()].filter((each) => !paging.includes(each)), 'sort'];
  const searches = [
    { searchBy: 'q', searchLabel: t('Search') },
    { searchBy: 'name', searchLabel: t('Name') },
  ] as const;
  return {
    name,
    title: list.tags?.[0] ?? name,
    path,
    members,
    nameOf,
    ...searches.find(({ searchBy }) => parameters.has(searchBy)),
    ...(mayCall(post, role) && { add: t('Add') }),
    mayChange: mayCall(patch, role),
    mayDelete: mayCall(remove, role),
    ...('text/csv' in content && { file: `${name}.csv` }),
    filter: (given) => Object.fromEntries(filters.map((each) => [each, given.get(each)] as const)),
    choices: filters.flatMap((each): Choice[] => {
      const values = closedValues(parameters.get(each), resolve);
      if (values === undefined) return [];
      if (each === 'sort') return [{ name: each, label: t('Sorted by'), values: values.map(namedSort) }];
      const label = members.find((member) => member.name === each)?.label ?? labelOf(each);
      return [{ name: each, label, values: values.map(namedValue) }];
    }),
    columns: () => [
      {
        label: first?.label ?? t('No.'),
        cell: (object) => nameCell(`#/${name}/${object.id}`, nameOf(object), about(object)),
      },
      ...others.map((member): Column<ApiObject> => ({
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

function mayCall(operation: Operation | undefined, role: Role): boolean {
  const callers = operation?.['x-access']?.callers;
  if (callers === 'staff') return isStaff({ user: { role } });
  return callers === 'anyone' || callers === 'signed-in' || (callers === 'admin' && role === 'admin');
}

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

function kindOf(
  name: string,
  { type, enum: values, items, format, maxLength = 0, properties = {}, description = '' }: Schema,
  siblings: NonNullable<Schema['properties']>,
): Pick<Member, 'kind' | 'attributes'> | undefined {
  const [plain] = [type].flat().filter((each) => each !== 'null');
  const isNumber = plain === 'integer' || plain === 'number';
  if (['id', 'createdAt', 'updatedAt', 'userId'].includes(name)) return undefined;
  if (name === 'currency') return { kind: 'currency' };
  const isClosed = items?.enum !== undefined || items?.$ref !== undefined;
  if (plain === 'array') return isClosed ? { kind: 'choices' } : undefined;
  if ('line1' in properties) return { kind: 'address' };
  if (values !== undefined) return { kind: 'choice' };
  if (plain === 'boolean') return { kind: 'flag' };
  if (isNumber && 'currency' in siblings && description.includes('minor unit')) return { kind: 'price' };
  if (isNumber) return { kind: 'number' };
  if (plain !== 'string') return undefined;
  if (format === 'date-time') return { kind: 'time' };
  if (format === 'date') return { attributes: { type: 'date' } };
  return maxLength > 300 ? { kind: 'note' } : {};
}

/** The console's words for a member, or else the words of its name: `startsAt` is “Starts at”. */
function labelOf(name: string): string {
  const known = columnName(name);
  if (known !== name) return known;
  const words = name.replaceAll(/(?=[A-Z])/g, ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function namedValue(value: unknown): readonly [value: string, label: string] {
  if (typeof value === 'boolean') return [String(value), value ? t('Yes') : t('No')];
  return [String(value), valueText(value)];
}

function namedSort(value: unknown): readonly [value: string, label: string] {
  const sort = String(value);
  return [sort, labelOf(sort.replace('-', '')) + (sort.startsWith('-') ? ' ↓' : '')];
}

/** Returns what it may be, or each of a list; undefined if that is not a closed list. */
function closedValues(schema: Schema | undefined, resolve: Resolve): readonly unknown[] | undefined {
  const { type, enum: own, items } = resolve(schema);
  return type === 'boolean' ? [true, false] : (own ?? resolve(items).enum);
}
