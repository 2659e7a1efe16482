// The service under attack: a process of its own with default settings, on a copy of a folder with people and orders.
import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settings as allSettings } from '../../../src/service/features.ts';
import { startChild, type ChildOptions, type ChildService } from '../../support/child-service.ts';
import { createLoadClient, type LoadRequest, type Reply } from '../../support/load-client.ts';
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

type Asked = Omit<LoadRequest, 'method' | 'path'>;
/** Never rejects, since failures are counted as well: without a response the status is 0. */
type Ask = (
  method: LoadRequest['method'],
  path: string,
  asked?: Asked,
) => Promise<Pick<Reply, 'status' | 'thing' | 'milliseconds'>>;
export type Abused = ChildService & { readonly folder: string; readonly ask: Ask };

const fatOrders = 200;
const otherPeople = 6;
const replyMillisecondsMax = 20_000;
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
  try {
    const seen = await attack({ ...service, folder: copy, ask: askerOf(service.port) });
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

function askerOf(port: number): Ask {
  const client = createLoadClient(port, { connections: 256, replyMillisecondsMax });
  return (method, path, asked = {}) =>
    client
      .ask({ method, path, ...asked })
      .catch(() => ({ status: 0, thing: {}, milliseconds: replyMillisecondsMax }));
}

/** Makes the data that attacks begin with; the rates are off meanwhile. */
export async function prepareData(): Promise<{ readonly folder: string; readonly people: People }> {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-abuse-'));
  const service = await startChild({ folder: join(folder, 'data'), settings: tokensForAnyPort });
  const ask = askerOf(service.port);
  try {
    const signedIn = async (account: { email: string; password: string }): Promise<Person> => {
      const { thing: session } = await ask('POST', '/api/sessions', { body: account });
      const token = String(session['accessToken']);
      const { thing } = await ask('POST', '/customers', { token, body: { name: 'A customer' } });
      return { id: Number(session['userId']), ...account, token, customerId: Number(thing['id']) };
    };
    const newPerson = async (name: string): Promise<Person> => {
      const account = { email: `${name}@example.com`, password };
      await ask('POST', '/api/users', { body: { name, ...account } });
      return signedIn(account);
    };
    const owner = await newPerson('owner');
    const body = fatOrder(owner.customerId);
    for (let index = 0; index < fatOrders; index += 1)
      await ask('POST', '/orders', { token: owner.token, body });
    const others: Person[] = [];
    while (others.length < otherPeople) others.push(await newPerson(`other${others.length}`));
    return { folder, people: { admin: await signedIn(admin), owner, others } };
  } finally {
    await service.kill('SIGTERM');
  }
}

/** About 57 KB in a response. */
export function fatOrder(customerId: number): object {
  const item = { sku: 'S'.repeat(64), name: '€'.repeat(140), quantity: 1, unitPrice: 100 };
  return { customerId, currency: 'EUR', items: Array(100).fill(item), note: 'n'.repeat(2_000) };
}

/** Another address of this machine than the others use, since each address has a fair share. */
export const attackerAddress = '127.0.0.2';

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

/** `201 ×3, 429 ×17`, in the order of the statuses. */
export function countsOf(statuses: readonly number[]): string {
  const groups = [...Map.groupBy(statuses, (status) => status)].sort(([a], [b]) => a - b);
  return groups.map(([status, { length }]) => `${status} ×${length}`).join(', ') || 'none';
}
