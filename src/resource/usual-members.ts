// The members that most resources have: `import * as member`, then `member.requiredText(…)`.
import {
  amountCell,
  trueOrFalseCell,
  integerCell,
  sentTimeCell,
  textCell,
  timeCell,
  trimmed,
  trimmedCell,
  type CsvMember,
} from '../base/csv.ts';
import { timestampOf } from '../base/timestamp.ts';
import { currencyDigits, decimalAmount, minorUnitsOf } from '../schema/decimal.ts';
import {
  activeCurrency,
  currency as anyCurrency,
  id,
  plainZero,
  sentTimestamp,
  timestamp,
} from '../schema/members.ts';
import { keyOfName } from '../schema/name-key.ts';
import { plainText } from '../schema/plain-text.ts';
import { toTime } from '../schema/rfc3339.ts';
import { fits } from '../schema/schema-check.ts';
import { boolean, named, nullable, oneOf, optional, type Schema } from '../schema/schema.ts';
import * as column from '../storage/table.ts';
import type { Column } from '../storage/table.ts';
import type { Member } from './resource-members.ts';

/** The first member. */
export const identity = {
  id: {
    shown: id,
    readOnly: optional(id),
    column: column.assignedColumn,
    cell: integerCell,
    isPersonal: false,
  },
} as const;

/** A text that each object has. */
export function requiredText(schema: Schema<string>) {
  return { shown: schema, sent: schema, column: column.textColumn(), cell: textCell } as const;
}

/** A whole number. */
export function wholeNumber(schema: Schema<number>) {
  const common = { shown: schema, sent: schema, normal: plainZero } as const;
  return { ...common, column: column.integerColumn, cell: integerCell } as const;
}

/**
 * An amount in the minor unit of the object's `currency`. Files have it in the main unit, such as 7.49. The console
 * shows it as money if the schema's description names the minor unit.
 */
export function money(schema: Schema<number>) {
  return { ...wholeNumber(schema), cell: moneyCell } as const;
}

const moneyCell: CsvMember = {
  write: (amount: number, { currency }: { readonly currency: string }) => [
    amountCell(decimalAmount(amount, currency)),
  ],
  read: (cell, cells) => amountIn(cell, currencyIn(cells.get('currency') ?? '')) ?? cell,
  mustBe: ({ currency }) =>
    'a decimal amount in the main unit of its currency, without the currency’s sign, such as 7.49' +
    (fits(activeCurrency, currency) ? `: ${currency} has ${decimalsOf(currency)}` : ''),
};

function currencyIn(cell: string): string {
  return trimmed(cell).toUpperCase();
}

function amountIn(cell: string, currency: string): number | undefined {
  return cell.length > amountCharsMax ? undefined : minorUnitsOf(plainAmount(cell), currency);
}

const amountCharsMax = 64;

function plainAmount(cell: string): string {
  return plainText(cell)
    .trim()
    .replace(/^\p{Pd}/u, '-')
    .replace(/^\+/, '')
    .replace('\u066b', '.'); // the Arabic decimal separator
}

function decimalsOf(currency: string): string {
  const digits = currencyDigits(currency);
  return digits === 0 ? 'no decimals' : `${digits} decimals`;
}

/** The member `currency`, which an object with `money` needs. Events show it. */
export const currency = {
  ...requiredText(anyCurrency),
  posted: activeCurrency,
  cell: { ...trimmedCell, read: currencyIn },
  hasValuesInEvents: true,
} as const;

/** Yes or no; `absent` if a request says nothing. */
export function trueOrFalse(description: string, absent: boolean) {
  const schema = boolean({ description });
  return {
    shown: schema,
    sent: optional(schema),
    absent,
    column: column.booleanColumn,
    cell: trueOrFalseCell,
  } as const;
}

/** The key by which the names of objects are sorted. */
export const nameKey = column.derivedColumn('name', keyOfName);

type Required<T> = Member & {
  readonly shown: Schema<T>;
  readonly sent: Schema<T>;
  readonly column: Column<T>;
};

/** Makes a member optional: an object without it has null. */
export function orNull<T, M extends Required<T>>(member: M & Required<T>) {
  const { shown, sent, column: own } = member;
  const changed = {
    shown: nullable(shown),
    sent: optional(nullable(sent)),
    column: column.nullableColumn(own),
  } as const;
  return { ...member, ...changed } as Omit<M, keyof typeof changed> & typeof changed; // as spread
}

/** A text that an object may have. */
export function optionalText(schema: Schema<string>) {
  return orNull(requiredText(schema));
}

/** One of these words; the first, if a request says none. Events show it. */
export function oneWord<const W extends string>(name: string, words: readonly [W, ...W[]]) {
  const schema = named(name, oneOf(words));
  return {
    shown: schema,
    sent: optional(schema),
    absent: words[0],
    column: column.textColumn<W>(),
    cell: textCell,
    hasValuesInEvents: true,
  } as const;
}

/** The member of a resource whose rows each belong to a user. Staff may give a row to another one. */
export const ownership = {
  userId: {
    shown: nullable(id, { description: 'The owner; null once that user is deleted.' }),
    posted: optional(id, { description: 'The owner, if that is another user; only staff may set it.' }),
    sent: optional(nullable(id)),
    staysInPut: true,
    column: column.nullableColumn(column.integerColumn),
    cell: integerCell,
    isPersonal: false,
  },
} as const;

/**
 * The member of a resource whose objects may be about a customer. Its column refers to `customers`, and says what
 * happens when the customer is deleted: with ON DELETE RESTRICT that is 409 `in-use`, with SET NULL it becomes null.
 * Erasing the customer clears the members that are personal.
 */
export const customerReference = {
  customerId: {
    shown: nullable(id, { description: 'The customer whom it is about, if any.' }),
    sent: optional(nullable(id, { description: 'The customer whom it is about, if any.' })),
    column: column.nullableColumn(column.integerColumn),
    cell: integerCell,
    isPersonal: false,
  },
} as const;

/** A time that clients send. It is kept to the millisecond. */
export function sentTime(description: string) {
  return {
    shown: { ...timestamp, description },
    sent: { ...sentTimestamp, description },
    normal: (sent: string): string => timestampOf(toTime(sent)),
    column: column.sentTimeColumn,
    cell: sentTimeCell,
    isPersonal: false,
  } as const;
}

const time = {
  shown: timestamp,
  readOnly: optional(sentTimestamp),
  cell: timeCell,
  isPersonal: false,
} as const;

/** The last members. */
export const times = {
  createdAt: { ...time, column: column.timeColumn },
  updatedAt: { ...time, column: column.timeColumn },
} as const;
