// Checks how much of what requests allocate reaches V8's old generation: a collection that gains and loses an
// entry for each request keeps alive whatever its old tables have held, until the next full collection. Prints
// the share of each workload, over TLS and without, and fails above one percent. It doesn't mind noise.
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { copyData, makeData, type Made } from './bench-data.ts';
import { markdown } from './bench-table.ts';
import { keepChildren, missingHere } from './children.ts';
import { logIn, startService } from './servers.ts';
import { targetAt, workloads, type Workload } from './workloads.ts';
import { applyLoad, writeRequests } from './wrk.ts';

const shareMax = 0.01;
const orderCount = 20_000;
const [warmSeconds, seconds] = [5, 4];
/** All that is read fits, so that the warm-up fills the cache: what it keeps later is promoted on purpose. */
const flags = ['--cache-bytes', String(256 * 1024 * 1024)];
const names = ['read', 'not-modified', 'list', 'place', 'mixed', 'refused'];

async function main(): Promise<void> {
  const missing = missingHere(['wrk', 'taskset']);
  if (missing.length > 0) throw new Error(missing.join('\n'));
  const children = keepChildren();
  const scratch = mkdtempSync(join(tmpdir(), 'orderly-promotion-'));
  try {
    const setting = { children, cores: 'any', env: {} } as const;
    const made = await makeData(setting, scratch, orderCount, (text) => console.error(`… ${text}`));
    const rows: string[][] = [];
    for (const tls of ['self-signed', 'off'])
      for (const workload of workloads.filter(({ name }) => names.includes(name))) {
        const { promoted, allocated } = await measure(made, workload, tls);
        const share = promoted / allocated;
        rows.push([workload.title, tls === 'off' ? 'no' : 'yes', percent(share), bytesPer(promoted)]);
        if (!(share <= shareMax)) process.exitCode = 1;
      }
    console.log(markdown(['workload', 'TLS', 'promoted', 'MB promoted'], rows));
    if (process.exitCode === 1) console.error(`A workload promotes more than ${percent(shareMax)}.`);
  } finally {
    await children.endAll();
    rmSync(scratch, { recursive: true, force: true });
  }

  async function measure(made: Made, workload: Workload, tls: string): Promise<Bytes> {
    const data = copyData(made);
    const setting = { children, cores: 'server', env: {}, nodeFlags: ['--trace-gc-nvp'] } as const;
    const server = await startService(setting, data.folder, tls === 'off' ? flags : [...flags, '--tls', tls]);
    const bytes = sumsOf(server.child);
    try {
      const authorization = await logIn(server.origin, data.admin);
      const requestsFile = join(scratch, `${workload.name}.requests`);
      const requests = await workload.requests(targetAt(server.origin, orderCount, authorization));
      writeRequests(requestsFile, requests);
      const { origin, pid } = server;
      const load = { origin, pid, requestsFile, isRefused: workload.status >= 400 };
      const spreadOver = workload.spreads ? orderCount : 0;
      await applyLoad(children, { ...load, spreadOver, seconds: warmSeconds });
      Object.assign(bytes, none);
      await applyLoad(children, { ...load, spreadOver, seconds });
      return bytes;
    } finally {
      await children.end(server.child);
      data.discard();
    }
  }
}

type Bytes = { promoted: number; allocated: number };
const none: Readonly<Bytes> = { promoted: 0, allocated: 0 };

/** Sums what collections of new objects report from now on. */
function sumsOf(child: ChildProcess): Bytes {
  const bytes = { ...none };
  if (child.stdout === null) throw new Error('The output of the service is not collected.');
  createInterface(child.stdout).on('line', (line) => {
    if (!/"gc":"s"|\bgc=s\b/.test(line)) return;
    bytes.promoted += numberOf('promoted', line);
    bytes.allocated += numberOf('allocated', line);
  });
  return bytes;
}

/** Node 26 reports JSON, Node 24 `name=number`. */
function numberOf(name: string, line: string): number {
  return Number(new RegExp(`\\b${name}(?:":|=)(\\d+)`).exec(line)?.[1]);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}

function bytesPer(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
