// How logins affect reads: the latency of reads at a steady rate, without and with four logins a second.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Made } from './bench-data.ts';
import { median, ms, thousands } from './bench-table.ts';
import type { Bench } from './rounds.ts';
import { logIn, startService, type Server } from './servers.ts';
import { hotReads, targetAt } from './workloads.ts';
import { applyLoad, connections, writeRequests, type Sample } from './wrk.ts';

const loginsPerSecond = 4;
const readsPerSecond = 1500;
const aim = 1.5;

export const loginsHeader = [
  'reads beside logins',
  '',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'p99 ratio',
  'logins/s',
  'errors',
  'others',
];

/** The service may use both cores here: a hash takes most of one. */
export async function measureLogins(
  { children, options, scratch, say }: Bench,
  made: Made,
): Promise<string[][]> {
  const server = await startService({ children, cores: 'any', env: {} }, made.folder, []);
  const target = targetAt(server.origin, made.orderCount, await logIn(server.origin, made.admin));
  const requestsFile = join(scratch, 'logins.requests');
  writeRequests(requestsFile, hotReads(target));
  const load = {
    origin: server.origin,
    pid: server.pid,
    requestsFile,
    seconds: options.seconds,
    spreadOver: 0,
    isRefused: false,
  };
  const paced = () => applyLoad(children, { ...load, pauseMs: (connections * 1000) / readsPerSecond });
  await applyLoad(children, { ...load, seconds: 1, pauseMs: 0 });

  const alone: Sample[] = [];
  const beside: Sample[] = [];
  let loginCount = 0;
  for (let round = 1; round <= options.rounds; round++) {
    say(`reads beside logins: round ${round} of ${options.rounds}`);
    alone.push(await paced());
    const logins = keepLoggingIn(server, made);
    beside.push(await paced());
    loginCount += await logins.stop();
  }
  await children.end(server.child);
  const ratio = median(beside.map(({ p99Ms }, round) => p99Ms / (alone[round]?.p99Ms ?? NaN)));
  const perSecond = loginCount / options.rounds / options.seconds;
  return [
    rowOf('none', alone, '', ''),
    rowOf(
      `${loginsPerSecond} logins/s`,
      beside,
      `${ratio.toFixed(2)} ${ratio <= aim ? '≤' : '>'} ${aim}`,
      perSecond.toFixed(1),
    ),
  ];
}

/** Logs in at a steady rate, even while responses are outstanding; `stop` returns how many succeeded. */
function keepLoggingIn(server: Server, made: Made): { stop: () => Promise<number> } {
  const logins: Promise<boolean>[] = [];
  const timer = setInterval(
    () =>
      logins.push(
        logIn(server.origin, made.admin).then(
          () => true,
          () => false,
        ),
      ),
    1000 / loginsPerSecond,
  );
  return {
    async stop() {
      clearInterval(timer);
      const settled = await Promise.race([Promise.all(logins), pause(10_000).then(() => [])]);
      return settled.filter(Boolean).length;
    },
  };
}

function rowOf(name: string, samples: readonly Sample[], ratio: string, logins: string): string[] {
  const of = (member: keyof Sample) => median(samples.map((sample) => sample[member]));
  const errors = samples.reduce((sum, sample) => sum + sample.errors, 0);
  return [
    name,
    '',
    thousands(of('perSecond')),
    ms(of('p50Ms')),
    ms(of('p99Ms')),
    ratio,
    logins,
    String(errors),
    of('others').toFixed(2),
  ];
}
