// Exports of all orders, and an import of 110,000 lines, each while a client reads: how long they take, how
// much memory, and how long the client waits. `npm run bench:transfers`, with `-- --orders 1000000`.
import { mkdtempSync, rmSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ask } from './ask.ts';
import { adminOf } from './bench-data.ts';
import { BesideReader } from './beside-reader.ts';
import { cpuUs, keepChildren, memoryOf } from './children.ts';
import { logIn, project, startService, type Server } from './servers.ts';

const { values } = parseArgs({ options: { orders: { type: 'string', default: '100000' } } });
const sampleSeconds = 900;
const settleMilliseconds = 2_000;
const importedCustomers = 10_000;
const importedOrders = 100_000;

const children = keepChildren();
const folder = mkdtempSync(join(tmpdir(), 'orderly-bench-'));
try {
  await measureExports(join(folder, 'sample'), Number(values.orders));
  await measureImport(join(folder, 'empty'));
} finally {
  await children.endAll();
  rmSync(folder, { recursive: true, force: true });
}

async function measureExports(data: string, orders: number): Promise<void> {
  const start = join(project, 'src/start.js');
  const sample = [process.execPath, start, 'sample', '--orders', String(orders), '--data', data];
  await children.run({ command: sample, cores: 'any' }, sampleSeconds);
  const [ndjson, csv] = ['application/x-ndjson', 'text/csv'];
  for (const types of [[ndjson], [csv], [ndjson, csv]])
    await measured(data, `${orders} orders as ${types.join(' and ')}`, async (server, authorization) => {
      const other = await logInAnother(server, authorization);
      const exported = types.map((accept, index) =>
        bytesOf(server, {
          path: '/orders',
          headers: { authorization: index === 0 ? authorization : other, accept },
        }),
      );
      const bytes = await Promise.all(exported);
      return bytes.map((each) => `${(each / 1e6).toFixed(0)} MB`).join(' and ');
    });
}

/** Signs another user in, since each may have one export at a time. */
async function logInAnother({ origin }: Server, authorization: string): Promise<string> {
  const user = { email: 'other@example.com', password: 'correct horse battery staple' };
  const headers = { authorization, 'content-type': 'application/json' };
  const body = JSON.stringify({ ...user, name: 'Other', role: 'staff' });
  const { status } = await ask(origin, { method: 'POST', path: '/api/users', headers, body });
  if (status !== 201 && status !== 409) throw new Error(`The user was answered with ${status}.`);
  return logIn(origin, user);
}

/** Twice: the second time all lines are known. */
async function measureImport(data: string): Promise<void> {
  const body = Buffer.from(importedLines());
  for (const round of ['an import', 'the same lines again'])
    await measured(data, round, async (server, authorization) => {
      const headers = { authorization, 'content-type': 'application/x-ndjson' };
      const before = performance.now();
      await bytesOf(server, { method: 'POST', path: '/imports', headers, body });
      const seconds = (performance.now() - before) / 1000;
      return `${((importedCustomers + importedOrders) / seconds).toFixed(0)} lines a second`;
    });
}

function importedLines(): string {
  const address = { line1: 'Lange Straße 1', city: 'Oldenburg', postalCode: '26122', country: 'DE' };
  const items = [
    { name: 'Green tea, 250 g', sku: 'TEA-250', quantity: 2, unitPrice: 749 },
    { name: 'Teapot', quantity: 1, unitPrice: 3900 },
  ];
  const customers = Array.from({ length: importedCustomers }, (_, index) => ({
    key: `${index}`,
    customer: { name: `Customer ${index}`, email: `${index}@example.com`, address },
  }));
  const orders = Array.from({ length: importedOrders }, (_, index) => ({
    key: `${index}`,
    order: { customerKey: `${index % importedCustomers}`, currency: 'EUR', status: 'paid', items },
  }));
  return [...customers, ...orders].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Runs it on a new process while a client reads a page every 10 ms. */
async function measured(
  data: string,
  name: string,
  work: (server: Server, authorization: string) => Promise<string>,
): Promise<void> {
  const server = await startService({ children, env: {}, cores: 'any' }, data, []);
  const authorization = await logIn(server.origin, adminOf(data));
  await pause(settleMilliseconds);
  const idle = memoryOf(server.pid).rssMb;
  const [began, cpuBefore] = [performance.now(), cpuUs(server.pid)];
  const beside = new BesideReader(server, authorization);
  const result = await work(server, authorization);
  const seconds = (performance.now() - began) / 1000;
  const { p99, longest, peakMb } = await beside.end();
  const cpuSeconds = (cpuUs(server.pid) - cpuBefore) / 1e6;
  console.log(
    `${name}: ${result} in ${seconds.toFixed(1)} s (CPU ${cpuSeconds.toFixed(1)} s); ` +
      `memory ${idle.toFixed(0)} MB idle, ${peakMb.toFixed(0)} MB at most; ` +
      `reads beside it: p99 ${p99.toFixed(1)} ms, longest ${longest.toFixed(1)} ms`,
  );
  await children.end(server.child);
}

type Transfer = {
  readonly method?: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
};

/** How many bytes the response has; throws unless it is complete and a 200. */
async function bytesOf({ origin }: Server, { body, path, ...options }: Transfer): Promise<number> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': body.length };
    const headers = { ...options.headers, ...length };
    request(origin + path, { ...options, headers, agent: false }, resolve)
      .on('error', reject)
      .end(body);
  });
  let bytes = 0;
  for await (const chunk of response) bytes += chunk.length;
  if (response.statusCode === 200 && response.complete) return bytes;
  throw new Error(`${path} was answered with ${response.statusCode}, and not as a whole.`);
}
