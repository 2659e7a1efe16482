// Security 8 and outside 11: more connections than the process may have open files.
import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { spawnSync } from 'node:child_process';
import { startAbused, type AbusedService } from './abused-service.ts';
import { ask, openSocket } from './attack-client.ts';
import { countsOf, notTried, sleep, type Row, type Target } from './attack.ts';
import { fatOrder } from './prepared-data.ts';

const descriptorsMax = 200;
const idleClients = 400;
/** About 40 MB, so that the WAL is due to be checkpointed. */
const ordersPlaced = 700;

export async function scarceDescriptors(target: Target): Promise<Row[]> {
  const attack = '8 running out of descriptors';
  if (spawnSync('prlimit', ['--version']).error !== undefined)
    return [notTried(attack, 'there is no prlimit')];
  const service = await startAbused(target, { inside: ['prlimit', `--nofile=${descriptorsMax}`] });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  await ask(service.port, 'GET', '/health/live', { agent });
  const clients = await openIdle(service.port);
  const statuses = await placeOrders(target, service, agent);
  await sleep(500);
  const kept = clients.filter((client) => client?.readyState === 'open').length;
  const newest = await ask(service.port, 'GET', '/health/live');
  const seated = await ask(service.port, 'GET', '/health/live', { agent });
  agent.destroy();
  for (const client of clients) client?.destroy();
  const ending = service.isOver() ? await service.ended : undefined;
  if (ending === undefined) await service.stop();
  return [
    {
      attack,
      done:
        `${descriptorsMax} descriptors, ${idleClients} idle clients, ` +
        `${ordersPlaced} orders placed: ${countsOf(statuses)}`,
      achieved:
        ending === undefined
          ? `connections kept: ${kept}; health on an old one: ${seated.status}, a new one: ${newest.status}`
          : `the service ended with ${ending.signal ?? ending.code}`,
    },
  ];
}

async function openIdle(port: number): Promise<(Socket | undefined)[]> {
  const clients: (Socket | undefined)[] = [];
  while (clients.length < idleClients) clients.push(await openSocket(port));
  await sleep(500);
  for (const client of clients) client?.resume();
  await sleep(200);
  return clients;
}

async function placeOrders(target: Target, { port }: AbusedService, agent: Agent): Promise<number[]> {
  const { token, customerId } = target.people.admin;
  const statuses: number[] = [];
  while (statuses.length < ordersPlaced) {
    const { status } = await ask(port, 'POST', '/orders', { token, body: fatOrder(customerId), agent });
    statuses.push(status);
    if (status === 0) break;
  }
  return statuses;
}
