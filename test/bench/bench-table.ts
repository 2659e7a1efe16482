// The benchmark's tables, as Markdown.
import type { Measured } from './rounds.ts';
import type { Workload } from './workloads.ts';
import type { Sample } from './wrk.ts';

/** Cores; a round during which other processes used more says little. */
const othersMax = 0.25;

export const workloadHeader = [
  'workload',
  'server',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'CPU µs/request',
  'of bare',
  '× Fastify',
  'errors',
  'others',
];

/** One row for each server; the service's row has the ratios. */
export function workloadRows({ title }: Workload, measured: readonly Measured[]): string[][] {
  const own = measured[0]?.samples ?? [];
  const ratioTo = (peer: string) =>
    ratio(own, measured.find(({ server }) => server.startsWith(peer))?.samples);
  return measured.map(({ server, samples }, index) => [
    index === 0 ? title : '',
    server,
    thousands(medianOf(samples, 'perSecond')),
    ms(medianOf(samples, 'p50Ms')),
    ms(medianOf(samples, 'p99Ms')),
    medianOf(samples, 'cpuUs').toFixed(1),
    ...['bare', 'Fastify'].map((peer) => (index === 0 ? ratioTo(peer) : '')),
    String(samples.reduce((sum, sample) => sum + sample.errors, 0)),
    medianOf(samples, 'others').toFixed(2),
  ]);
}

export function markdown(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => padded(cells[column] ?? '', width, column)).join(' | ')} |`;
  const rules = widths.map((width, column) => `${'-'.repeat(width + 1)}${column < 2 ? '-' : ':'}`);
  const rule = `|${rules.join('|')}|`;
  return [line(header), rule, ...rows.map(line)].join('\n');
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

export function ms(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0);
}

export function thousands(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/**
 * The median of the ratios of each round, since conditions are the same only within a round. Rounds disturbed
 * by other processes are left out; if none is left, the ratio has a question mark.
 */
function ratio(own: readonly Sample[], peer: readonly Sample[] | undefined): string {
  if (peer === undefined) return '';
  const rounds = own.map((sample, round) => ratioOf(sample, peer[round] ?? sample));
  const calm = rounds.filter(({ others }) => others <= othersMax);
  const value = median((calm.length > 0 ? calm : rounds).map(({ times }) => times));
  const text = value.toFixed(value < 3 ? 2 : 1);
  return calm.length === 0 ? `${text} ?` : text;
}

function ratioOf(own: Sample, peer: Sample): { times: number; others: number } {
  return { times: own.perSecond / peer.perSecond, others: Math.max(own.others, peer.others) };
}

function medianOf(samples: readonly Sample[], member: keyof Sample): number {
  return median(samples.map((sample) => sample[member]));
}

function padded(text: string, width: number, column: number): string {
  return column < 2 ? text.padEnd(width) : text.padStart(width);
}
