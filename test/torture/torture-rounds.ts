// Rounds of: write over 64 connections, kill the service at a random moment, start it again, and hold it to
// its responses.
import { openSync, closeSync, mkdtempSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPicker, type Picker } from '../../src/commands/random-picks.ts';
import { admin as firstAdmin } from '../service.ts';
import { runCommand, spawnService, startChild, type ChildService } from './child-service.ts';
import { createLedger } from './ledger.ts';
import { FeedReader } from './feed-reader.ts';
import { createLoadClient, type LoadClient, type Reply } from './load-client.ts';
import { staffEmail } from './mixed-accounts.ts';
import { password, type Memory, type Person, type Round } from './mixed-changes.ts';
import { writeAll } from './mixed-writes.ts';
import { everything, hold } from './torture-checks.ts';

export type TortureOptions = {
  readonly rounds: number;
  readonly seed: number;
  /** After so many a new folder is begun, as all of a folder is compared each time. */
  readonly roundsInFolder: number;
  readonly loadMillisecondsMax: number;
  /** Of the rounds, those that go on until the WAL is being checkpointed. */
  readonly foldShare: number;
  readonly say: (line: string) => void;
};

export type TortureResult = {
  readonly violations: string[];
  rounds: number;
  answered: number;
  /** Requests that were killed before their response. */
  unanswered: number;
  replayed: number;
  killedWhileStarting: number;
  /** Rounds in which the WAL had been checkpointed before the kill. */
  checkpointed: number;
  compared: number;
  /** Events that a reader outside has followed, and those of them that came as a stream. */
  followed: number;
  streamed: number;
};

/** Or tokens would be for another port after each start. */
const settings = { 'public-url': 'https://orders.example.com' };
const loadMillisecondsMin = 50;
const foldBytes = 32 * 2 ** 20;
const foldMillisecondsMax = 8_000;
const startShareKilled = 0.2;
const startMillisecondsMax = 250;

export async function torture(options: TortureOptions): Promise<TortureResult> {
  const result: TortureResult = {
    violations: [],
    rounds: 0,
    answered: 0,
    unanswered: 0,
    replayed: 0,
    killedWhileStarting: 0,
    checkpointed: 0,
    compared: 0,
    followed: 0,
    streamed: 0,
  };
  const picker = createPicker(options.seed);
  while (result.rounds < options.rounds && result.violations.length === 0)
    await oneFolder(options, picker, result);
  return result;
}

/** Kept when a fault is found, to be looked at. */
async function oneFolder(options: TortureOptions, picker: Picker, result: TortureResult): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-torture-'));
  let service = await startChild({ folder, settings });
  try {
    const memory = await setUp(service.port);
    const reader = new FeedReader(memory.admin.token, result);
    const end = Math.min(options.rounds, result.rounds + options.roundsInFolder);
    while (result.rounds < end && result.violations.length === 0) {
      result.rounds += 1;
      service = await oneRound({ folder, service, memory, reader, picker, options, result });
      if (result.rounds % 10 === 0 || result.violations.length > 0) options.say(progress(result));
    }
  } finally {
    await service.kill('SIGKILL');
    if (result.violations.length === 0) rmSync(folder, { recursive: true });
    else options.say(`What was found wrong is in ${folder}.`);
  }
}

type RoundOptions = {
  readonly folder: string;
  readonly service: ChildService;
  readonly memory: Memory;
  readonly reader: FeedReader;
  readonly picker: Picker;
  readonly options: TortureOptions;
  readonly result: TortureResult;
};

async function oneRound({
  folder,
  service,
  memory,
  reader,
  picker,
  options,
  result,
}: RoundOptions): Promise<ChildService> {
  const client = createLoadClient(service.port);
  const counts = { answered: 0, unanswered: 0 };
  let isOver = false;
  const violation = (sentence: string): void => {
    result.violations.push(`Round ${result.rounds}: ${sentence}`);
  };
  const round: Round = {
    memory,
    client,
    picker,
    label: `r${result.rounds}`,
    counts,
    violation,
    isOver: () => isOver,
  };
  const checkpointsBefore = checkpointsOf(folder);
  const writing = writeAll(round);
  const following = reader.follow(service.port, picker.pick(['pages', 'stream']), () => isOver);
  if (picker.float() < options.foldShare) await untilFolding(folder);
  await pause(picker.integer(loadMillisecondsMin, options.loadMillisecondsMax));
  isOver = true;
  const { signal } = await service.kill('SIGKILL');
  if (signal !== 'SIGKILL') violation(`The service had ended by itself: ${service.written().slice(-2_000)}`);
  await Promise.all([writing, following]);
  client.close();
  result.answered += counts.answered;
  result.unanswered += counts.unanswered;
  if (checkpointsOf(folder) !== checkpointsBefore) result.checkpointed += 1;
  if (picker.float() < startShareKilled) {
    result.killedWhileStarting += 1;
    const { child, ended } = spawnService({ folder, settings });
    await pause(picker.integer(0, startMillisecondsMax));
    child.kill('SIGKILL');
    await ended;
  }
  const restarted = await startChild({ folder, settings });
  const after = createLoadClient(restarted.port, 4);
  const [checked] = await Promise.all([
    runCommand(folder, ['check']),
    hold({ ...round, client: after }, reader, result),
  ]);
  if (checked.code !== 0) violation(`check says ${checked.output}`);
  after.close();
  return restarted;
}

async function setUp(port: number): Promise<Memory> {
  const client = createLoadClient(port);
  const admin = await signIn(client, firstAdmin.email, firstAdmin.password);
  await right(
    client.ask({
      method: 'POST',
      path: '/api/users',
      token: admin.token,
      body: { name: 'Staff', email: staffEmail, password, role: 'staff' },
    }),
  );
  const staff = await signIn(client, staffEmail, password);
  const memory: Memory = {
    ledger: createLedger(),
    admin,
    staff,
    orders: new Map(),
    customers: new Map(),
    lonely: new Map(),
    users: [],
    sessions: new Map(),
    keys: new Map(),
    kept: [],
    unanswered: new Map(),
  };
  memory.ledger.compare(await everything(memory, client));
  client.close();
  return memory;
}

async function signIn(client: LoadClient, email: string, secret: string): Promise<Person> {
  const { thing } = await right(
    client.ask({
      method: 'POST',
      path: '/api/sessions',
      body: { email, password: secret },
      headers: { 'user-agent': `first of ${email}` },
    }),
  );
  return { id: Number(thing['userId']), token: String(thing['accessToken']) };
}

async function right(asked: Promise<Reply>): Promise<Reply> {
  const reply = await asked;
  if (reply.status !== 201) throw new Error(`The set-up had ${reply.status}: ${reply.text}`);
  return reply;
}

/**
 * The first salt in the WAL's header: one more each time the WAL is begun anew, after a whole checkpoint.
 */
function checkpointsOf(folder: string): number {
  const file = join(folder, 'orderly.db-wal');
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < 32) return 0;
  const header = Buffer.alloc(32);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, header, 0, 32, 0);
  closeSync(descriptor);
  return header.readUInt32BE(16);
}

/** A checkpoint begins when the WAL has this length; then a kill at a random moment may fall into it. */
async function untilFolding(folder: string): Promise<void> {
  const giveUp = performance.now() + foldMillisecondsMax;
  while (statSync(join(folder, 'orderly.db-wal')).size < foldBytes && performance.now() < giveUp)
    await pause(5);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

export function progress({
  rounds,
  violations,
  answered,
  unanswered,
  replayed,
  killedWhileStarting,
  checkpointed,
  compared,
  followed,
  streamed,
}: TortureResult): string {
  return (
    `${rounds} rounds: ${answered} changes answered, ${unanswered} cut off, ${compared} things ` +
    `compared, ${replayed} responses repeated, ${followed} events followed (${streamed} as a stream), ` +
    `${checkpointed} kills after the WAL was checkpointed, ${killedWhileStarting} more while starting: ` +
    `${violations.length === 0 ? 'nothing lost' : `${violations.length} FAULTS`}`
  );
}
