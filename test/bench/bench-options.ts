// The command line of the benchmark.
import { parseArgs } from 'node:util';

export const usage = `npm run bench -- [flags]

  --quick             one round of 2 s each instead of three of 4 s
  --only A,B,…        these parts only: read cold hot not-modified list cold-list place mixed
                      refused start memory
  --plain             plain HTTP instead of TLS 1.3
  --orders N,…        sizes of the data, each a table of its own (100000)
  --rounds N, --seconds N
  --lean-fastify      lets Fastify remember tokens without looking up their sessions, and log less
  --scratch DIR       keeps the data made there and uses it again`;

export type BenchOptions = ReturnType<typeof readOptions>;

export function readOptions(argv: readonly string[], parts: readonly string[]) {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      plain: { type: 'boolean', default: false },
      only: { type: 'string' },
      orders: { type: 'string', default: '100000' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      'lean-fastify': { type: 'boolean', default: false },
      scratch: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const only = values.only?.split(',') ?? parts;
  const unknown = only.filter((part) => !parts.includes(part));
  if (unknown.length > 0)
    throw new Error(`There is no ${unknown.join(', ')} to measure; there are ${parts.join(', ')}.`);
  return {
    help: values.help,
    only,
    isTls: !values.plain,
    leanFastify: values['lean-fastify'],
    scratch: values.scratch,
    sizes: values.orders.split(',').map((size) => countOf('--orders', size, 5_000_000)),
    rounds: countOf('--rounds', values.rounds ?? (values.quick ? '1' : '3'), 20),
    seconds: countOf('--seconds', values.seconds ?? (values.quick ? '2' : '4'), 60),
  };
}

function countOf(flag: string, text: string, max: number): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= max) return count;
  throw new Error(`${flag} takes a whole number from 1 to ${max}, not ${text}.`);
}
