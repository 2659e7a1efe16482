// Security 1 and outside 1: clients that request much and read little, or nothing.
import { spawn } from 'node:child_process';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { startAbused, type AbusedService } from './abused-service.ts';
import { ask, from, getText, openSocket } from './attack-client.ts';
import { countsOf, sleep, type Row, type Target } from './attack.ts';
import { probedDuring } from './prober.ts';

const pipelinedRequests = 60;
const slowReadersProgram = join(import.meta.dirname, 'slow-readers.ts');
const slowReaders = 500;
const requestsOfSlowReader = 12;

export async function unreadAnswers(target: Target): Promise<Row[]> {
  return [await pipelined(target), await readBriskly(target), await slowlyRead(target)];
}

async function pipelined(target: Target): Promise<Row> {
  const service = await startAbused(target);
  const { owner } = target.people;
  const [, others] = await probedDuring(service.port, async () => {
    const socket = await openSocket(service.port);
    socket?.write(getText(fattestList(owner.id), { token: owner.token }).repeat(pipelinedRequests));
    await sleep(12_000);
    socket?.destroy();
  });
  return {
    attack: '1 pipelined lists, not read',
    done: `${pipelinedRequests} GETs of 200 orders of 57 KB on one connection that reads nothing, 12 s`,
    achieved: `${others}; ${await memoryAtEnd(service)}`,
  };
}

async function readBriskly(target: Target): Promise<Row> {
  const service = await startAbused(target);
  const { owner } = target.people;
  const statuses: number[] = [];
  const readUntil = async (end: number): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (performance.now() < end) {
      const reply = await ask(service.port, 'GET', fattestList(owner.id), { token: owner.token, agent });
      statuses.push(reply.status);
      if (reply.status !== 200) await sleep(200);
    }
    agent.destroy();
  };
  const [, others] = await probedDuring(service.port, async () => {
    const end = performance.now() + 5_000;
    await Promise.all([1, 2, 3, 4].map(() => readUntil(end)));
  });
  return {
    attack: '1 four ordinary connections',
    done: `the same lists, read as fast as they come, 5 s: ${countsOf(statuses)}`,
    achieved: `${others}; ${await memoryAtEnd(service)}`,
  };
}

async function slowlyRead(target: Target): Promise<Row> {
  const service = await startAbused(target, { settings: { 'trusted-proxy': '127.0.0.1' } });
  const attack = async (): Promise<void> => {
    const args = [slowReadersProgram, service.port, slowReaders, requestsOfSlowReader].map(String);
    const attacker = spawn('nice', ['-n', '10', process.execPath, ...args], { stdio: 'inherit' });
    await sleep(8_000);
    attacker.kill();
  };
  const [[, kept], anew] = await probedDuring(
    service.port,
    () => probedDuring(service.port, attack, { headers: from('10.2.0.1') }),
    { headers: from('10.3.0.1'), isAnew: true },
  );
  return {
    attack: 'outside 1 slow readers',
    done: `${slowReaders} addresses, ${requestsOfSlowReader} GETs of /openapi.json each, none read`,
    achieved: `on one connection, ${kept}; each on a new one, ${anew}; ${await memoryAtEnd(service)}`,
  };
}

function fattestList(userId: number): string {
  return `/api/users/${userId}/orders?limit=200`;
}

async function memoryAtEnd(service: AbusedService): Promise<string> {
  const megabytes = service.rssMegabytesMax();
  if (service.isOver()) {
    const { code, signal } = await service.ended;
    return `the service ended with ${signal ?? code}`;
  }
  await service.stop();
  return `RSS ${megabytes} MB at most`;
}
