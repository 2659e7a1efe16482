// Simulates power cuts: a recorded run of the storage is cut at random moments, and an arbitrary part of the
// bytes that weren't synced by then is lost, sector by sector. Everything that clients were told or shown
// before the cut must still be there.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import type { Flaw } from './power-cut-writer.ts';

const run = promisify(execFile);
const sectorBytes = 512;
const soonSteps = 2_000;
const numbersBytes = 5 * 8;
/** The numbers of the files in disk-record.c. */
const answersFile = 2;
const allLostShare = 0.25;

type Step = {
  readonly kind: number;
  readonly file: number;
  readonly offset: number;
  readonly length: number;
  readonly sync: number;
  readonly bytes: Buffer;
};

type RecordOptions = {
  /** `disk-record`. */
  readonly library: string;
  /** The number of checkpoints after which the run ends. */
  readonly checkpoints: number;
  readonly notes?: number;
  readonly flaw?: Flaw;
};

/** Runs power-cut-writer.ts; `folder` then has the record. */
export async function record(
  folder: string,
  { library, checkpoints, notes = 2_000, flaw = 'none' }: RecordOptions,
): Promise<Step[]> {
  const file = join(folder, 'record');
  const writer = join(import.meta.dirname, 'power-cut-writer.ts');
  await run(process.execPath, [writer, join(folder, 'data'), String(checkpoints), String(notes), flaw], {
    env: { ...process.env, LD_PRELOAD: library, DISK_RECORD: file },
    timeout: 60_000,
  });
  const text = readFileSync(file);
  const steps: Step[] = [];
  for (let at = 0; at < text.length;) {
    const [kind = 0, file = 0, offset = 0, length = 0, sync = 0] = Array.from({ length: 5 }, (_, index) =>
      Number(text.readBigInt64LE(at + 8 * index)),
    );
    steps.push({
      kind,
      file,
      offset,
      length,
      sync,
      bytes: text.subarray(at + numbersBytes, at + numbersBytes + length),
    });
    at += numbersBytes + length;
  }
  return steps;
}

/** The content of a file. */
class Image {
  #bytes = Buffer.alloc(1024 ** 2);
  length = 0;

  content(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  copy(): Image {
    const copy = new Image();
    copy.#bytes = Buffer.from(this.#bytes);
    copy.length = this.length;
    return copy;
  }

  /** Applies a write or a truncation to the sectors in which it survives. */
  apply({ kind, offset, length, bytes }: Step, survives: () => boolean): void {
    if (kind === 2) return survives() ? this.#resize(offset) : undefined;
    for (let at = 0, end = 0; at < length; at = end) {
      end = Math.min(length, at + sectorBytes - ((offset + at) % sectorBytes));
      if (!survives()) continue;
      if (this.length < offset + end) this.#resize(offset + end);
      bytes.copy(this.#bytes, offset + at, at, end);
    }
  }

  #resize(length: number): void {
    if (length < this.length) this.#bytes.fill(0, length, this.length);
    else if (length > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], length * 2);
    this.length = length;
  }
}

/** A file: its content as of the last sync, and the writes since. */
class Disk {
  readonly #synced = new Image();
  #pending: { readonly step: Step; readonly number: number }[] = [];
  readonly #syncs = new Map<number, number>();

  take(step: Step, number: number): void {
    if (step.kind <= 2) this.#pending.push({ step, number });
    else if (step.kind === 3) this.#syncs.set(step.sync, number);
    else this.#synchronized(this.#syncs.get(step.sync) ?? 0);
  }

  /**
   * The file after the cut: all writes since the last sync are lost, or a range of them, or an arbitrary
   * choice of writes and sectors.
   */
  cut(random: () => number): Buffer {
    const after = this.#synced.copy();
    if (random() < allLostShare) return after.content();
    const [from = 0, to = 0] = [Math.max(0, random() * 2 - 1), random()]
      .map((share) => Math.floor(share * this.#pending.length))
      .sort((a, b) => a - b);
    const isStretch = random() < 0.5;
    const share = random();
    this.#pending.forEach(({ step }, index) => {
      const isLost = index >= from && index < to;
      const kept = isStretch ? Number(!isLost) : ([0, 1, share][Math.floor(random() * 3)] ?? 0);
      after.apply(step, () => random() < kept);
    });
    return after.content();
  }

  #synchronized(began: number): void {
    const later = this.#pending.findIndex(({ number }) => number > began);
    const done = this.#pending.splice(0, later === -1 ? Infinity : later);
    for (const { step } of done) this.#synced.apply(step, () => true);
  }
}

type Cuts = {
  readonly count: number;
  readonly random: () => number;
  /** Cuts only right before a sync ends, and loses everything that isn't synced. */
  readonly isWorst?: boolean;
};

/** Cuts the power, and checks that everything that clients saw is there. Returns how many rows they saw. */
export function cutPower(folder: string, steps: readonly Step[], cuts: Cuts): number {
  const moments = momentsOf(steps, cuts);
  const disks = [new Disk(), new Disk()] as const;
  let answered = '';
  let checked = 0;
  steps.forEach((step, number) => {
    if (step.file === answersFile) answered += step.kind === 1 ? step.bytes.toString('latin1') : '';
    else disks[step.file === 0 ? 0 : 1].take(step, number);
    for (; moments[0] === number; moments.shift()) {
      const [database, wal] = disks.map((disk) => disk.cut(cuts.isWorst === true ? () => 0 : cuts.random));
      checked += check(join(folder, 'cut'), { database, wal, answered });
    }
  });
  return checked;
}

/** Unless `isWorst`, half of the moments are soon after a reset of the WAL. */
function momentsOf(steps: readonly Step[], { count, random, isWorst = false }: Cuts): number[] {
  const numbersOf = (is: (step: Step) => boolean): number[] =>
    steps.flatMap((step, number) => (is(step) ? [number] : []));
  const [first = 0] = numbersOf(({ file }) => file === answersFile); // from then on the storage is open
  const syncEnds = numbersOf(({ kind, file }) => kind === 4 && file === 1).filter((end) => end > first);
  const starts = numbersOf(({ kind, file, offset }) => kind === 1 && file === 1 && offset === 0);
  const restarts = starts.filter((number) => number > first);
  const moments = Array.from({ length: count }, (_, cut) => {
    if (isWorst) return (syncEnds[Math.floor(random() * syncEnds.length)] ?? 1) - 1;
    const restart = restarts[Math.floor(random() * restarts.length)];
    if (cut % 2 === 0 || restart === undefined) return first + Math.floor(random() * (steps.length - first));
    return Math.min(steps.length - 1, restart + Math.floor(random() * soonSteps));
  });
  return moments.sort((a, b) => a - b);
}

type Remains = {
  readonly database: Buffer | undefined;
  readonly wal: Buffer | undefined;
  readonly answered: string;
};

function check(folder: string, { database = Buffer.of(), wal = Buffer.of(), answered }: Remains): number {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  writeFileSync(join(folder, 'orderly.db'), database);
  writeFileSync(join(folder, 'orderly.db-wal'), wal);
  using sqlite = new DatabaseSync(join(folder, 'orderly.db'), { returnArrays: true });
  assert.deepEqual(sqlite.prepare('PRAGMA integrity_check').all(), [['ok']]);
  const versions = new Map(
    sqlite
      .prepare('SELECT id, version FROM notes')
      .all()
      .map((row) => Object.values(row) as [number, number]),
  );
  const responses = answered
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ').map(Number));
  for (const [id = 0, version = 0] of responses)
    assert(
      (versions.get(id) ?? 0) >= version,
      `note ${id} has version ${versions.get(id)}, ${version} was answered`,
    );
  return responses.length;
}
