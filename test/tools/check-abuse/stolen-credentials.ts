// Security 4, 5, 13 and 15: what a stolen key or token permits.
import type { Socket } from 'node:net';
import { preparedFolder, startAbused, type AbusedService } from './abused-service.ts';
import { ask, getText, openSocket } from './attack-client.ts';
import { countsOf, sleep, type Row, type Target } from './attack.ts';
import { withDatabase } from './prepared-data.ts';

const keysTried = 60;
const keysUsed = 8;
const requestsOfKey = 700;
const spellings = 9_900;

export async function stolenCredentials(target: Target): Promise<Row[]> {
  return [
    await oldSession(target),
    ...(await containment(target)),
    await keyMakesAdmin(target),
    await manyKeys(target),
    await manySpellings(target),
  ];
}

/** The session began an hour ago, and a thief renews its tokens. */
async function oldSession(target: Target): Promise<Row> {
  const { sessionId, refreshToken } = target.people.owner;
  const folder = preparedFolder(target);
  const hour = 3_600_000;
  withDatabase(folder, (db) =>
    db.exec(`UPDATE sessions SET createdAt = createdAt - ${hour} WHERE id = ${sessionId}`),
  );
  const service = await startAbused(target, { folder });
  const path = `/api/sessions/${sessionId}/tokens`;
  const renewed = await ask(service.port, 'POST', path, { body: { refreshToken } });
  const made = await ask(service.port, 'POST', '/api/keys', {
    token: renewed.body.accessToken,
    body: { name: 'stolen', scopes: ['orders:read', 'orders:write'], expiresAt: null },
  });
  await service.stop();
  return {
    attack: '4 key from an old session',
    done: 'POST /api/keys, without an expiry, an hour after the sign-in',
    achieved: `status ${made.status}`,
  };
}

async function containment(target: Target): Promise<Row[]> {
  const { admin, owner } = target.people;
  const service = await startAbused(target);
  const { port } = service;
  const body = { name: 'stolen', scopes: ['orders:read'] };
  const made = await ask(port, 'POST', '/api/keys', { token: owner.token, body });
  const listed = await ask(port, 'GET', `/api/keys?userId=${owner.id}`, { token: admin.token });
  await ask(port, 'PATCH', `/api/users/${owner.id}`, {
    token: admin.token,
    body: { password: 'nine cups in 3 cupboards' },
  });
  const used = await ask(port, 'GET', '/orders?limit=1', { key: made.body.key });
  const other = await ask(port, 'POST', '/api/keys', { token: target.people.others[0]?.token, body });
  const deleted = await ask(port, 'DELETE', `/api/keys/${other.body.id}`, { token: admin.token });
  await service.stop();
  return [
    {
      attack: '4 containment by an administrator',
      done: "lists another's keys, deletes one",
      achieved: `statuses ${listed.status} and ${deleted.status}`,
    },
    {
      attack: '4 key outlives a password',
      done: 'a key is used after an administrator has set a new password for its user',
      achieved: `status ${used.status}`,
    },
  ];
}

async function keyMakesAdmin(target: Target): Promise<Row> {
  const service = await startAbused(target);
  const { port } = service;
  const body = { name: 'of an administrator', scopes: ['users:read', 'users:write'] };
  const { key } = (await ask(port, 'POST', '/api/keys', { token: target.people.admin.token, body })).body;
  const account = { name: 'N', email: 'made@example.com', password: 'seven kettles on 9 shelves' };
  const made = await ask(port, 'POST', '/api/users', { key, body: { ...account, role: 'admin' } });
  const promoted = await ask(port, 'PATCH', `/api/users/${target.people.owner.id}`, {
    key,
    body: { role: 'admin' },
  });
  await service.stop();
  return {
    attack: '5 an administrator by a key',
    done: 'with a key of users:write: POST /api/users with role admin, PATCH of a role',
    achieved: `statuses ${made.status} and ${promoted.status}`,
  };
}

async function manyKeys(target: Target): Promise<Row> {
  const service = await startAbused(target);
  const { token } = target.people.owner;
  const keys: string[] = [];
  for (let index = 0; index < keysTried; index += 1) {
    const body = { name: `key ${index}`, scopes: ['orders:read'] };
    const { key } = (await ask(service.port, 'POST', '/api/keys', { token, body })).body;
    if (key !== undefined) keys.push(key);
  }
  const statuses: number[] = [];
  for (const key of keys.slice(0, keysUsed)) statuses.push(...(await burst(service, key)));
  await service.stop();
  const used = Math.min(keysUsed, keys.length);
  const passed = statuses.filter((status) => status === 200).length;
  return {
    attack: '13 many keys',
    done: `${keysTried} keys tried, then ${requestsOfKey} GETs with each of ${used}`,
    achieved: `keys made: ${keys.length}; passed: ${passed} of ${statuses.length}`,
  };
}

async function burst(service: AbusedService, key: string): Promise<number[]> {
  const request = `GET /orders?status=paid&limit=1 HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\n\r\n`;
  return await statusesOf(service, Array<string>(requestsOfKey).fill(request));
}

async function manySpellings(target: Target): Promise<Row> {
  const service = await startAbused(target);
  const before = service.rssMegabytesMax();
  const { token } = target.people.owner;
  const requests = Array.from({ length: spellings }, (_, index) =>
    getText('/api/sessions?limit=1', { headers: { Authorization: `Bearer ${' '.repeat(index)}${token}` } }),
  );
  const statuses = await statusesOf(service, requests);
  await sleep(200);
  const after = service.rssMegabytesMax();
  await service.stop();
  return {
    attack: '15 spellings of one token',
    done: `${spellings} requests, each with another number of blanks: ${countsOf(statuses)}`,
    achieved: `RSS from ${before} to ${after} MB at most`,
  };
}

/** The statuses of requests that are pipelined on one connection, a hundred at a time. */
async function statusesOf(service: AbusedService, requests: readonly string[]): Promise<number[]> {
  const socket = await openSocket(service.port);
  if (socket === undefined) return [];
  const statuses: number[] = [];
  for (let index = 0; index < requests.length; index += 100) {
    const some = requests.slice(index, index + 100);
    const answered = statusesFrom(socket, some.length);
    socket.write(some.join(''));
    const seen = await answered;
    statuses.push(...seen);
    if (seen.length < some.length) break;
  }
  socket.destroy();
  return statuses;
}

/** The statuses of the next responses; fewer if the connection ends or is silent. */
function statusesFrom(socket: Socket, count: number): Promise<number[]> {
  const { promise, resolve } = Promise.withResolvers<number[]>();
  const seen: number[] = [];
  let rest = '';
  const end = (): void => resolve(seen);
  const late = setTimeout(end, 5_000);
  const look = (chunk: Buffer): void => {
    rest += chunk.toString('latin1');
    const statusLine = /HTTP\/1\.1 (\d{3}) /g;
    let after = 0;
    for (let found = statusLine.exec(rest); found !== null; found = statusLine.exec(rest)) {
      seen.push(Number(found[1]));
      after = statusLine.lastIndex;
    }
    rest = rest.slice(Math.max(after, rest.length - 12));
    if (seen.length >= count) end();
  };
  socket.on('data', look).on('close', end).on('end', end);
  return promise.finally(() => {
    clearTimeout(late);
    socket.off('data', look).off('close', end).off('end', end);
  });
}
