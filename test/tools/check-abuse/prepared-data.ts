// The data that attacks begin with: people with tokens, an owner of large orders, and rows copied by SQL.
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { administrator, startAbused } from './abused-service.ts';
import { ask } from './attack-client.ts';
import type { Program } from './attack.ts';

export type Person = {
  readonly id: number;
  readonly email: string;
  readonly password: string;
  readonly token: string;
  readonly refreshToken: string;
  readonly sessionId: number;
  /** One of their customers. */
  readonly customerId: number;
};

export type People = {
  readonly admin: Person;
  /** Has `fatOrders` orders of about 57 KB. */
  readonly owner: Person;
  readonly others: readonly Person[];
};

export const fatOrders = 200;
const otherPeople = 6;
const ratesOff = {
  'rate-default': 'off',
  'rate-anonymous': 'off',
  'rate-login-account': 'off',
  'rate-login-address': 'off',
};

/** Fills the folder `target.prepared`, with the rates off. */
export async function prepareData(target: Program): Promise<People> {
  const service = await startAbused(target, { folder: target.prepared, settings: ratesOff });
  const { port } = service;
  try {
    const admin = await signedIn(port, administrator.email, administrator.password);
    const owner = await newPerson(port, 'owner');
    await ask(port, 'POST', '/orders', { token: owner.token, body: fatOrder(owner.customerId) });
    const others: Person[] = [];
    while (others.length < otherPeople) others.push(await newPerson(port, `other${others.length}`));
    await service.stop();
    copyRows(target.prepared, { table: 'orders', templateId: 1, count: fatOrders - 1 });
    return { admin, owner, others };
  } finally {
    await service.stop();
  }
}

/** About 57 KB in a response. */
export function fatOrder(customerId: number): object {
  const item = { sku: 'S'.repeat(64), name: '€'.repeat(140), quantity: 1, unitPrice: 100 };
  return { customerId, currency: 'EUR', items: Array(100).fill(item), note: 'n'.repeat(2_000) };
}

export function smallOrder(customerId: number): object {
  const item = { sku: null, name: 'Green tea', quantity: 1, unitPrice: 749 };
  return { customerId, currency: 'EUR', items: [item], note: 'a note of its owner' };
}

type Copies = {
  readonly table: string;
  readonly templateId: number;
  readonly idColumn?: 'id' | 'rowid';
  readonly count: number;
  /** SQL for columns that differ; `i` counts from 1. The database chooses the id. */
  readonly changed?: Readonly<Record<string, string>>;
};

/** Copies all columns that the table has, so that it works with any version. The service must not run. */
export function copyRows(folder: string, copies: Copies): void {
  const { table, templateId, count, idColumn = 'id', changed = {} } = copies;
  withDatabase(folder, (db) => {
    const columns = db
      .prepare(`SELECT name FROM pragma_table_info('${table}') WHERE name <> 'id'`)
      .all()
      .map(({ name }) => String(name));
    const values = columns.map((name) => changed[name] ?? `"${table}"."${name}"`);
    db.exec(`
      WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${count})
      INSERT INTO "${table}" (${columns.map((name) => `"${name}"`).join(', ')})
      SELECT ${values.join(', ')} FROM numbers, "${table}" WHERE "${table}".${idColumn} = ${templateId}`);
  });
}

export function withDatabase(folder: string, work: (db: DatabaseSync) => void): void {
  const db = new DatabaseSync(join(folder, 'orderly.db'));
  try {
    db.exec('BEGIN');
    work(db);
    db.exec('COMMIT');
  } finally {
    db.close();
  }
}

async function newPerson(port: number, name: string): Promise<Person> {
  const account = { name, email: `${name}@example.com`, password: 'seven kettles on 9 shelves' };
  const { status } = await ask(port, 'POST', '/api/users', { body: account });
  if (status !== 201) throw new Error(`sign-up of ${name}: ${status}`);
  return await signedIn(port, account.email, account.password);
}

async function signedIn(port: number, email: string, password: string): Promise<Person> {
  const { status, body } = await ask(port, 'POST', '/api/sessions', { body: { email, password } });
  const { accessToken: token, refreshToken, id: sessionId } = body;
  if (token === undefined || refreshToken === undefined || sessionId === undefined)
    throw new Error(`sign-in of ${email}: ${status}`);
  const own = await ask(port, 'POST', '/customers', { token, body: { name: 'A customer' } });
  const id = subjectOf(token);
  return { id, email, password, token, refreshToken, sessionId, customerId: own.body.id ?? 0 };
}

function subjectOf(token: string): number {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return Number(claims.sub);
}
