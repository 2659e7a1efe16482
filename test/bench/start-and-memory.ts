// Start to first response, and resident memory idle and after load, of the service and its peers.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { copyData, type Made } from './bench-data.ts';
import { median, ms } from './bench-table.ts';
import { memoryOf, type Memory } from './children.ts';
import { writeFixedAnswers } from './fixed-answers.ts';
import { certificateIn, type Bench } from './rounds.ts';
import { peerToken, logIn, startBare, startFastify, startService, type Server } from './servers.ts';
import { hotReads, mixture, read, targetAt } from './workloads.ts';
import { applyLoad, writeRequests } from './wrk.ts';

type Footprint = { readonly name: string; readonly idle: Memory; readonly after: Memory };
type Starter = {
  readonly name: string;
  readonly start: () => Promise<Server>;
  readonly authorize: (server: Server) => Promise<string>;
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
      await bench.children.end(server.child);
    }
    rows.push([name, '', ms(median(times)), ms(Math.min(...times)), ms(Math.max(...times))]);
  }
  return rows;
}

export const memoryHeader = ['memory, MB', '', 'idle', 'of it anonymous', 'after load', 'of it anonymous'];

/** Idle after the first response; then after hot, cold and mixed load with the default settings. */
export async function measureMemory(bench: Bench, made: Made): Promise<string[][]> {
  const measured: Footprint[] = [];
  const copy = copyData(made);
  try {
    for (const starter of await startersOf(bench, copy)) {
      bench.say(`${starter.name}: memory`);
      // fills the compile cache: stripping types takes 15 MB
      await bench.children.end((await starter.start()).child);
      const server = await starter.start();
      await pause(settleMs);
      const idle = memoryOf(server.pid);
      await loadFully(bench, server, copy, await starter.authorize(server));
      await pause(settleMs);
      const after = memoryOf(server.pid);
      await bench.children.end(server.child);
      measured.push({ name: starter.name, idle, after });
    }
  } finally {
    copy.discard();
  }
  return measured.map(({ name, idle, after }) => [
    name,
    '',
    idle.rssMb.toFixed(0),
    idle.anonymousMb.toFixed(0),
    after.rssMb.toFixed(0),
    after.anonymousMb.toFixed(0),
  ]);
}

async function startersOf({ children, options, fastify, scratch }: Bench, made: Made): Promise<Starter[]> {
  const env = options.isTls ? certificateIn(made.folder) : {};
  const setting = { children, cores: 'server', env } as const;
  const flags = options.isTls ? ['--tls', 'self-signed'] : [];
  const service = () => startService(setting, made.folder, flags);
  const logInTo = (server: Server) => logIn(server.origin, made.admin);
  const ANSWERS = join(scratch, 'start.answers.json');
  await writeAnswersOf(service, logInTo, made, ANSWERS, children.end);
  return [
    { name: 'orderly', start: service, authorize: logInTo },
    {
      name: 'Fastify',
      start: () =>
        startFastify(setting, fastify, made.fastifyDatabase, options.leanFastify ? { LEAN: 'on' } : {}),
      authorize: async () => peerToken(),
    },
    {
      name: 'bare node:http and an open database',
      authorize: async () => 'none',
      start: () =>
        startBare(setting, {
          ANSWERS,
          DATABASE: made.fastifyDatabase,
          NODE_COMPILE_CACHE: join(scratch, 'compiled'),
        }),
    },
  ];
}

async function writeAnswersOf(
  start: Starter['start'],
  authorize: Starter['authorize'],
  made: Made,
  file: string,
  end: Bench['children']['end'],
): Promise<void> {
  const server = await start();
  const target = targetAt(server.origin, made.orderCount, await authorize(server));
  await writeFixedAnswers(file, target, hotReads(target), 200);
  await end(server.child);
}

async function loadFully(
  { children, options, scratch }: Bench,
  server: Server,
  made: Made,
  authorization: string,
): Promise<void> {
  const target = targetAt(server.origin, made.orderCount, authorization);
  const requestsFile = join(scratch, 'memory.requests');
  const load = {
    origin: server.origin,
    pid: server.pid,
    requestsFile,
    seconds: options.seconds,
    spreadOver: 0,
    isRefused: false,
  };
  for (const requests of [hotReads(target), mixture(target)]) {
    writeRequests(requestsFile, requests);
    await applyLoad(children, load);
  }
  writeRequests(requestsFile, [read(target, 1)]);
  await applyLoad(children, { ...load, spreadOver: made.orderCount });
}
