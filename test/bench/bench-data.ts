// The data that is measured: the service's own sample, and the same orders in the Fastify peer's tables, read
// through the API.
import { constants, copyFileSync, cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { root } from '../support/source-text.ts';
import { endServer, runOnCore } from './children.ts';
import { logIn, startService, type Server } from './servers.ts';

export type Made = {
  readonly folder: string;
  readonly fastifyDatabase: string;
  readonly orderCount: number;
  readonly admin: { readonly email: string; readonly password: string };
};
type Row = Readonly<Record<string, unknown>>;

const sampleSeconds = 900;

export async function makeData(kept: string, orderCount: number, say: (text: string) => void): Promise<Made> {
  const folder = join(kept, `orders-${orderCount}`);
  const fastifyDatabase = join(kept, `fastify-${orderCount}.db`); // exists only once it is complete
  const databases = { folder, fastifyDatabase, orderCount };
  if (existsSync(fastifyDatabase)) return { ...databases, admin: adminOf(folder) };
  const unfinished = `${fastifyDatabase}-unfinished`;
  for (const file of [folder, unfinished]) rmSync(file, { recursive: true, force: true });

  say(`making ${orderCount} orders`);
  const sample = ['sample', '--orders', String(orderCount), '--seed', '1', '--data', folder];
  const command = [process.execPath, join(root, 'src/start.js'), ...sample];
  await runOnCore({ command, cores: 'any' }, sampleSeconds);
  const made = { ...databases, admin: adminOf(folder) };
  say('giving Fastify the same orders');
  await fillFastify(made, unfinished);
  renameSync(unfinished, fastifyDatabase);
  return made;
}

/** A copy for workloads that write; `discard` removes it. */
export function copyData(made: Made): Made & { discard: () => void } {
  const folder = `${made.folder}-copy`;
  const fastifyDatabase = `${made.fastifyDatabase}-copy`;
  const files = ['', '-wal', '-shm'].map((suffix) => fastifyDatabase + suffix);
  const discard = () => [folder, ...files].forEach((file) => rmSync(file, { recursive: true, force: true }));
  discard();
  cpSync(made.folder, folder, { recursive: true, mode: constants.COPYFILE_FICLONE });
  copyFileSync(made.fastifyDatabase, fastifyDatabase, constants.COPYFILE_FICLONE);
  return { ...made, folder, fastifyDatabase, discard };
}

/** The administrator of the sample. */
function adminOf(folder: string): Made['admin'] {
  // written by the service in this shape
  return JSON.parse(readFileSync(join(folder, 'initial-admin.json'), 'utf8'));
}

async function fillFastify(made: Made, database: string): Promise<void> {
  const service = await startService({ cores: 'any', env: {} }, made.folder, []);
  const db = new DatabaseSync(database);
  db.exec(readFileSync(join(import.meta.dirname, 'peers/fastify/schema.sql'), 'utf8'));
  db.exec('PRAGMA synchronous = OFF; BEGIN');
  const ofCustomers = 'id userId name email phone address createdAt updatedAt';
  await copyRows(db, 'customers', ofCustomers, pagesOf(service, made, '/customers?limit=200&sort=id'));
  const ofOrders =
    'id status customerId userId currency items total shippingAddress note createdAt updatedAt';
  await copyRows(db, 'orders', ofOrders, pagesOf(service, made, '/orders?limit=200&sort=id'));
  db.exec('COMMIT; ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  await endServer(service.running);
}

async function copyRows(
  db: DatabaseSync,
  table: string,
  names: string,
  pages: AsyncIterable<readonly Row[]>,
): Promise<void> {
  const members = names.split(' ');
  const columns = members.map((member) => member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  const insert = db.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  for await (const page of pages) {
    for (const row of page) insert.run(...members.map((member) => asColumn(row[member])));
  }
}

function asColumn(value: unknown): SQLInputValue {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return value;
  return JSON.stringify(value);
}

/** Reads a list to its end; logs in again before the token can expire. */
async function* pagesOf(service: Server, { admin }: Made, first: string): AsyncGenerator<readonly Row[]> {
  let authorization = '';
  let path: unknown = first;
  for (let count = 0; typeof path === 'string'; count++) {
    if (count % 1000 === 0) authorization = await logIn(service, admin);
    const { status, text, thing } = await service.client.ask({
      method: 'GET',
      path,
      headers: { authorization },
    });
    if (status !== 200) throw new Error(`${path} was answered with ${status}: ${text}`);
    yield thing['data'] as Row[]; // a list has its rows there
    path = thing['next'];
  }
}
