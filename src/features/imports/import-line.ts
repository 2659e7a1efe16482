// A line of an import: its schema and checks, and the lines that rows of tables and of exports stand for.
import { hash } from 'node:crypto';
import type { CsvConversion } from '../../base/csv.ts';
import { isObject } from '../../schema/json-objects.ts';
import { currency, id, sentTimestamp, singleLine } from '../../schema/members.ts';
import { toTime } from '../../schema/rfc3339.ts';
import { invalid } from '../../problem.ts';
import { parse } from '../../schema/schema-check.ts';
import {
  named,
  nullable,
  object,
  optional,
  ruleFor,
  withNullForAbsent,
  type Infer,
  type Issue,
} from '../../schema/schema.ts';
import type { Customers } from '../customers/customers.ts';
import { NewOrder, importedStatus, paymentRule } from '../orders/order-members.ts';
import { totalRule } from '../orders/order-items.ts';
import { products } from '../products/products.ts';

const importKeyCharsMax = 255;

export type ImportKind = 'customer' | 'order' | 'product';

const importKey = (description: string) => singleLine(importKeyCharsMax, description, 'shop-7');

const keyDescription =
  'Names the object in the system that it comes from, among all of its kind. A product needs none: its SKU names it.';
const customerKey = importKey('The key that the customer was imported with, now or earlier.');

/** Members of exports that the service sets: they are read, and have no effect. */
const exported = {
  createdAt: optional(sentTimestamp, { description: 'As an export has it; without effect.' }),
  updatedAt: optional(sentTimestamp, { description: 'As an export has it; without effect.' }),
};
const ImportedProduct = named(
  'ImportedProduct',
  object({ id: optional(id), ...products.New.properties, currency, ...exported }),
);

export type ImportLineSchema = ReturnType<typeof importLineSchema>;
export type ImportLine = Infer<ImportLineSchema>;
export type ImportedCustomer = NonNullable<ImportLine['customer']>;
export type ImportedOrder = NonNullable<ImportLine['order']>;

/** `now` returns milliseconds since 1970. */
export function importLineSchema({ New }: Customers, now: () => number) {
  const { name, ...others } = New.properties;
  const ImportedCustomer = named(
    'ImportedCustomer',
    object(
      {
        id: optional(id, { description: 'The customer to change, as an export has it.' }),
        name,
        ...others,
        userId: optional(nullable(others.userId)),
        ...exported,
      },
      { description: 'A new customer, or the members to change of one who is known.' },
    ),
  );
  const ImportedOrder = named(
    'ImportedOrder',
    object(
      {
        ...NewOrder.properties,
        customerId: optional(id, { description: 'The customer who orders, unless `customerKey` names one.' }),
        customerKey: optional(customerKey),
        currency,
        status: optional(importedStatus),
        createdAt: optional(sentTimestamp, {
          description: 'When it was ordered: since 1970; now by default.',
        }),
      },
      {
        description:
          'A new order, of any status and age, also in a currency that was withdrawn. Its `updatedAt` is the time of the import.',
      },
      [
        ruleFor({}, customerIssues),
        ruleFor({ createdAt: optional(sentTimestamp) }, (order) => timeIssues(order, now())),
        totalRule,
        paymentRule,
      ],
    ),
  );
  const members = {
    key: optional(importKey(keyDescription)),
    customer: optional(ImportedCustomer),
    order: optional(ImportedOrder),
    product: optional(ImportedProduct),
  };
  const description = 'A customer or an order, and its key; or a product.';
  return withNullForAbsent(named('ImportLine', object(members, { description }, [ruleFor({}, kindIssues)])));
}

type SentLine = { readonly key?: unknown } & { readonly [Kind in ImportKind]?: unknown };

function kindIssues({ key, customer, order, product }: SentLine): Issue[] {
  const objects = [customer, order, product].filter((object) => object !== undefined);
  const issues: Issue[] = [];
  if (objects.length !== 1)
    issues.push({
      pointer: '',
      code: 'conflict',
      detail: 'A line must have one of customer, order and product.',
    });
  const hasId = isObject(customer) && customer['id'] !== undefined;
  if (key === undefined && product === undefined && !hasId)
    issues.push({ pointer: '/key', code: 'required', detail: 'key is required.' });
  return issues;
}

type SentReference = { readonly customerId?: unknown; readonly customerKey?: unknown };

function customerIssues({ customerId, customerKey }: SentReference): Issue[] {
  if (customerId === undefined && customerKey === undefined)
    return [{ pointer: '/customerId', code: 'required', detail: 'customerId or customerKey is required.' }];
  if (customerId === undefined || customerKey === undefined) return [];
  const detail = 'Send customerId or customerKey, not both.';
  return [{ pointer: '/customerKey', code: 'conflict', detail }];
}

function timeIssues({ createdAt }: { readonly createdAt?: string }, now: number): Issue[] {
  if (createdAt === undefined) return [];
  const time = toTime(createdAt);
  if (time >= 0 && time <= now) return [];
  const detail = 'createdAt must be a time since 1970 that has passed.';
  return [{ pointer: '/createdAt', code: 'range', detail }];
}

/** A table whose rows create objects of one kind. */
export type ImportTable = { readonly kind: ImportKind; readonly conversion: CsvConversion };

/** The non-empty cells of a row by their columns, and the country of addresses that name none. */
type Row = { readonly cells: ReadonlyMap<string, string>; readonly country: string | undefined };

/** Returns the line that a row stands for. Throws its issues in the words for cells, not for members. */
export function lineOfRow(
  schema: ImportLineSchema,
  { kind, conversion }: ImportTable,
  { cells, country }: Row,
): ImportLine {
  const object = conversion.objectOf(cells, country);
  const checked = parse(schema, lineFrom(kind, object, cells.get('key')));
  if (checked.ok) return checked.value;
  throw invalid(
    checked.issues.map((issue) => {
      const { pointer = '', code } = issue;
      const column = pointer.slice(`/${kind}/`.length);
      const textFor = code === 'type' ? conversion.mustBe.get(column) : undefined;
      if (textFor === undefined) return issue;
      return { pointer, code: 'format', detail: `${column} must be ${textFor(object)}.` };
    }),
  );
}

/** Returns the line of an object as an export has it; other lines stay as they are. */
export function lineOfExport({ kind }: ImportTable, value: unknown): unknown {
  return isObject(value) && value['name'] !== undefined ? lineFrom(kind, value) : value;
}

/** Without a key the line gets a key from its content, so that the same file creates nothing twice. */
function lineFrom(kind: ImportKind, object: object, key = rowPrefix + fingerprintOf(object)): object {
  return { key, [kind]: object };
}

const rowPrefix = 'row:';

/** Tells contents apart. It depends on the order of members, but not on blanks between them. */
export function fingerprintOf(content: unknown): string {
  return hash('sha256', JSON.stringify(content), 'base64url');
}

/** Whether the line has a key of its own: then it names its object, which isn't looked up otherwise. */
export function hasOwnKey(key: string | undefined): boolean {
  return key !== undefined && !key.startsWith(rowPrefix);
}
