// Security 3, 11 and 12: clients that make the service hash passwords while others sign in.
import { administrator, startAbused, type AbusedService } from './abused-service.ts';
import { ask, from, type Reply, type Sent } from './attack-client.ts';
import { countsOf, sleep, type Row, type Target } from './attack.ts';
import type { Person } from './prepared-data.ts';

const attackMilliseconds = 7_000;
const attackerConnections = 38;
const inTimeMilliseconds = 2_000;
const behindProxy = { settings: { 'trusted-proxy': '127.0.0.1' } };
const attackerAddress = '198.51.100.7';

/** One request of an attacker's connection; sent again as soon as it is answered. */
type Strike = (service: AbusedService, connection: number, round: number) => Promise<Reply>;

export async function hashingQueue(target: Target): Promise<Row[]> {
  return [
    await whileOthersSignIn(target, '3 password changes', await passwordChange(target)),
    await whileOthersSignIn(target, '3 sign-ups of one address', {
      done: `${attackerConnections} connections of one address sign up`,
      strike: ({ port }, connection, round) =>
        ask(port, 'POST', '/api/users', {
          headers: from(attackerAddress),
          body: {
            name: 'N',
            email: `new${connection}-${round}@example.com`,
            password: 'seven kettles on 9 shelves',
          },
        }),
    }),
    await whileOthersSignIn(target, '3 one /48', {
      done: '100 addresses of one /48 sign in with wrong passwords',
      strike: ({ port }, connection, round) => {
        const address = `2001:db8:1:${(connection + attackerConnections * round) % 100}::1`;
        const body = { email: `nobody${connection}@example.com`, password: 'a wrong password' };
        return ask(port, 'POST', '/api/sessions', { headers: from(address), body });
      },
    }),
    await lockOut(target),
    await commonPasswords(target),
  ];
}

/** Changes its own password, with the current one if the service accepts that. */
async function passwordChange({ people }: Target): Promise<{ done: string; strike: Strike }> {
  const { id, token, password } = people.owner;
  const sent: Sent = { token, headers: from(attackerAddress) };
  const change = (port: number, body: object): Promise<Reply> =>
    ask(port, 'PATCH', `/api/users/${id}`, { ...sent, body });
  const strike: Strike = async ({ port }) => {
    const reply = await change(port, { password, currentPassword: password });
    return reply.status === 400 ? await change(port, { password }) : reply;
  };
  return { done: `one user's ${attackerConnections} connections change the password`, strike };
}

async function whileOthersSignIn(
  target: Target,
  attack: string,
  { done, strike }: { readonly done: string; readonly strike: Strike },
): Promise<Row> {
  const service = await startAbused(target, behindProxy);
  const statuses: number[] = [];
  const end = performance.now() + attackMilliseconds;
  const strikeUntilEnd = async (connection: number): Promise<void> => {
    for (let round = 0; performance.now() < end; round += 1) {
      const { status } = await strike(service, connection, round);
      statuses.push(status);
      if (status === 429 || status === 503) await sleep(100);
    }
  };
  const strikes = Array.from({ length: attackerConnections }, (_, index) => strikeUntilEnd(index));
  const signIns: Promise<Reply>[] = [];
  for (const [index, person] of target.people.others.entries()) {
    await sleep(800);
    signIns.push(signIn(service, person, from(`203.0.113.${index + 1}`)));
  }
  const replies = await Promise.all(signIns);
  await Promise.all(strikes);
  await service.stop();
  const slowest = Math.round(Math.max(...replies.map(({ milliseconds }) => milliseconds)));
  const inTime = replies.filter(
    ({ status, milliseconds }) => status === 201 && milliseconds <= inTimeMilliseconds,
  );
  return {
    attack,
    done: `${done}, 7 s: ${countsOf(statuses)}`,
    achieved:
      `sign-ins of others: ${inTime.length} of ${replies.length} within 2 s, slowest ${slowest} ms ` +
      `(${countsOf(replies.map(({ status }) => status))})`,
  };
}

function signIn(
  { port }: AbusedService,
  { email, password }: Pick<Person, 'email' | 'password'>,
  headers: Record<string, string>,
): Promise<Reply> {
  return ask(port, 'POST', '/api/sessions', { body: { email, password }, headers });
}

async function lockOut(target: Target): Promise<Row> {
  const service = await startAbused(target, behindProxy);
  const wrong: number[] = [];
  while (wrong.length < 5) {
    const account = { email: administrator.email, password: 'a wrong password' };
    wrong.push((await signIn(service, account, from(attackerAddress))).status);
  }
  const right = await signIn(service, administrator, from('203.0.113.1'));
  await service.stop();
  return {
    attack: '12 lock-out of the administrator',
    done: `five wrong sign-ins from one address: ${countsOf(wrong)}`,
    achieved: `the right password from another address: ${right.status}`,
  };
}

async function commonPasswords(target: Target): Promise<Row> {
  const service = await startAbused(target);
  const passwords = ['maverick', 'cocacola', 'basketball', 'liverpool', 'alexander', 'orderly1'];
  const taken: string[] = [];
  for (const password of passwords) {
    const body = { name: 'N', email: `${password}-user@example.com`, password };
    if ((await ask(service.port, 'POST', '/api/users', { body })).status === 201) taken.push(password);
  }
  await service.stop();
  return {
    attack: '11 common passwords',
    done: `sign-ups with ${passwords.join(', ')}`,
    achieved: `taken: ${taken.length === 0 ? 'none' : taken.join(', ')}`,
  };
}
