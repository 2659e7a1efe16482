// `npm run check:abuse`: attacks a service of its own with default settings, and prints what each attack
// achieved. People judge the figures.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Attack, Program, Row, Target } from './check-abuse/attack.ts';
import { costlyReads } from './check-abuse/costly-reads.ts';
import { handshakes } from './check-abuse/handshakes.ts';
import { hashingQueue } from './check-abuse/hashing-queue.ts';
import { longSearches } from './check-abuse/long-searches.ts';
import { longWork } from './check-abuse/long-work.ts';
import { prepareData } from './check-abuse/prepared-data.ts';
import { scarceDescriptors } from './check-abuse/scarce-descriptors.ts';
import { stolenCredentials } from './check-abuse/stolen-credentials.ts';
import { unreadAnswers } from './check-abuse/unread-answers.ts';

const families: Readonly<Record<string, Attack>> = {
  'unread-answers': unreadAnswers,
  'hashing-queue': hashingQueue,
  'stolen-credentials': stolenCredentials,
  'scarce-descriptors': scarceDescriptors,
  handshakes,
  'long-work': longWork,
  'long-searches': longSearches,
  'costly-reads': costlyReads,
};

const usage = `npm run check:abuse -- [flags]
  --only NAMES    a comma list of ${Object.keys(families).join(', ')}
  --from FOLDER   another checkout whose sources to attack; ORDERLY_EXECUTABLE names an executable instead
  --large         a million rows where it is a hundred thousand (a few minutes more)`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: Object.keys(families).join(',') },
      from: { type: 'string', default: join(import.meta.dirname, '../..') },
      large: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const names = values.only.split(',');
  if (values.help || names.some((name) => families[name] === undefined)) return console.log(usage);
  const scratch = mkdtempSync(join(tmpdir(), 'orderly-abuse-'));
  const prepared = join(scratch, 'prepared');
  const program: Program = { ...programOf(values.from), prepared, scratch, isLarge: values.large };
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const target: Target = { ...program, people: await prepareData(program) };
  console.log('| attack | what was done | what it achieved |\n|---|---|---|');
  for (const name of names) for (const row of await rowsOf(target, name)) console.log(lineOf(row));
}

async function rowsOf(target: Target, name: string): Promise<Row[]> {
  const start = performance.now();
  try {
    return (await families[name]?.(target)) ?? [];
  } catch (error) {
    return [{ attack: name, done: 'the attack itself failed', achieved: String(error) }];
  } finally {
    console.error(`… ${name}: ${Math.round((performance.now() - start) / 1000)} s`);
  }
}

function lineOf({ attack, done, achieved }: Row): string {
  return `| ${[attack, done, achieved].map((text) => text.replaceAll(/\s*[|\n]\s*/g, ' ')).join(' | ')} |`;
}

/** The command of `npm start` in that checkout. */
function programOf(checkout: string): Pick<Program, 'program' | 'environment'> {
  const executable = process.env['ORDERLY_EXECUTABLE'];
  const environment = { MALLOC_ARENA_MAX: '1' };
  if (executable !== undefined) return { program: [resolve(executable)], environment };
  const program = [process.execPath, '--max-semi-space-size=8', '--disable-sigusr1'];
  return { program: [...program, resolve(checkout, 'src/start.js')], environment };
}

await main();
