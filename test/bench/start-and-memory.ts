// Start to first response, and resident memory idle and after load, of the service and its peers.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { copyData, type Made } from './bench-data.ts';
import { median, ms } from './bench-table.ts';
import { endServer, memoryOf } from './children.ts';
import { writeFixedAnswers } from './fixed-answers.ts';
import { certificateIn, leanness, type Bench } from './rounds.ts';
import { peerToken, logIn, startBare, startFastify, startService, type Server } from './servers.ts';
import { hotReads, mixture, read, targetAt } from './workloads.ts';
import { applyLoad, writeRequests } from './wrk.ts';

type Starter = {
  readonly name: string;
  readonly start: () => Promise<Server>;
  readonly authorize: (server: Server) => string | Promise<string>;
};

const starts = 10;
const settleMs = 2000;

export const startHeader = ['start to first response', '', 'median ms', 'fastest', 'slowest'];

/** Milliseconds from spawn to the first response, with existing data. */
export async function measureStarts(bench: Bench, made: Made): Promise<string[][]> {
  const rows: string[][] = [];
  for (const { name, start } of await startersOf(bench, made)) {
    bench.say(`${name}: ${starts} starts`);
    const times: number[] = [];
    for (let count = 0; count <= starts; count++) {
      const began = performance.now();
      const server = await start();
      // The first fills the disk's and the compiler's caches.
      if (count > 0) times.push(performance.now() - began);
      await endServer(server.running);
    }
    rows.push([name, '', ms(median(times)), ms(Math.min(...times)), ms(Math.max(...times))]);
  }
  return rows;
}

export const memoryHeader = ['memory, MB', '', 'idle', 'of it anonymous', 'after load', 'of it anonymous'];

/** Idle after the first response; then after hot, cold and mixed load with the default settings. */
export async function measureMemory(bench: Bench, made: Made): Promise<string[][]> {
  const rows: string[][] = [];
  const copy = copyData(made);
  try {
    for (const { name, start, authorize } of await startersOf(bench, copy)) {
      bench.say(`${name}: memory`);
      // fills the compile cache: stripping types takes 15 MB
      await endServer((await start()).running);
      const server = await start();
      await pause(settleMs);
      const idle = memoryOf(server.pid);
      await loadFully(bench, server, copy, await authorize(server));
      await pause(settleMs);
      const after = memoryOf(server.pid);
      await endServer(server.running);
      const figures = [idle.rssMb, idle.anonymousMb, after.rssMb, after.anonymousMb];
      rows.push([name, '', ...figures.map((figure) => figure.toFixed(0))]);
    }
  } finally {
    copy.discard();
  }
  return rows;
}

async function startersOf({ options, fastify, scratch }: Bench, made: Made): Promise<Starter[]> {
  const setting = { cores: 'server', env: options.isTls ? certificateIn(made.folder) : {} } as const;
  const flags = options.isTls ? ['--tls', 'self-signed'] : [];
  const startOwn = () => startService(setting, made.folder, flags);
  const logInto = (server: Server) => logIn(server, made.admin);
  const ANSWERS = join(scratch, 'start.answers.json');
  const service = await startOwn();
  const target = targetAt(service, made.orderCount, await logInto(service));
  await writeFixedAnswers(ANSWERS, target, hotReads(target), 200);
  await endServer(service.running);
  const bare = { ANSWERS, DATABASE: made.fastifyDatabase, NODE_COMPILE_CACHE: join(scratch, 'compiled') };
  return [
    { name: 'orderly', start: startOwn, authorize: logInto },
    {
      name: 'Fastify',
      start: () => startFastify(setting, fastify, made.fastifyDatabase, leanness(options)),
      authorize: peerToken,
    },
    {
      name: 'bare node:http and an open database',
      start: () => startBare(setting, bare),
      authorize: () => 'none',
    },
  ];
}

async function loadFully(
  { options, scratch }: Bench,
  server: Server,
  made: Made,
  authorization: string,
): Promise<void> {
  const target = targetAt(server, made.orderCount, authorization);
  const requestsFile = join(scratch, 'memory.requests');
  const { origin, pid } = server;
  const load = { origin, pid, requestsFile, seconds: options.seconds, spreadOver: 0, isRefused: false };
  for (const requests of [hotReads(target), mixture(target)]) {
    writeRequests(requestsFile, requests);
    await applyLoad(load);
  }
  writeRequests(requestsFile, [read(target, 1)]);
  await applyLoad({ ...load, spreadOver: made.orderCount });
}
