// Orders in imports, of any status and age. A later import doesn't change an imported order.
import type { Caller } from '../../auth/access.ts';
import { invalidAt, throwIfInvalid } from '../../problem.ts';
import {
  importKeys,
  within,
  type DryRun,
  type Importable,
  type ObjectLine,
  type LineOutcome,
} from '../../resource/imported-object-store.ts';
import { customerIssues, userIssues } from '../../resource/owner-store.ts';
import { currency, id, sentTimestamp, singleLine } from '../../schema/members.ts';
import { toTime } from '../../schema/rfc3339.ts';
import { named, object, optional, ruleFor, type Infer, type Issue } from '../../schema/schema.ts';
import type { Permit } from '../../storage/permit.ts';
import { totalRule } from '../orders/order-items.ts';
import { importedStatus, NewOrder, orderContentOf, paymentRule } from '../orders/order-members.ts';
import { addOrder } from '../orders/order-store.ts';

export const importKey = (description: string) => singleLine(255, description, 'shop-7');

const keys = importKeys('order', 'orders');
const customerKeys = importKeys('customer', 'customers');

/** `now` returns milliseconds since 1970. */
export function importableOrders(now: () => number): Importable {
  const schema = importedOrder(now);
  return {
    name: 'order',
    plural: 'orders',
    schema,
    isUnique: false,
    conversion: undefined,
    write: (permit, line, dryRun) => writeOrder(permit, line as OrderLine, dryRun), // it fits the schema
  };
}

type ImportedOrder = Infer<ReturnType<typeof importedOrder>>;
type OrderLine = ObjectLine & { readonly object: ImportedOrder };

function importedOrder(now: () => number) {
  return named(
    'ImportedOrder',
    object(
      {
        ...NewOrder.properties,
        customerId: optional(id, { description: 'The customer who orders, unless `customerKey` names one.' }),
        customerKey: optional(importKey('The key that the customer was imported with, now or earlier.')),
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
        ruleFor({}, referenceIssues),
        ruleFor({ createdAt: optional(sentTimestamp) }, (order) => timeIssues(order, now())),
        totalRule,
        paymentRule,
      ],
    ),
  );
}

type SentReference = { readonly customerId?: unknown; readonly customerKey?: unknown };

function referenceIssues({ customerId, customerKey }: SentReference): Issue[] {
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

function writeOrder(
  permit: Permit<Caller>,
  { key = '', object: order, fingerprint }: OrderLine, // a line of an order has a key
  dryRun: DryRun | undefined,
): LineOutcome {
  const { writer, caller, origin } = permit;
  const { now } = origin;
  const known = keys.find(writer, key, dryRun);
  if (known?.fingerprint === fingerprint) return { id: known.id, result: 'unchanged' };
  if (known !== undefined) {
    const place = known.id === null ? 'in an earlier line' : `as ${known.id}`;
    const detail = `This key was imported with another content, ${place}; use a new key.`;
    throw invalidAt('/key', 'idempotency-key-reused', detail);
  }
  const userId = order.userId ?? caller.userId;
  const { id: customerId, issues } = customerOf(permit, order, dryRun);
  throwIfInvalid(within('order', [...issues, ...userIssues(writer, userId)]));
  let id: number | null = null;
  if (customerId !== null) {
    const createdAt = order.createdAt === undefined ? now : toTime(order.createdAt);
    const row = { ...orderContentOf({ ...order, customerId }), userId };
    id = addOrder(permit, row, { createdAt, updatedAt: now, recordedAt: now }).id;
  }
  const imported = { id: dryRun === undefined ? id : null, fingerprint };
  keys.store(writer, key, imported, dryRun);
  return { id: imported.id, result: 'created' };
}

/** Returns an order's customer, and issues. The id is null if an earlier line of a dry run would create the customer. */
function customerOf(
  permit: Permit<Caller>,
  { customerId = 0, customerKey }: ImportedOrder, // a valid line has one or the other
  dryRun: DryRun | undefined,
): { readonly id: number | null; readonly issues: readonly Issue[] } {
  if (customerKey === undefined) return { id: customerId, issues: customerIssues(permit, customerId) };
  const known = customerKeys.find(permit.writer, customerKey, dryRun);
  if (known !== undefined) return { id: known.id, issues: [] };
  const detail = `No customer was imported with the key ${JSON.stringify(customerKey)}.`;
  return { id: null, issues: [{ pointer: '/customerKey', code: 'unknown', detail }] };
}
