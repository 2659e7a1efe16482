// Writes metrics in Prometheus' text format, version 0.0.4.

/** The ending of the family's name, such as `{status="200"}`, and the value. */
export type Sample = readonly [ending: string, value: number];
export type Family = {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: readonly Sample[];
};
/** One value without labels, or several with them. */
type Values = number | readonly Sample[];

export function counter(name: string, help: string, values: Values): Family {
  return { name, type: 'counter', help, samples: samplesOf(values) };
}

export function gauge(name: string, help: string, values: Values): Family {
  return { name, type: 'gauge', help, samples: samplesOf(values) };
}

function samplesOf(values: Values): readonly Sample[] {
  return typeof values === 'number' ? [['', values]] : values;
}

/** Returns one sample for each entry of `counts`, whose names are the values of the label. */
export function labelledSamples(
  label: string,
  counts: Iterable<readonly [name: string | number, count: number]>,
): Sample[] {
  return Array.from(counts, ([name, count]) => [`{${label}="${name}"}`, count]);
}

/** Counts values by intervals, and sums them. */
export class Distribution {
  readonly bounds: readonly number[];
  /** Counts of each interval, not cumulative; the last one is for values above all bounds. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  /** Counts a value in the first interval whose bound it doesn't exceed. */
  add(value: number): void {
    let index = 0;
    while (value > (this.bounds[index] ?? Infinity)) index += 1;
    this.counts[index] = (this.counts[index] ?? 0) + 1;
    this.sum += value;
  }
}

export function histogram(name: string, help: string, { bounds, counts, sum }: Distribution): Family {
  let total = 0;
  const samples = [...bounds, '+Inf'].map((bound, index): Sample => {
    total += counts[index] ?? 0;
    return [`_bucket{le="${bound}"}`, total];
  });
  samples.push(['_sum', sum], ['_count', total]);
  return { name, type: 'histogram', help, samples };
}

export function prometheusText(families: readonly Family[]): string {
  const lines = families.flatMap(({ name, type, help, samples }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([suffix, value]) => `${name}${suffix} ${value}`),
  ]);
  return `${lines.join('\n')}\n`;
}
