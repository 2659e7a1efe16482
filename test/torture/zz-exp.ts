// experiment
import { mkdtempSync, rmSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { admin } from '../service.ts';
import { startChild } from './child-service.ts';
import { buildLibrary } from './fault-support.ts';
import { openLanes, percentile, request, type Lane } from './lanes.ts';
import { createLoadClient } from './load-client.ts';
import type { Watched } from './loop-watch.ts';
const folder = mkdtempSync(join(tmpdir(), 'orderly-exp-'));
const service = await startChild({ folder: join(folder, 'data'), environment: { LD_PRELOAD: buildLibrary('../bench/slow-sync.c', folder), SLOW_SYNC_MS: '30',
 NODE_OPTIONS: `--import=${join(import.meta.dirname, 'loop-watch.ts')}`, LOOP_WATCH_LOG: join(folder,'data/orderly.db-wal'), LOOP_WATCH_OUT: join(folder,'w.json') } });
const pid = service.child.pid;
const threads = () => new Map(readdirSync(`/proc/${pid}/task`).map((t) => { const s = readFileSync(`/proc/${pid}/task/${t}/stat`, 'latin1'); const f = s.slice(s.lastIndexOf(')') + 2).split(' '); return [`${t} ${s.slice(s.indexOf('(')+1, s.lastIndexOf(')'))}`, Number(f[11]) + Number(f[12])] as const; }));
const client = createLoadClient(service.port);
const { thing: { accessToken } } = await client.ask({ method: 'POST', path: '/api/sessions', body: admin });
const token = String(accessToken);
const { thing: { id: customerId } } = await client.ask({ method: 'POST', path: '/customers', token, body: { name: 'Grace Hopper' } });
client.close();
const write = request('POST', '/orders', token, { customerId, currency: 'EUR', items: [{ name: 'Green tea', quantity: 2, unitPrice: 749 }, { name: 'Teapot', quantity: 1, unitPrice: 3_490 }] });
async function poisson(lanes: Lane[], perSecond: number, seconds: number, next: () => string): Promise<[number, number][]> {
  const out: [number, number][] = []; const free = [...lanes]; const start = performance.now(); let at = start; let open = 0;
  while (performance.now() < start + seconds * 1000) {
    const now = performance.now();
    while (at < now) { at += -Math.log(1 - Math.random()) * 1000 / perSecond; const lane = free.shift(); if (!lane) { continue; } open++; const t = performance.timeOrigin + performance.now();
      void lane.ask(next()).then((a) => { out.push([t, a.milliseconds]); free.push(lane); open--; }); }
    await new Promise((r) => setImmediate(r));
  }
  while (open > 0) await new Promise((r) => setTimeout(r, 5));
  return out;
}
const readers = await openLanes(service.port, 8); const writers = await openLanes(service.port, 64);
let read = 0; const get = () => request('GET', `/orders/${1 + (read += 1) % 1000}`, token);
await poisson(writers, 800, 3, () => write); await poisson(readers, 1000, 3, get);
const rounds = [];
for (let i = 0; i < 5; i++) {
  const alone = await poisson(readers, 1000, 3, get);
  const t0 = threads(); const from = Date.now();
  const [beside] = await Promise.all([poisson(readers, 1000, 3, get), poisson(writers, 200, 3, () => write)]);
  const t1 = threads();
  rounds.push({ alone, beside, from, to: Date.now() });
  console.log([...t1].map(([k, v]) => [k, (v - (t0.get(k) ?? 0)) * 10]).filter(([, v]) => Number(v) > 0).map(([k, v]) => `${k}: ${v} ms`).join(', '));
}
for (const l of [...readers, ...writers]) l.close();
await service.kill('SIGTERM');
const { begunAnew, delays } = JSON.parse(readFileSync(join(folder, 'w.json'), 'utf8')) as Watched;
const s = (x: [number, number][]) => { const v = x.map(([, m]) => m).sort((a, b) => a - b); return `p50 ${percentile(v, .5).toFixed(2)} p90 ${percentile(v, .9).toFixed(2)} p99 ${percentile(v, .99).toFixed(2)} (${v.length})`; };
const near = ([t]: [number, number]) => begunAnew.some((b) => t > b - 250 && t < b + 20);
for (const r of rounds) {
  console.log('alone', s(r.alone), '| beside', s(r.beside), '| not folding', s(r.beside.filter((x) => !near(x))), '| folding', s(r.beside.filter(near)), begunAnew.filter((b) => b > r.from && b < r.to).length);
}
const all = (f: (r: typeof rounds[0]) => [number, number][]) => s(rounds.flatMap(f));
console.log('ALL alone', all((r) => r.alone), '| beside', all((r) => r.beside), '| not folding', all((r) => r.beside.filter((x) => !near(x))), '| folding', all((r) => r.beside.filter(near)));
rmSync(folder, { recursive: true });
