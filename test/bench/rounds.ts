// Measures one workload: its servers in alternating rounds, with the same load on each in turn. Each round
// starts new processes, since the speed of a process depends on its memory and on what was compiled when.
import { join } from 'node:path';
import { ask } from './ask.ts';
import { copyData, type Made } from './bench-data.ts';
import type { BenchOptions } from './bench-options.ts';
import type { Children } from './children.ts';
import { writeFixedAnswers } from './fixed-answers.ts';
import { logIn, peerToken, startBare, startFastify, startService, type Server } from './servers.ts';
import { targetAt, type Workload } from './workloads.ts';
import { applyLoad, writeRequests, type Load, type Sample } from './wrk.ts';

export type Bench = {
  readonly options: BenchOptions;
  readonly children: Children;
  /** A folder for this run alone. */
  readonly scratch: string;
  /** The folder where Fastify is installed. */
  readonly fastify: string;
  readonly say: (text: string) => void;
};
export type Measured = { readonly server: string; readonly samples: readonly Sample[] };
type Loaded = { readonly server: Server; readonly load: Load };

const warmUpSeconds = 1;
const othersMax = 0.1;
const againMax = 2;

/** The service, then its peers; each has one sample for each round. */
export async function measureWorkload(bench: Bench, workload: Workload, made: Made): Promise<Measured[]> {
  const measured = new Map<string, Sample[]>();
  for (let round = 1; round <= bench.options.rounds; round++) {
    bench.say(`${workload.title}: round ${round} of ${bench.options.rounds}`);
    for (const [server, sample] of await measureRound(bench, workload, made, round)) {
      const samples = measured.get(server) ?? [];
      measured.set(server, [...samples, sample]);
    }
  }
  return [...measured].map(([server, samples]) => ({ server, samples }));
}

async function measureRound(
  bench: Bench,
  workload: Workload,
  made: Made,
  round: number,
): Promise<[server: string, sample: Sample][]> {
  const copy = workload.writes ? copyData(made) : undefined;
  const loaded: Loaded[] = [];
  try {
    await startServers(bench, workload, copy ?? made, loaded);
    return await measureInTurn(bench, loaded, round);
  } finally {
    for (const { server } of loaded) await bench.children.end(server.child);
    copy?.discard();
  }
}

async function startServers(bench: Bench, workload: Workload, made: Made, loaded: Loaded[]): Promise<void> {
  const { children, scratch, options, fastify } = bench;
  const setting = { children, cores: 'server', env: {} } as const;
  const add = async (server: Server, authorization: string) => {
    loaded.push({ server, load: await prepareLoad(bench, workload, server, made, authorization) });
  };

  const service = await startService(setting, made.folder, [
    ...workload.serviceFlags,
    ...(options.isTls ? ['--tls', 'self-signed'] : []),
  ]);
  const authorization = await logIn(service.origin, made.admin);
  await add(service, authorization);
  const peerSetting = { ...setting, env: options.isTls ? certificateIn(made.folder) : {} };
  const lean: Record<string, string> = options.leanFastify ? { LEAN: 'on' } : {};
  await add(await startFastify(peerSetting, fastify, made.fastifyDatabase, lean), peerToken());
  const target = targetAt(service.origin, made.orderCount, authorization);
  const env = { ANSWERS: join(scratch, `${workload.name}.answers.json`) };
  await writeFixedAnswers(env.ANSWERS, target, await workload.requests(target), workload.status);
  await add(await startBare(peerSetting, env), authorization);
}

/** Bare servers get exactly the requests of the service; only they ignore conditions. */
async function prepareLoad(
  bench: Bench,
  workload: Workload,
  server: Server,
  made: Made,
  authorization: string,
): Promise<Load> {
  const requestsFile = join(bench.scratch, `${workload.name}-${server.pid}.requests`);
  const requests = await workload.requests(targetAt(server.origin, made.orderCount, authorization));
  await expectStatus(server, requests, workload.status);
  writeRequests(requestsFile, requests);
  return {
    origin: server.origin,
    pid: server.pid,
    requestsFile,
    seconds: bench.options.seconds,
    spreadOver: workload.spreads ? made.orderCount : 0,
    isRefused: workload.status >= 400,
  };
}

async function measureInTurn(
  { children }: Bench,
  loaded: readonly Loaded[],
  round: number,
): Promise<[server: string, sample: Sample][]> {
  for (const { load } of loaded) await applyLoad(children, { ...load, seconds: warmUpSeconds });
  // the machine is in another state for the first one after a pause
  const inTurn = round % 2 === 0 ? loaded.toReversed() : loaded;
  const samples = new Map<Loaded, Sample>();
  for (const each of inTurn) samples.set(each, await leastDisturbed(() => applyLoad(children, each.load)));
  return loaded.flatMap((each) => {
    const sample = samples.get(each);
    return sample === undefined ? [] : [[each.server.name, sample]];
  });
}

/**
 * Measures again, a few times at most, if other processes used too much; it depends only on that, not on the
 * result.
 */
async function leastDisturbed(measure: () => Promise<Sample>): Promise<Sample> {
  let best = await measure();
  for (let again = 0; again < againMax && best.others > othersMax; again++) {
    const sample = await measure();
    if (sample.others < best.others) best = sample;
  }
  return best;
}

async function expectStatus(
  server: Server,
  [first]: Awaited<ReturnType<Workload['requests']>>,
  status: number,
): Promise<void> {
  const response = await ask(server.origin, first ?? { path: '/' });
  if (response.status !== status)
    throw new Error(`${server.name} answered ${response.status} where ${status} was due: ${response.body}`);
}

/** The certificate that the service made at its first start with TLS, for its peers. */
export function certificateIn(folder: string) {
  return { TLS_CERT: join(folder, 'tls/cert.pem'), TLS_KEY: join(folder, 'tls/key.pem') };
}
