// Rounds: write over 64 connections, kill the service at a random moment, start it again, and compare what it
// has with its responses.
import assert from 'node:assert/strict';
import { openSync, closeSync, mkdtempSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createPicker, type Picker } from '../../src/commands/sample-data.ts';
import { orderly } from '../support/command-support.ts';
import type { TestResponse } from '../support/service.ts';
import { spawnService, startChild, type ChildService } from '../support/child-service.ts';
import { createLedger } from './ledger.ts';
import { FeedReader } from './feed-reader.ts';
import { createLoadClient } from '../support/load-client.ts';
import { password, staffEmail, writeAll, type Memory, type Person, type Round } from './mixed-changes.ts';
import { settings, signedInFolder } from './signed-in-folder.ts';
import { listEverything, checkAll } from './torture-checks.ts';

export type TortureOptions = {
  readonly rounds: number;
  readonly seed: number;
  /** After so many rounds there is a new folder, since everything in a folder is compared each time. */
  readonly roundsInFolder: number;
  readonly loadMillisecondsMax: number;
  /** The share of rounds, 0 to 1, that continue until the WAL is being checkpointed. */
  readonly checkpointShare: number;
  readonly print: (line: string) => void;
};

const noCounts = {
  rounds: 0,
  answered: 0,
  /** Requests that had no response before the kill. */
  unanswered: 0,
  replayed: 0,
  killedWhileStarting: 0,
  /** Rounds in which the WAL had been checkpointed before the kill. */
  checkpointed: 0,
  compared: 0,
  /** Events that a reader of the feed had, and those of them that came as a stream. */
  followed: 0,
  streamed: 0,
};
export type TortureResult = typeof noCounts & { readonly violations: string[] };

const loadMillisecondsMin = 50;
/** A checkpoint begins when the WAL has this length (`checkpointer.ts`). */
const checkpointWalBytes = 8 * 2 ** 20;
const checkpointWaitMillisecondsMax = 8_000;
const startShareKilled = 0.2;
const startMillisecondsMax = 250;

export async function torture(options: TortureOptions): Promise<TortureResult> {
  const result: TortureResult = { ...noCounts, violations: [] };
  const picker = createPicker(options.seed);
  while (result.rounds < options.rounds && result.violations.length === 0)
    await tortureFolder(options, picker, result);
  return result;
}

/** Rounds with one data folder, which is kept if there are violations. */
async function tortureFolder(options: TortureOptions, picker: Picker, result: TortureResult): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'orderly-torture-'));
  const people = await signIn(folder);
  let service = await startChild({ folder, settings });
  try {
    const memory = await newMemory(service.port, people);
    const reader = new FeedReader(memory.admin.token, result);
    const end = Math.min(options.rounds, result.rounds + options.roundsInFolder);
    while (result.rounds < end && result.violations.length === 0) {
      result.rounds += 1;
      service = await tortureRound({ folder, service, memory, reader, picker, options, result });
      if (result.rounds % 10 === 0 || result.violations.length > 0) options.print(progress(result));
    }
  } finally {
    await service.kill('SIGKILL');
    if (result.violations.length === 0) rmSync(folder, { recursive: true });
    else options.print(`The folder with the violations is ${folder}.`);
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

async function tortureRound(given: RoundOptions): Promise<ChildService> {
  const { folder, service, memory, reader, picker, options, result } = given;
  const client = createLoadClient(service.port);
  const counts = { answered: 0, unanswered: 0 };
  let isOver = false;
  const violation = (sentence: string): void => {
    result.violations.push(`Round ${result.rounds}: ${sentence}`);
  };
  const label = `r${result.rounds}`;
  const round: Round = { memory, client, picker, label, counts, violation, isOver: () => isOver };
  const checkpointsBefore = checkpointsOf(folder);
  const writing = writeAll(round);
  const following = reader.follow(service.port, picker.pick(['pages', 'stream']), () => isOver);
  if (picker.float() < options.checkpointShare) await untilCheckpointing(folder);
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
  const after = createLoadClient(restarted.port, { connections: 4 });
  const [checked] = await Promise.all([
    orderly(['check', `--data=${folder}`]),
    checkAll({ ...round, client: after }, reader, result),
  ]);
  if (checked.status !== 0) violation(`orderly check: ${checked.stdout}${checked.stderr}`);
  after.close();
  return restarted;
}

async function signIn(folder: string): Promise<Pick<Memory, 'admin' | 'staff'>> {
  let staff: Person | undefined;
  const admin = await signedInFolder(folder, async (service, { token }) => {
    const account = { email: staffEmail, password };
    await created(service.post('/api/users', { token, body: { ...account, name: 'Staff', role: 'staff' } }));
    const headers = { 'user-agent': 'the first' };
    const { body } = await created(service.post('/api/sessions', { headers, body: account }));
    staff = { id: body.userId, token: body.accessToken };
  });
  return { admin, staff: staff ?? assert.fail() };
}

async function newMemory(port: number, people: Pick<Memory, 'admin' | 'staff'>): Promise<Memory> {
  const memory: Memory = {
    ...people,
    ledger: createLedger(),
    made: new Map(),
    sessions: new Map(),
    keys: new Map(),
    kept: [],
    unanswered: new Map(),
  };
  const client = createLoadClient(port);
  memory.ledger.compare(await listEverything(memory, client));
  client.close();
  return memory;
}

async function created(asked: Promise<TestResponse>): Promise<TestResponse> {
  const response = await asked;
  assert.equal(response.status, 201, response.text);
  return response;
}

/** The first salt in the WAL's header, which each reset after a complete checkpoint increments. */
function checkpointsOf(folder: string): number {
  const file = join(folder, 'orderly.db-wal');
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < 32) return 0;
  const header = Buffer.alloc(32);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, header, 0, 32, 0);
  closeSync(descriptor);
  return header.readUInt32BE(16);
}

/** So that a kill at a random moment soon after may interrupt a checkpoint. */
async function untilCheckpointing(folder: string): Promise<void> {
  const giveUp = performance.now() + checkpointWaitMillisecondsMax;
  while (statSync(join(folder, 'orderly.db-wal')).size < checkpointWalBytes && performance.now() < giveUp)
    await pause(5);
}

export function progress(result: TortureResult): string {
  const { rounds, answered, unanswered, compared, replayed, followed, streamed, violations } = result;
  const parts = [
    `${rounds} rounds: ${answered} changes answered, ${unanswered} cut off`,
    `${compared} things compared, ${replayed} responses repeated`,
    `${followed} events followed (${streamed} as a stream)`,
    `${result.checkpointed} kills after the WAL was checkpointed`,
    `${result.killedWhileStarting} more while starting`,
  ];
  return `${parts.join(', ')}: ${violations.length === 0 ? 'nothing lost' : `${violations.length} violations`}`;
}
