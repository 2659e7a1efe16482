// `orderly sample`: fills an empty database with products, users, customers and the orders of a year. The
// same seed gives the same data.
import { counted } from '../base/message-words.ts';
import { dayMilliseconds } from '../base/durations.ts';
import { CommandError } from '../config/command-error.ts';
import type { Address } from '../features/customers/address.ts';
import { customerResource } from '../features/customers/customers.ts';
import type { NewItem } from '../features/orders/order-items.ts';
import { orderContentOf } from '../features/orders/order-members.ts';
import {
  stages,
  stepsWhenPlacedAs,
  type OrderStatus,
  type Payment,
} from '../features/orders/order-status.ts';
import { addOrder, type OrderStep } from '../features/orders/order-store.ts';
import { createFirstAdmin, randomPassword } from '../features/users/first-admin.ts';
import { addUser, hasSeveralUsers } from '../features/users/user-store.ts';
import type { CommandLine } from '../service/command-line.ts';
import { maintenance } from '../service/features.ts';
import type { CommandDatabase } from '../storage/command-database.ts';
import type { Connection } from '../storage/connection.ts';
import { commandPermit } from '../storage/permit.ts';
import {
  createPicker,
  type Picker,
  sampleProducts,
  sampleCountries,
  sampleNotes,
  type SampleCountry,
} from './sample-data.ts';
import { withProgress } from './terminal.ts';
import { withDatabase } from './with-database.ts';

/** The default end of the year: a fixed date, so that the same seed always gives the same data. */
const endDefault = Date.parse('2026-01-01T00:00:00Z');

/** The customers come in the half year before the first order. */
const customersMilliseconds = 180 * dayMilliseconds;

const rowsPerTransaction = 25_000;

export async function addSampleData({ config, flags }: CommandLine): Promise<string> {
  const orderCount = Number(flags['orders'] ?? 1_000);
  const customerCount = bounded(orderCount / 4, 5, 200_000);
  const end = flags['until'] === undefined ? endDefault : timeOf(String(flags['until']));
  const start = end - 365 * dayMilliseconds;
  const picker = createPicker(Number(flags['seed'] ?? 1));
  const samples = (await maintenance()).flatMap(({ sample = [] }) => sample);
  return withDatabase(config, async (database, hasher) => {
    const { connection } = database;
    const hasRows = samples.some((sample) => sample.hasRows(connection));
    if (hasSeveralUsers(connection) || customerResource.hasRows(connection) || hasRows)
      throw new CommandError(
        `The database in ${config.dataFolder} is not empty. Add --data sample-data to fill another one.`,
      );
    const admin = await createFirstAdmin(config, {
      read: connection,
      write: (callback) => database.write(callback),
      hasher,
      now: Date.now(),
    });
    const password = randomPassword(config.passwordMin).replaceAll('-', '.'); // it doesn't expire, as one of that form
    const passwordHash = await hasher.hash(password);
    const filling: Filling = { database, picker, start, end };
    const users = addUsers(filling, bounded(orderCount / 500, 5, 200), passwordHash);
    const sample = { products: sampleProducts, now: start - customersMilliseconds };
    const others = database.write((writer) => samples.map(({ add }) => add(commandPermit(writer), sample)));
    await withProgress('Making sample data', (reportProgress) => {
      const all = customerCount + orderCount;
      const customers = addCustomers(filling, users, {
        count: customerCount,
        progress: (done) => reportProgress(done / all),
      });
      addOrders(filling, customers, {
        count: orderCount,
        progress: (done) => reportProgress((customerCount + done) / all),
      });
    });
    const added = [...others, counted(users.length, 'user'), counted(customerCount, 'customer')];
    return [
      ...(admin === undefined ? [] : [`Created ${admin}.`]),
      `Added ${added.join(', ')} and ${counted(orderCount, 'order')}.`,
      `Sign in as ${users[0]?.email} (staff) or ${users[1]?.email}.`,
      `All of them have the password ${password}, shown only once.`,
    ].join('\n');
  });
}

/** `start` and `end` bound the year of the orders. */
type Filling = {
  readonly database: CommandDatabase;
  readonly picker: Picker;
  readonly start: number;
  readonly end: number;
};

/** The number of rows to add; `progress` receives the number of rows added so far. */
type Amount = { readonly count: number; readonly progress: (done: number) => void };

type SampleUser = { readonly id: number; readonly email: string };
type SampleCustomer = {
  readonly id: number;
  readonly userId: number;
  readonly country: SampleCountry;
  readonly address: Address | null;
};

function addUsers({ database, picker, start }: Filling, count: number, passwordHash: string): SampleUser[] {
  return database.write((writer) => {
    const permit = commandPermit(writer);
    return Array.from({ length: count }, (_, index) => {
      const { name, email } = personOf(picker, index);
      const role = index % 10 === 0 ? 'staff' : 'user';
      const { id } = addUser(permit, { name, email, role, passwordHash }, start - customersMilliseconds);
      return { id, email };
    });
  });
}

function addCustomers(
  { database, picker, start }: Filling,
  users: readonly SampleUser[],
  amount: Amount,
): SampleCustomer[] {
  const added: SampleCustomer[] = [];
  inTransactions(database, amount, (writer, index) => {
    const person = personOf(picker, index);
    const { country } = person;
    const address = picker.float() < 0.05 ? null : addressOf(picker, country);
    const customer = {
      name: person.name,
      address,
      email: picker.float() < 0.1 ? null : person.email,
      phone: country.phone === '' ? null : picker.digits(country.phone),
      note: null,
      reference: null,
      metadata: {},
    };
    const userId = picker.pick(users).id;
    const createdAt = Math.floor(start - customersMilliseconds * (1 - index / amount.count));
    const { id } = customerResource.add(commandPermit(writer), { ...customer, userId }, createdAt);
    added.push({ id, userId, country, address });
  });
  return added;
}

function addOrders(
  { database, picker, start, end }: Filling,
  customers: readonly SampleCustomer[],
  amount: Amount,
): void {
  inTransactions(database, amount, (writer, index) => {
    const createdAt = Math.floor(start + ((index + picker.float()) / amount.count) * (end - start));
    const { id, userId, country, address } = picker.pick(customers);
    const steps = pickSteps(picker, createdAt, end);
    const { status, at: updatedAt } = steps.at(-1) ?? { status: 'open', at: createdAt };
    const note = picker.float() < 0.08 ? picker.pick(sampleNotes) : null;
    const isPaid = stages[status].payment !== 'none';
    const content = orderContentOf({
      customerId: id,
      status,
      payment: isPaid ? (samplePayments[index % samplePayments.length] ?? null) : null,
      currency: country.currency,
      items: itemsOf(picker, country),
      shippingAddress: address,
      note,
    });
    const order = { ...content, userId };
    addOrder(commandPermit(writer), order, { createdAt, updatedAt, steps });
  });
}

/** Most people pay by card. */
const samplePayments: readonly Payment[] = ['card', 'cash', 'card', 'transfer', 'card'];

/** Adds the rows in several transactions. A single transaction would need room for two copies of the data. */
function inTransactions(
  database: CommandDatabase,
  { count, progress }: Amount,
  add: (writer: Connection, index: number) => void,
): void {
  for (let from = 0; from < count; from += rowsPerTransaction) {
    const to = Math.min(from + rowsPerTransaction, count);
    database.write((writer) => {
      for (let index = from; index < to; index += 1) add(writer, index);
    });
    progress(to);
  }
}

function personOf(
  picker: Picker,
  index: number,
): { readonly country: SampleCountry; readonly name: string; readonly email: string } {
  const country = picker.pick(sampleCountries);
  const name = `${picker.pick(country.givenNames)} ${picker.pick(country.familyNames)}`;
  const plain = name.normalize('NFD').toLowerCase().replace(/\p{M}/gu, '');
  return {
    country,
    name,
    email: `${plain.replace(/[^a-z]+/g, '.')}${index + 1}@example.${picker.pick(['com', 'net', 'org'])}`,
  };
}

function addressOf(picker: Picker, { code, streets, places }: SampleCountry): Address {
  const { city, region, postalCode } = picker.pick(places);
  const line1 = picker.pick(streets).replace('#', String(picker.integer(1, 180)));
  return {
    name: null,
    line1,
    line2: picker.float() < 0.08 ? '2nd floor' : null,
    city,
    region,
    postalCode: picker.digits(postalCode),
    country: code,
  };
}

function itemsOf(picker: Picker, { rate }: SampleCountry): NewItem[] {
  const roundTo = rate > 5 ? 100 : 10;
  return Array.from({ length: Math.ceil(picker.float() ** 2 * 6 + 0.01) }, () => {
    const [sku, name, cents] = picker.pick(sampleProducts);
    return {
      sku,
      name,
      quantity: picker.float() < 0.04 ? 12 : picker.integer(1, 3),
      unitPrice: Math.round((cents * rate) / roundTo) * roundTo,
    };
  });
}

/**
 * The steps of an order up to the end of the year, at most four days apart. Most orders are delivered; some are
 * never paid, are cancelled or are refunded; orders of the last days are still in progress.
 */
function pickSteps(picker: Picker, createdAt: number, end: number): OrderStep[] {
  const fate = picker.float();
  const steps: OrderStep[] = [];
  let at = createdAt;
  for (const status of stepsOf(fate)) {
    at += picker.integer(600_000, 4 * dayMilliseconds);
    if (at >= end) break;
    steps.push({ status, at });
  }
  return steps;
}

function stepsOf(fate: number): readonly OrderStatus[] {
  if (fate < 0.02) return [];
  if (fate < 0.07) return ['cancelled'];
  if (fate < 0.1) return [...stepsWhenPlacedAs('delivered'), 'refunded'];
  return stepsWhenPlacedAs('delivered');
}

function timeOf(text: string): number {
  return text === 'now' ? Date.now() : Date.parse(text);
}

function bounded(value: number, min: number, max: number): number {
  return Math.min(Math.max(Math.ceil(value), min), max);
}
