// The service under attack: a process of its own with default settings, on a copy of a folder with people and orders.
import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settings as allSettings } from '../../../src/service/features.ts';
import { startChild, type ChildOptions, type ChildService } from '../../support/child-service.ts';
import { createLoadClient, type LoadClient } from '../../support/load-client.ts';
import { admin, password } from '../../support/service.ts';
import { settings as tokensForAnyPort } from '../../torture/signed-in-folder.ts';

export type Person = {
  readonly id: number;
  readonly email: string;
  readonly password: string;
  readonly token: string;
  /** One of their customers. */
  readonly customerId: number;
};
export type People = {
  readonly admin: Person;
  /** Has 200 orders of about 57 KB. */
  readonly owner: Person;
  readonly others: readonly Person[];
};
/** Its failures are counted as well: without a response the status is 0. */
type Ask = LoadClient['attempt'];
export type Abused = ChildService & { readonly folder: string; readonly ask: Ask };

const fatOrders = 200;
const otherPeople = 6;
const client = { connections: 256, replyMillisecondsMax: 20_000 };
const defaultRates = Object.fromEntries(
  allSettings.filter(({ flag }) => flag.startsWith('rate-')).map(({ flag, fallback }) => [flag, fallback]),
);

/** Returns what an attack saw, and what became of the service. */
export async function abuse(
  attack: (service: Abused) => Promise<string>,
  { folder, settings, ...options }: ChildOptions,
): Promise<string> {
  const copy = mkdtempSync(join(folder, 'copy-'));
  cpSync(join(folder, 'data'), copy, { recursive: true });
  const all = { ...defaultRates, ...tokensForAnyPort, ...settings };
  const service = await startChild({ folder: copy, settings: all, ...options });
  const { attempt: ask } = createLoadClient(service.port, client);
  try {
    const seen = await attack({ ...service, folder: copy, ask });
    return `${seen}; ${await endOf(service)}`;
  } finally {
    await service.kill('SIGKILL');
  }
}

async function endOf({ pid, child, ended, kill }: ChildService): Promise<string> {
  if (child.exitCode === null && child.signalCode === null) {
    const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    const { code, signal } = await kill('SIGTERM');
    return `RSS ${Math.round(Number(kilobytes) / 1000)} MB at most, ended with ${signal ?? code}`;
  }
  const { code, signal } = await ended;
  return `the service has ended by itself with ${signal ?? code}`;
}

/** Makes the data that attacks begin with; the rates are off meanwhile. */
export async function prepareData(): Promise<{ readonly folder: string; readonly people: People }> {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-abuse-'));
  const service = await startChild({ folder: join(folder, 'data'), settings: tokensForAnyPort });
  const { ask } = createLoadClient(service.port, client);
  const post = async (path: string, body: object, token?: string) =>
    (await ask({ method: 'POST', path, token, body })).thing;

  async function signIn(account: { readonly email: string; readonly password: string }): Promise<Person> {
    const { userId, accessToken } = await post('/api/sessions', account);
    const token = String(accessToken);
    const { id: customerId } = await post('/customers', { name: 'A customer' }, token);
    return { ...account, id: Number(userId), token, customerId: Number(customerId) };
  }

  async function newPerson(name: string): Promise<Person> {
    const account = { email: `${name}@example.com`, password };
    await post('/api/users', { name, ...account });
    return signIn(account);
  }

  try {
    const owner = await newPerson('owner');
    const order = fatOrder(owner.customerId);
    for (let count = 0; count < fatOrders; count += 1) await post('/orders', order, owner.token);
    const others: Person[] = [];
    while (others.length < otherPeople) others.push(await newPerson(`other${others.length}`));
    return { folder, people: { admin: await signIn(admin), owner, others } };
  } finally {
    await service.kill('SIGTERM');
  }
}

/** About 57 KB in a response. */
export function fatOrder(customerId: number): object {
  const item = { sku: 'S'.repeat(64), name: '€'.repeat(140), quantity: 1, unitPrice: 100 };
  return { customerId, currency: 'EUR', items: Array(100).fill(item), note: 'n'.repeat(2_000) };
}

/** A connected socket; undefined if the connection was refused. Later errors are ignored. */
export async function openSocket(port: number, localAddress = '127.0.0.1'): Promise<Socket | undefined> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once('connect', () => resolve(true)).on('error', () => resolve(false));
  return (await promise) ? socket : undefined;
}

/** The fields with which a trusted proxy passes on a request from this address. */
export function from(address: string): Record<string, string> {
  return { 'X-Forwarded-For': address, 'X-Forwarded-Proto': 'https' };
}

export function getText(path: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ Host: 'localhost', ...headers });
  return `GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}
