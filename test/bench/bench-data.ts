// The data that is measured: the service's own sample, and the same orders in the Fastify peer's tables, read through the API.
import { constants, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { ask } from './ask.ts';
import type { Children } from './children.ts';
import { logIn, project, startService, type Setting } from './servers.ts';

export type Made = {
  readonly folder: string;
  readonly fastifyDatabase: string;
  readonly orderCount: number;
  readonly admin: { readonly email: string; readonly password: string };
};
type Row = Readonly<Record<string, unknown>>;

const email = 'bench@example.com';
const sampleSeconds = 900;

export async function makeData(setting: Setting, kept: string, orderCount: number, say: (text: string) => void): Promise<Made> {
  const folder = join(kept, `orders-${orderCount}`);
  const made = { folder, fastifyDatabase: join(kept, `fastify-${orderCount}.db`), orderCount };
  const adminFile = join(kept, `admin-${orderCount}.json`); // written last: without it the data is not whole
  if (existsSync(adminFile)) return { ...made, admin: JSON.parse(readFileSync(adminFile, 'utf8')) };
  for (const unfinished of [folder, made.fastifyDatabase]) rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });

  say(`making ${orderCount} orders`);
  await runCommand(setting.children, ['sample', '--orders', String(orderCount), '--seed', '1', '--data', folder]);
  const printed = await runCommand(setting.children, ['admin', 'create', '--email', email, '--name', 'Bench', '--data', folder]);
  const admin = { email, password: passwordIn(printed) };
  say('giving Fastify the same orders');
  await fillFastify(setting, { ...made, admin });
  writeFileSync(adminFile, JSON.stringify(admin), { mode: 0o600 });
  return { ...made, admin };
}

/** A copy to write into; `discard` takes it away again. */
export function copyData(made: Made): Made & { discard: () => void } {
  const folder = `${made.folder}-copy`;
  const fastifyDatabase = `${made.fastifyDatabase}-copy`;
  const files = [folder, fastifyDatabase, `${fastifyDatabase}-wal`, `${fastifyDatabase}-shm`];
  const discard = () => files.forEach((file) => rmSync(file, { recursive: true, force: true }));
  discard();
  cpSync(made.folder, folder, { recursive: true, mode: constants.COPYFILE_FICLONE });
  copyFileSync(made.fastifyDatabase, fastifyDatabase, constants.COPYFILE_FICLONE);
  return { ...made, folder, fastifyDatabase, discard };
}

function runCommand(children: Children, command: readonly string[]): Promise<string> {
  return children.run({ command: [process.execPath, join(project, 'src/start.js'), ...command], cores: 'any' }, sampleSeconds);
}

function passwordIn(printed: string): string {
  const password = printed.match(/password\S*\s+(\S+)\s*$/im)?.[1];
  if (password === undefined) throw new Error(`No password was printed:\n${printed}`);
  return password;
}

async function fillFastify(setting: Setting, made: Made): Promise<void> {
  const service = await startService(setting, made.folder, []);
  const db = new DatabaseSync(made.fastifyDatabase);
  db.exec(readFileSync(join(import.meta.dirname, 'peers/fastify/schema.sql'), 'utf8'));
  db.exec('PRAGMA synchronous = OFF; BEGIN');
  const read = pagesFrom(service.origin, () => logIn(service.origin, made.admin));
  await copyRows(db, 'customers', ['id', 'userId', 'name', 'email', 'phone', 'address', 'createdAt', 'updatedAt'], read('/customers?limit=200&sort=id'));
  await copyRows(db, 'orders', ['id', 'status', 'customerId', 'userId', 'currency', 'items', 'total', 'shippingAddress', 'note', 'createdAt', 'updatedAt'],
    read('/orders?limit=200&sort=id'));
  db.exec('COMMIT; ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  await setting.children.end(service.child);
}

async function copyRows(db: DatabaseSync, table: string, members: readonly string[], pages: AsyncIterable<readonly Row[]>): Promise<void> {
  const columns = members.map((member) => member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  const insert = db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`);
  for await (const page of pages) {
    for (const row of page) insert.run(...members.map((member) => asColumn(row[member])));
  }
}

function asColumn(value: unknown): SQLInputValue {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return value;
  return JSON.stringify(value);
}

/** Reads a list to its end; logs in anew before the token can expire. */
function pagesFrom(origin: string, signIn: () => Promise<string>) {
  return async function* pages(first: string): AsyncGenerator<readonly Row[]> {
    let authorization = '';
    let path: string | null = first;
    for (let count = 0; path !== null; count++) {
      if (count % 1000 === 0) authorization = await signIn();
      const answer = await ask(origin, { path, headers: { Authorization: authorization } });
      if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}: ${answer.body}`);
      const page = JSON.parse(answer.body) as { data: Row[]; next: string | null }; // the contract's list
      yield page.data;
      path = page.next;
    }
  };
}
