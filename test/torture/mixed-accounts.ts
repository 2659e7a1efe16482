// The changes of keys, users and sessions by clients of the torture test.
import type { Thing } from '../support/load-client.ts';
import {
  password,
  change,
  changeShown,
  after,
  newTag,
  maybeKey,
  newCustomer,
  newOrder,
  type Content,
  type Round,
} from './mixed-changes.ts';

/** A user has at most 50 keys; of ten rounds 40 are never deleted, since a kill cut off their response. */
const keysKeptMax = 5;

export async function changeKey(round: Round, client: number): Promise<void> {
  const { ledger, keys } = round.memory;
  const tag = newTag(round, client);
  const name = `key ${tag}`;
  const sent = { name: tag, scopes: ['orders:read'] };
  const { thing } = await change(round, {
    method: 'POST',
    path: '/api/keys',
    body: sent,
    name,
    wanted: sent,
  });
  const { key, ...made } = thing;
  ledger.answered(name, made);
  keys.set(name, String(key));
  if (round.picker.float() < 0.5 && keys.size <= keysKeptMax) return;
  await change(round, { method: 'DELETE', path: `/api/keys/${made['id']}`, name, wanted: undefined });
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
  const { token } = admin;
  const [name] = users.filter((each) => ledger.known(each) !== undefined);
  const user = name === undefined ? undefined : ledger.known(name);
  const share = picker.float();
  if (name === undefined || user === undefined || share < 0.3) return addUser(round);
  const path = `/api/users/${user['id']}`;
  if (share < 0.8) {
    const body = { name: `${picker.digits('Number ####')}`, role: picker.pick(['user', 'staff']) };
    await changeShown(round, { method: 'PATCH', path, token, body, name, wanted: after(user, body) });
    return;
  }
  await addOwned(round, Number(user['id']));
  const others = ledger
    .having('userId', user['id'])
    .map(([each, thing]) => [each, { ...thing, userId: null }] as const);
  await change(round, { method: 'DELETE', path, token, name, wanted: undefined, others });
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
    wanted: { ...sent, role: 'user' },
  });
  round.memory.users.push(name);
}

async function addOwned(round: Round, userId: number): Promise<void> {
  const tag = newTag(round, 0);
  const add = (path: string, name: string, { sent, wanted }: Content): Promise<Thing> =>
    changeShown(round, { method: 'POST', path, body: sent, name, wanted });
  const customer = await add('/customers', `customer ${tag}`, newCustomer(round, tag, userId));
  await add('/orders', `order ${tag}`, newOrder(round, tag, customer, userId));
}

/** Signs in, renews tokens, or signs out. */
export async function changeSessions(round: Round): Promise<void> {
  const {
    picker,
    memory: { ledger, sessions, admin },
  } = round;
  const { token } = admin;
  const [name, refreshToken] =
    [...sessions]
      .map(([each, session]) => [each, session.refreshToken] as const)
      .find(([each, current]) => current !== undefined && ledger.known(each) !== undefined) ?? [];
  const share = picker.float();
  if (name === undefined || refreshToken === undefined || share < 0.15) return signInAgain(round);
  const known = ledger.known(name) ?? {};
  if (share < 0.85) return renew(round, name, refreshToken, known);
  const path = `/api/sessions/${known['id']}`;
  await change(round, { method: 'DELETE', path, token, name, wanted: undefined });
}

async function signInAgain(round: Round): Promise<void> {
  const userAgent = newTag(round, 0);
  const name = `session ${userAgent}`;
  const body = { email: staffEmail, password };
  const wanted = { userId: round.memory.staff.id, userAgent };
  const asked = { method: 'POST', path: '/api/sessions', token: undefined, body } as const;
  const { thing } = await change(round, { ...asked, headers: { 'user-agent': userAgent }, name, wanted });
  rememberSession(round, name, thing, userAgent);
}

export const staffEmail = 'staff@example.com';

export async function renew(
  round: Round,
  name: string,
  refreshToken: string,
  { id, userId, createdAt, userAgent }: Thing,
): Promise<void> {
  const { sessions } = round.memory;
  sessions.set(name, { accessToken: sessions.get(name)?.accessToken ?? '', refreshToken: undefined });
  const asked = { method: 'POST', path: `/api/sessions/${id}/tokens`, token: undefined } as const;
  const wanted = { id, userId, createdAt, userAgent };
  const { thing } = await change(round, { ...asked, body: { refreshToken }, name, wanted });
  rememberSession(round, name, thing, String(userAgent));
}

function rememberSession({ memory }: Round, name: string, thing: Thing, userAgent: string): void {
  const { id, userId, createdAt, expiresAt, accessToken, refreshToken } = thing;
  memory.ledger.answered(name, { id, userId, createdAt, expiresAt, userAgent });
  memory.sessions.set(name, { accessToken: String(accessToken), refreshToken: String(refreshToken) });
}
