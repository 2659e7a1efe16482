// The benchmark in one command: compares the service with bare node:http and Fastify in alternating
// rounds, and prints Markdown tables.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeData, type Made } from './bench-data.ts';
import { readOptions, usage, type BenchOptions } from './bench-options.ts';
import { markdown, thousands, workloadHeader, workloadRows } from './bench-table.ts';
import { missingHere } from './children.ts';
import { installFastify } from './peer-install.ts';
import { measureWorkload, type Bench } from './rounds.ts';
import { measureMemory, measureStarts, memoryHeader, startHeader } from './start-and-memory.ts';
import { workloads } from './workloads.ts';

const parts = [...workloads.map(({ name }) => name), 'start', 'memory'];

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), parts);
  if (options.help) return console.log(usage);
  const missing = missingHere(['wrk', 'taskset', 'npm']);
  if (missing.length > 0) throw new Error(missing.join('\n'));

  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const scratch = mkdtempSync(join(tmpdir(), 'orderly-bench-run-'));
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
  const say = (text: string) => console.error(`… ${text}`);
  await measureAll({ options, scratch, fastify: await installFastify(say), say });
}

async function measureAll(bench: Bench): Promise<void> {
  const { options, scratch, say } = bench;
  const folder = options.scratch ?? scratch;
  mkdirSync(folder, { recursive: true });
  console.log(conditions(options));
  for (const orderCount of options.sizes) {
    const made = await makeData(folder, orderCount, say);
    console.log(`\n## ${thousands(orderCount)} orders`);
    await measureWorkloads(bench, made);
    await measureRest(bench, made);
  }
}

async function measureWorkloads(bench: Bench, made: Made): Promise<void> {
  const rows: string[][] = [];
  for (const workload of workloads.filter(({ name }) => bench.options.only.includes(name)))
    rows.push(...workloadRows(workload, await measureWorkload(bench, workload, made)));
  if (rows.length > 0) console.log(`\n${markdown(workloadHeader, rows)}`);
}

async function measureRest(bench: Bench, made: Made): Promise<void> {
  const { only } = bench.options;
  if (only.includes('start')) console.log(`\n${markdown(startHeader, await measureStarts(bench, made))}`);
  if (only.includes('memory')) console.log(`\n${markdown(memoryHeader, await measureMemory(bench, made))}`);
}

function conditions({ rounds, seconds, isTls, leanFastify }: BenchOptions): string {
  const processor = cpus()[0]?.model ?? 'unknown processor';
  const protocol = isTls ? 'TLS 1.3' : 'plain HTTP';
  const checks = leanFastify
    ? 'remembers tokens and looks up no session'
    : 'verifies each token and looks up its session';
  return `Node ${process.versions.node}, ${processor}, one core for the server and one for wrk, 64 connections over
${protocol}; medians of alternating rounds (${rounds}) of ${seconds} s, each of new processes; ratios are medians of
ratios within rounds. Others: cores taken meanwhile by processes foreign to the benchmark or by other guests of
the host; ratios of rounds that they disturbed carry a question mark. Fastify ${checks}.`;
}

main().catch((violation: unknown) => {
  console.error(violation instanceof Error ? violation.message : violation);
  process.exitCode = 1;
});
