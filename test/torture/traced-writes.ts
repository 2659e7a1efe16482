// Writes to a service that runs under strace, and judges its trace.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '../support/child-service.ts';
import { createLoadClient, type LoadRequest, type LoadClient, type Thing } from '../support/load-client.ts';
import { settings, signedInFolder } from './signed-in-folder.ts';
import { judge, traced, type Verdict } from './sync-order.ts';

export type TracedVerdict = Verdict & { readonly expected: number; readonly expectedReads: number };

const readers = 4;
const readPauseMilliseconds = 5;

/**
 * `many` changes over 64 connections with reads of them at the same time, then one change of each kind alone.
 * `expected` is how many responses to changes the clients had.
 */
export async function traceWrites(many: number): Promise<TracedVerdict> {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-trace-'));
  const trace = join(folder, 'trace');
  try {
    const { token } = await signedInFolder(join(folder, 'data'));
    const service = await startChild({
      folder: join(folder, 'data'),
      settings,
      wrapper: ['strace', '-f', '-y', '--seccomp-bpf', '-s', '4200', '-e', `trace=${traced}`, '-o', trace],
    });
    const client = createLoadClient(service.port, { connections: 64 + readers });
    const expected = await writeTagged(client, { token, many }).finally(() => service.kill('SIGTERM'));
    return { ...judge(readFileSync(trace, 'latin1')), ...expected };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Why strace can't be used here, or false. */
export function noStrace(): string | false {
  try {
    execFileSync('strace', ['-f', '--seccomp-bpf', '-e', 'trace=write', '-o', '/dev/null', 'true'], {
      stdio: 'ignore',
    });
    return false;
  } catch {
    return 'strace is missing, or may not trace';
  }
}

type Expected = Pick<TracedVerdict, 'expected' | 'expectedReads'>;

async function writeTagged(
  client: LoadClient,
  { token, many }: { readonly token: string; readonly many: number },
): Promise<Expected> {
  let expected = 0;
  const right = async (tag: string, asked: LoadRequest): Promise<Thing> => {
    const reply = await client.ask({ ...asked, headers: { ...asked.headers, 'x-request-id': tag } });
    if (reply.status >= 300)
      throw new Error(`${asked.method} ${asked.path} gave ${reply.status}: ${reply.text}`);
    if (/^(?:many|solo)/.test(tag)) expected += 1;
    return reply.thing;
  };
  let sent = 0;
  let expectedReads = 0;
  const orderIds: unknown[] = [];
  const tag = (): string => `many-${String((sent += 1)).padStart(6, '0')}`;
  /** One order, a page, and a page with a total, which comes from the thread. */
  const read = async (): Promise<void> => {
    for (let turn = 0; sent < many; turn += 1) {
      const id = orderIds.at(-1 - (turn % 8));
      const paths = [`/orders/${id}`, '/orders?limit=5&sort=-updatedAt', '/orders?limit=2&total=true'];
      const path = id === undefined ? '/orders?limit=5' : (paths[turn % paths.length] ?? '');
      expectedReads += 1;
      await right(`read-${expectedReads}`, { method: 'GET', path, token });
      await new Promise((resolve) => setTimeout(resolve, readPauseMilliseconds));
    }
  };
  await Promise.all([
    ...Array.from({ length: readers }, read),
    ...Array.from({ length: 64 }, async () => {
      const name = tag();
      const customer = await right(name, { method: 'POST', path: '/customers', token, body: { name } });
      while (sent < many) {
        const note = tag();
        const order = await right(note, {
          method: 'POST',
          path: '/orders',
          token,
          headers: { 'idempotency-key': note },
          body: {
            customerId: customer['id'],
            currency: 'EUR',
            items: [{ name: 'Tea', quantity: 1, unitPrice: 749 }],
            note,
          },
        });
        orderIds.push(order['id']);
        const next = tag();
        await right(next, {
          method: 'PATCH',
          path: `/orders/${order['id']}`,
          token,
          body: { status: 'paid', note: next },
        });
      }
    }),
  ]);
  await writeAlone(token, right);
  client.close();
  return { expected, expectedReads };
}

/** Each kind of change while there is no other request. */
async function writeAlone(
  token: string,
  right: (tag: string, asked: LoadRequest) => Promise<Thing>,
): Promise<void> {
  let sent = 0;
  const change = (
    method: LoadRequest['method'],
    path: string,
    body?: object,
    bearer: string | undefined = token,
  ): Promise<Thing> =>
    right(`solo-${String((sent += 1))}`, {
      method,
      path,
      token: bearer,
      ...(body === undefined ? {} : { body }),
    });
  const email = 'ada@example.com';
  const password = 'a password for tracing';
  const user = await change('POST', '/api/users', { name: 'Ada', email, password });
  await change('PATCH', `/api/users/${user['id']}`, { name: 'Ada Lovelace' });
  const session = await right(`solo-${String((sent += 1))}`, {
    method: 'POST',
    path: '/api/sessions',
    body: { email, password },
  });
  const renewed = await right(`solo-${String((sent += 1))}`, {
    method: 'POST',
    path: `/api/sessions/${session['id']}/tokens`,
    body: { refreshToken: session['refreshToken'] },
  });
  const key = await change(
    'POST',
    '/api/keys',
    { name: 'till', scopes: ['orders:read'] },
    String(renewed['accessToken']),
  );
  await change('DELETE', `/api/keys/${key['id']}`, undefined, String(renewed['accessToken']));
  await change('DELETE', `/api/sessions/${session['id']}`);
  const customer = await change('POST', '/customers', { name: 'Grace Hopper', userId: user['id'] });
  await change('PUT', `/customers/${customer['id']}`, { name: 'Grace Brewster Hopper' });
  await change('DELETE', `/customers/${customer['id']}`);
  await change('DELETE', `/api/users/${user['id']}`);
}
