// Runs wrk against one server: 64 connections kept alive, one thread on the load core.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadRequest } from '../support/load-client.ts';
import { busyUs, cpuUs, runOnCore } from './children.ts';

export type Load = {
  readonly origin: string;
  readonly pid: number;
  readonly requestsFile: string;
  readonly seconds: number;
  /** 0: cycles through the requests; otherwise the first one is sent for so many ids. */
  readonly spreadOver: number;
  readonly isRefused: boolean;
};
/** `others`: how many cores other processes used meanwhile; well above 0 the figures are disturbed. */
export type Sample = {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
  readonly others: number;
  readonly errors: number;
};

const connections = 64;
const script = join(import.meta.dirname, 'load.lua');

export async function applyLoad(load: Load): Promise<Sample> {
  const serverBefore = cpuUs(load.pid);
  const machineBefore = busyUs();
  const loadBefore = cpuUs(process.pid);
  const began = performance.now();
  const command = [
    ...`wrk --latency -t 1 -c ${connections} -d ${load.seconds}s --timeout 8s -s`.split(' '),
    ...[script, load.origin, '--', load.requestsFile, String(load.spreadOver)],
  ];
  const printed = await runOnCore({ cores: 'load', command }, load.seconds + 20);
  const server = cpuUs(load.pid) - serverBefore;
  const others = busyUs() - machineBefore - server - (cpuUs(process.pid) - loadBefore);
  const counted = countsIn(printed);
  return {
    perSecond: counted.requests / (counted.us / 1_000_000),
    p50Ms: counted.p50Us / 1000,
    p99Ms: counted.p99Us / 1000,
    cpuUs: server / counted.requests,
    others: Math.max(0, others / 1000 / (performance.now() - began)),
    errors: counted.broken + (load.isRefused ? counted.requests - counted.refused : counted.refused),
  };
}

/** Writes the bytes of requests for load.lua, each with a zero byte at its end. */
export function writeRequests(file: string, requests: readonly LoadRequest[]): void {
  writeFileSync(file, requests.map((request) => `${onTheWire(request)}\0`).join(''));
}

function onTheWire({ method, path, headers, body }: LoadRequest): string {
  const payload = body === undefined ? '' : JSON.stringify(body);
  const ofBody = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload) };
  const all = { Host: 'localhost', Accept: 'application/json', ...headers, ...(payload !== '' && ofBody) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${payload}`;
}

function countsIn(
  printed: string,
): Readonly<Record<'requests' | 'us' | 'p50Us' | 'p99Us' | 'refused' | 'broken', number>> {
  const line = printed.split('\n').findLast((text) => text.startsWith('{'));
  if (line === undefined) throw new Error(`wrk did not report:\n${printed}`);
  return JSON.parse(line); // printed by load.lua in this shape
}
