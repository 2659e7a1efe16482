// The parameters of an attack, and its report: figures, never a verdict.

import type { People } from './prepared-data.ts';

/** The program under attack, and the arguments of each start. */
export type Program = {
  /** Runs the service; flags follow. */
  readonly program: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** A data folder with the people and orders of `prepared-data.ts`, to be copied. */
  readonly prepared: string;
  readonly scratch: string;
  /** A million rows instead of a hundred thousand. */
  readonly isLarge: boolean;
};

export type Target = Program & { readonly people: People };

export type Row = {
  /** The number and name of the attack. */
  readonly attack: string;
  readonly done: string;
  readonly achieved: string;
};

export type Attack = (target: Target) => Promise<Row[]>;

export function notTried(attack: string, reason: string): Row {
  return { attack, done: 'nothing', achieved: `not tried: ${reason}` };
}

/** `201 ×3, 429 ×17`, in the order of the statuses. */
export function countsOf(values: readonly (string | number)[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
  if (counts.size === 0) return 'none';
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([value, count]) => (count === 1 ? value : `${value} ×${count}`)).join(', ');
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
