// Orders whose items take long to search, and more searches than may wait.
import { preparedFolder, startAbused, type AbusedService } from './abused-service.ts';
import { ask } from './attack-client.ts';
import { countsOf, type Row, type Target } from './attack.ts';

const costlyOrders = 200;
const searchesEach = 30;
/** One character that normalizes to eighteen. */
const ligature = '\u{fdfa}';

export async function longSearches(target: Target): Promise<Row[]> {
  const service = await startAbused(target, {
    folder: preparedFolder(target),
    settings: { 'rate-default': 'off' },
  });
  try {
    return [await costlySearch(target, service), await crowdedSearches(target, service)];
  } finally {
    await service.stop();
  }
}

async function costlySearch({ people: { admin, owner } }: Target, { port }: AbusedService): Promise<Row> {
  const item = { name: ligature.repeat(200), quantity: 1, unitPrice: 1 };
  const body = { customerId: owner.customerId, currency: 'EUR', items: Array(100).fill(item) };
  for (let count = 0; count < costlyOrders; count += 1)
    await ask(port, 'POST', '/orders', { token: owner.token, body });
  const { status, milliseconds } = await ask(port, 'GET', '/orders?q=tea', { token: admin.token });
  return {
    attack: 'costly search',
    done: `staff search ${costlyOrders} orders of ligatures: ${status}`,
    achieved: `${Math.round(milliseconds)} ms`,
  };
}

async function crowdedSearches({ people: { admin, others } }: Target, { port }: AbusedService): Promise<Row> {
  const crowd = others.flatMap(({ token }) =>
    Array.from({ length: searchesEach }, () => ask(port, 'GET', '/orders?q=tea', { token })),
  );
  const { status, milliseconds } = await ask(port, 'GET', '/orders?q=tea', { token: admin.token });
  const statuses = (await Promise.all(crowd)).map((reply) => reply.status);
  return {
    attack: 'crowded searches',
    done: `${others.length} users send ${searchesEach} searches each: ${countsOf(statuses)}`,
    achieved: `a search of staff: ${status} after ${Math.round(milliseconds)} ms`,
  };
}
