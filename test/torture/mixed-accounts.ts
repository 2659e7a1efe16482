// The changes of keys, users and sessions by clients of the torture test.
import type { Thing } from '../support/load-client.ts';
import {
  password,
  change,
  changeShown,
  after,
  newTag,
  maybeKey,
  newOrder,
  type Round,
} from './mixed-changes.ts';

/** A user has at most 50 keys; of ten rounds 40 are never deleted, since a kill cut off their response. */
const keysKeptMax = 5;

export async function changeKey(round: Round, client: number): Promise<void> {
  const { ledger, keys, staff } = round.memory;
  const tag = newTag(round, client);
  const name = `key ${tag}`;
  const sent = { name: tag, scopes: ['orders:read'] };
  const {
    thing: { key, ...made },
  } = await change(round, {
    method: 'POST',
    path: '/api/keys',
    token: staff.token,
    body: sent,
    name,
    wanted: new Map([[name, sent]]),
    success: 201,
  });
  ledger.answered(name, made);
  keys.set(name, String(key));
  if (round.picker.float() < 0.5 && keys.size <= keysKeptMax) return;
  await change(round, {
    method: 'DELETE',
    path: `/api/keys/${made['id']}`,
    token: staff.token,
    name,
    wanted: new Map([[name, undefined]]),
    success: 204,
  });
}

/**
 * Creates a user, changes one, or gives one a customer with an order and deletes the user, which changes all
 * three or none.
 */
export async function changeUsers(round: Round): Promise<void> {
  const {
    picker,
    memory: { ledger, admin, users },
  } = round;
  const [name] = users.filter((each) => ledger.known(each) !== undefined);
  const user = name === undefined ? undefined : ledger.known(name);
  const share = picker.float();
  if (name === undefined || user === undefined || share < 0.3) return addUser(round);
  const path = `/api/users/${user['id']}`;
  if (share < 0.8) {
    const changes = { name: `${picker.digits('Number ####')}`, role: picker.pick(['user', 'staff']) };
    await changeShown(round, {
      method: 'PATCH',
      path,
      token: admin.token,
      body: changes,
      name,
      wanted: new Map([[name, after(user, changes)]]),
      success: 200,
    });
    return;
  }
  await addOwned(round, Number(user['id']));
  const owned = ledger
    .having('userId', user['id'])
    .map(([each, thing]) => [each, { ...thing, userId: null }] as const);
  const wanted = new Map([[name, undefined], ...owned]);
  await change(round, { method: 'DELETE', path, token: admin.token, name, wanted, success: 204 });
}

async function addUser(round: Round): Promise<void> {
  const email = `${newTag(round, 0)}@example.com`;
  const sent = { name: 'Ada Lovelace', email };
  const name = `user ${email}`;
  await changeShown(round, {
    method: 'POST',
    path: '/api/users',
    token: round.memory.admin.token,
    body: { ...sent, password },
    headers: maybeKey(round, email),
    name,
    wanted: new Map([[name, { ...sent, role: 'user' }]]),
    success: 201,
  });
  round.memory.users.push(name);
}

async function addOwned(round: Round, userId: number): Promise<void> {
  const { token } = round.memory.staff;
  const tag = newTag(round, 0);
  const [customerName, orderName] = [`customer ${tag}`, `order ${tag}`];
  const customer = {
    name: tag,
    email: null,
    phone: null,
    address: null,
    note: null,
    reference: null,
    metadata: {},
    userId,
  };
  const madeCustomer = await changeShown(round, {
    method: 'POST',
    path: '/customers',
    token,
    body: customer,
    name: customerName,
    wanted: new Map([[customerName, customer]]),
    success: 201,
  });
  const { sent, wanted } = newOrder(round, tag, madeCustomer, userId);
  await changeShown(round, {
    method: 'POST',
    path: '/orders',
    token,
    body: sent,
    name: orderName,
    wanted: new Map([[orderName, wanted]]),
    success: 201,
  });
}

/** Signs in, renews tokens, or signs out. */
export async function changeSessions(round: Round): Promise<void> {
  const {
    picker,
    memory: { ledger, sessions, admin },
  } = round;
  const [name, refreshToken] =
    [...sessions]
      .map(([each, session]) => [each, session.refreshToken] as const)
      .find(([each, token]) => token !== undefined && ledger.known(each) !== undefined) ?? [];
  const share = picker.float();
  if (name === undefined || refreshToken === undefined || share < 0.15) return signInAgain(round);
  const known = ledger.known(name) ?? {};
  if (share < 0.85) return renew(round, name, refreshToken, known);
  await change(round, {
    method: 'DELETE',
    path: `/api/sessions/${known['id']}`,
    token: admin.token,
    name,
    wanted: new Map([[name, undefined]]),
    success: 204,
  });
}

async function signInAgain(round: Round): Promise<void> {
  const { ledger, sessions, staff } = round.memory;
  const userAgent = newTag(round, 0);
  const name = `session ${userAgent}`;
  const { thing } = await change(round, {
    method: 'POST',
    path: '/api/sessions',
    body: { email: staffEmail, password },
    headers: { 'user-agent': userAgent },
    name,
    wanted: new Map([[name, { userId: staff.id, userAgent }]]),
    success: 201,
  });
  ledger.answered(name, sessionOf(thing, userAgent));
  sessions.set(name, {
    accessToken: String(thing['accessToken']),
    refreshToken: String(thing['refreshToken']),
  });
}

export const staffEmail = 'staff@example.com';

export async function renew(
  round: Round,
  name: string,
  refreshToken: string,
  { id, userId, createdAt, userAgent }: Thing,
): Promise<void> {
  const { ledger, sessions } = round.memory;
  sessions.set(name, { accessToken: sessions.get(name)?.accessToken ?? '', refreshToken: undefined });
  const { thing } = await change(round, {
    method: 'POST',
    path: `/api/sessions/${id}/tokens`,
    body: { refreshToken },
    name,
    wanted: new Map([[name, { id, userId, createdAt, userAgent }]]),
    success: 201,
  });
  ledger.answered(name, sessionOf(thing, String(userAgent)));
  sessions.set(name, {
    accessToken: String(thing['accessToken']),
    refreshToken: String(thing['refreshToken']),
  });
}

function sessionOf({ id, userId, createdAt, expiresAt }: Thing, userAgent: string): Thing {
  return { id, userId, createdAt, expiresAt, userAgent };
}
