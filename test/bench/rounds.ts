// Measures one workload: its servers in alternating rounds, with the same load on each in turn. Each round
// starts new processes, since the speed of a process depends on its memory and on what was compiled when.
import { join } from 'node:path';
import { copyData, type Made } from './bench-data.ts';
import type { BenchOptions } from './bench-options.ts';
import { endServer } from './children.ts';
import { writeFixedAnswers } from './fixed-answers.ts';
import { logIn, peerToken, startBare, startFastify, startService, type Server } from './servers.ts';
import { targetAt, type Workload } from './workloads.ts';
import { applyLoad, writeRequests, type Load, type Sample } from './wrk.ts';

export type Bench = {
  readonly options: BenchOptions;
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
    for (const [{ server }, sample] of await measureRound(bench, workload, made, round))
      measured.set(server.name, [...(measured.get(server.name) ?? []), sample]);
  }
  return [...measured].map(([server, samples]) => ({ server, samples }));
}

async function measureRound(
  bench: Bench,
  workload: Workload,
  made: Made,
  round: number,
): Promise<(readonly [Loaded, Sample])[]> {
  const copy = workload.writes ? copyData(made) : undefined;
  const loaded: Loaded[] = [];
  try {
    await startServers(bench, workload, copy ?? made, loaded);
    for (const { load } of loaded) await applyLoad({ ...load, seconds: warmUpSeconds });
    // the machine is in another state for the first one after a pause
    const inTurn = round % 2 === 0 ? loaded.toReversed() : loaded;
    const samples = new Map<Loaded, Sample>();
    for (const each of inTurn) samples.set(each, await leastDisturbed(each.load));
    return [...samples].sort(([a], [b]) => loaded.indexOf(a) - loaded.indexOf(b));
  } finally {
    for (const { server } of loaded) await endServer(server.running);
    copy?.discard();
  }
}

async function startServers(bench: Bench, workload: Workload, made: Made, loaded: Loaded[]): Promise<void> {
  const { scratch, options, fastify } = bench;
  const add = async (server: Server, authorization: string): Promise<void> => {
    loaded.push({ server, load: await prepareLoad(bench, workload, server, made, authorization) });
  };
  const tls = options.isTls ? ['--tls', 'self-signed'] : [];
  const flags = [...workload.serviceFlags, ...tls];
  const service = await startService({ cores: 'server', env: {} }, made.folder, flags);
  const authorization = await logIn(service, made.admin);
  await add(service, authorization);
  const peer = { cores: 'server', env: options.isTls ? certificateIn(made.folder) : {} } as const;
  await add(await startFastify(peer, fastify, made.fastifyDatabase, leanness(options)), peerToken());
  const target = targetAt(service, made.orderCount, authorization);
  const ANSWERS = join(scratch, `${workload.name}.answers.json`);
  await writeFixedAnswers(ANSWERS, target, await workload.requests(target), workload.status);
  await add(await startBare(peer, { ANSWERS }), authorization);
}

/** Bare servers get exactly the requests of the service; only they ignore conditions. */
async function prepareLoad(
  { scratch, options }: Bench,
  workload: Workload,
  server: Server,
  made: Made,
  authorization: string,
): Promise<Load> {
  const requestsFile = join(scratch, `${workload.name}-${server.pid}.requests`);
  const requests = await workload.requests(targetAt(server, made.orderCount, authorization));
  const [first = { method: 'GET', path: '/' }] = requests;
  const { status, text } = await server.client.ask(first);
  if (status !== workload.status)
    throw new Error(`${server.name} answered ${status} where ${workload.status} was due: ${text}`);
  writeRequests(requestsFile, requests);
  return {
    origin: server.origin,
    pid: server.pid,
    requestsFile,
    seconds: options.seconds,
    spreadOver: workload.spreads ? made.orderCount : 0,
    isRefused: workload.status >= 400,
  };
}

/**
 * Measures again, a few times at most, if other processes used too much; it depends only on that, not on the
 * result.
 */
async function leastDisturbed(load: Load): Promise<Sample> {
  let best = await applyLoad(load);
  for (let again = 0; again < againMax && best.others > othersMax; again++) {
    const sample = await applyLoad(load);
    if (sample.others < best.others) best = sample;
  }
  return best;
}

/** The certificate that the service made at its first start with TLS, for its peers. */
export function certificateIn(folder: string) {
  return { TLS_CERT: join(folder, 'tls/cert.pem'), TLS_KEY: join(folder, 'tls/key.pem') };
}

export function leanness({ leanFastify }: BenchOptions): Readonly<Record<string, string>> {
  return leanFastify ? { LEAN: 'on' } : {};
}
