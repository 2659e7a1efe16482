// Security 6, 7 and 22: what a former owner or former secrets still permit.
import { preparedFolder, startAbused } from './abused-service.ts';
import { ask, type Sent } from './attack-client.ts';
import type { Row, Target } from './attack.ts';
import { smallOrder } from './prepared-data.ts';

export async function ownersAndSecrets(target: Target): Promise<Row[]> {
  return [await handover(target), await replayAfterHandover(target), await rotation(target)];
}

async function handover(target: Target): Promise<Row> {
  const { admin, owner, others } = target.people;
  const heir = others[0] ?? admin;
  const service = await startAbused(target);
  const { port } = service;
  await ask(port, 'POST', '/orders', { token: owner.token, body: smallOrder(owner.customerId) });
  const path = `/customers/${owner.customerId}`;
  await ask(port, 'PATCH', path, { token: admin.token, body: { userId: heir.id } });
  const { status, body } = await ask(port, 'GET', `${path}/orders?limit=1`, { token: heir.token });
  await service.stop();
  const hasNote = body.data?.[0]?.note !== undefined;
  return {
    attack: '6 orders after a handover',
    done: 'a customer is given to another user, who lists its orders',
    achieved: `status ${status}, ${hasNote ? 'an order of the old owner with its note' : 'no order'}`,
  };
}

async function replayAfterHandover(target: Target): Promise<Row> {
  const { admin, owner, others } = target.people;
  const service = await startAbused(target);
  const { port } = service;
  const sent: Sent = {
    token: owner.token,
    body: { name: 'A customer that is given away' },
    headers: { 'Idempotency-Key': 'handed-over' },
  };
  const made = await ask(port, 'POST', '/customers', sent);
  const path = `/customers/${made.body.id}`;
  await ask(port, 'PATCH', path, { token: admin.token, body: { userId: others[0]?.id } });
  const read = await ask(port, 'GET', path, { token: owner.token });
  const replay = await ask(port, 'POST', '/customers', sent);
  await service.stop();
  return {
    attack: '22 replay after a handover',
    done: 'the old owner reads the customer, then repeats its POST with the same Idempotency-Key',
    achieved: `read ${read.status}, replay ${replay.status}`,
  };
}

async function rotation(target: Target): Promise<Row> {
  const { owner } = target.people;
  const account = { email: owner.email, password: owner.password };
  const [first, second] = ['first-secret-'.repeat(4), 'second-secret-'.repeat(4)];
  const folder = preparedFolder(target);
  const before = await startAbused(target, { folder, settings: { 'jwt-secrets': first } });
  const token = (await ask(before.port, 'POST', '/api/sessions', { body: account })).body.accessToken;
  const sent: Sent = {
    token,
    body: smallOrder(owner.customerId),
    headers: { 'Idempotency-Key': 'rotated' },
  };
  const made = await ask(before.port, 'POST', '/orders', sent);
  const page = await ask(before.port, 'GET', '/orders?limit=2', { token });
  await before.stop();
  const after = await startAbused(target, { folder, settings: { 'jwt-secrets': `${second},${first}` } });
  const replay = await ask(after.port, 'POST', '/orders', sent);
  const next = await ask(after.port, 'GET', page.body.next ?? '/', { token });
  await after.stop();
  const isReplay = replay.body.id !== undefined && replay.body.id === made.body.id;
  return {
    attack: '7 rotation of secrets',
    done: 'a POST with an Idempotency-Key is repeated, and a list goes on, under a new first secret',
    achieved: `POST ${replay.status}${isReplay ? ', the same order' : ''}; next page ${next.status}`,
  };
}
