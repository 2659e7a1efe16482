// Security 10: a request, or the passing of a day, after which the service writes very much.
import { preparedFolder, startAbused, type AbusedService } from './abused-service.ts';
import { ask, type Reply } from './attack-client.ts';
import { notTried, sleep, type Row, type Target } from './attack.ts';
import { copyRows, smallOrder, withDatabase } from './prepared-data.ts';
import { probedDuring } from './prober.ts';

const dayMilliseconds = 86_400_000;
/** Old rows are removed once a minute. */
const tidyMilliseconds = 65_000;
/** The rest of the work continues after the response. */
const aftermathMilliseconds = 4_000;
const fewerOrders = 100_000;
const manyRows = 1_000_000;

export async function longWork(target: Target): Promise<Row[]> {
  return [await deletion(target), await expiredAnswers(target)];
}

async function deletion(target: Target): Promise<Row> {
  const { admin, others } = target.people;
  const person = others[0] ?? admin;
  const count = target.isLarge ? manyRows : fewerOrders;
  const folder = preparedFolder(target);
  const made = await changedBy(target, folder, ({ port }) =>
    ask(port, 'POST', '/orders', { token: person.token, body: smallOrder(person.customerId) }),
  );
  copyRows(folder, { table: 'orders', templateId: made.body.id ?? 0, count });
  const service = await startAbused(target, { folder });
  const [deleted, pause] = await probedDuring(service.port, async () => {
    const reply = await ask(service.port, 'DELETE', `/api/users/${person.id}`, { token: admin.token });
    await sleep(aftermathMilliseconds);
    return reply;
  });
  const megabytes = service.rssMegabytesMax();
  await service.stop();
  return {
    attack: '10 deletion of a user with many orders',
    done: `a user with ${count} orders: ${deleted.status} after ${Math.round(deleted.milliseconds)} ms`,
    achieved: `${pause}; RSS ${megabytes} MB at most`,
  };
}

async function expiredAnswers(target: Target): Promise<Row> {
  const attack = '10 a million expired kept answers';
  if (!target.isLarge) return notTried(attack, 'only with --large');
  const { owner } = target.people;
  const folder = preparedFolder(target);
  await changedBy(target, folder, ({ port }) =>
    ask(port, 'POST', '/customers', {
      token: owner.token,
      body: { name: 'Once' },
      headers: { 'Idempotency-Key': 'once' },
    }),
  );
  withDatabase(folder, (db) =>
    db.exec(`UPDATE storedResponses SET createdAt = createdAt - ${2 * dayMilliseconds}`),
  );
  copyRows(folder, {
    table: 'storedResponses',
    templateId: 1,
    idColumn: 'rowid',
    count: manyRows,
    changed: { request: 'randomblob(32)' },
  });
  const service = await startAbused(target, { folder });
  const [, pause] = await probedDuring(service.port, () => sleep(tidyMilliseconds));
  await service.stop();
  return { attack, done: 'the service is watched while it removes them, 65 s', achieved: pause };
}

async function changedBy(
  target: Target,
  folder: string,
  change: (service: AbusedService) => Promise<Reply>,
): Promise<Reply> {
  const service = await startAbused(target, { folder });
  const reply = await change(service);
  await service.stop();
  return reply;
}
