// The slots of exports: who may begin an export, and which slow one has to end for it.
import { isStaff, type Caller } from '../auth/access.ts';
import {
  exportBytesPerSecondMin,
  exportMillisecondsMin,
  exportReservedMilliseconds,
  exportsMax,
  exportSlowMilliseconds,
} from '../limits.ts';
import { unavailable, type Problem } from '../problem.ts';
import type { ResponseStream } from './response-stream.ts';

type RunningExportOptions = {
  readonly stream: ResponseStream;
  readonly caller: Caller;
  readonly now: () => number;
};

/** An export under way, and how fast its client reads it. */
export class RunningExport {
  readonly stream: ResponseStream;
  readonly caller: Caller;
  readonly #now: () => number;
  readonly #startedAt: number;
  #bytes = 0;
  /** The time for which the export has waited for its client, before the write since `#waitingSince`. */
  #waitedMilliseconds = 0;
  #waitingSince: number | undefined;

  constructor({ stream, caller, now }: RunningExportOptions) {
    this.stream = stream;
    this.caller = caller;
    this.#now = now;
    this.#startedAt = now();
  }

  /** Resolves once the system has accepted the bytes. */
  async write(bytes: Buffer): Promise<void> {
    this.#waitingSince = this.#now();
    await this.stream.writeAndWait(bytes);
    this.#waitedMilliseconds = this.#waited;
    this.#waitingSince = undefined;
    this.#bytes += bytes.length;
  }

  /** Whether another user's export may take its slot: the client reads slowly, or the export takes long. */
  get isPreemptible(): boolean {
    if (this.#now() - this.#startedAt >= exportMillisecondsMin) return true;
    const milliseconds = this.#waited;
    if (milliseconds < exportSlowMilliseconds) return false;
    return this.#bytes < (milliseconds / 1000) * exportBytesPerSecondMin;
  }

  get #waited(): number {
    const now = this.#now();
    return this.#waitedMilliseconds + now - (this.#waitingSince ?? now);
  }
}

/** Users without staff rights share one slot, so that they never keep staff waiting. */
export class ExportSlots {
  readonly #now: () => number;
  readonly #running = new Set<RunningExport>();
  /**
   * The user without staff rights who was rejected first. The slot is theirs until they have had the time to
   * retry; otherwise another could take it again and again before they do.
   */
  #next: { readonly userId: number; readonly until: number } | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  get taken(): number {
    return this.#running.size;
  }

  add(run: RunningExport): void {
    this.#running.add(run);
    if (this.#next?.userId === run.caller.userId) this.#next = undefined;
  }

  delete(run: RunningExport): void {
    this.#running.delete(run);
  }

  /**
   * Returns the export that has to end before one of this caller begins; undefined if a slot is free. Throws
   * 503 if there is none, and may reserve the next one for the caller.
   */
  claim(caller: Caller): RunningExport | undefined {
    const isOfStaff = isStaff(caller);
    if (!isOfStaff && !this.#isNext(caller)) throw noSlot();
    const running = [...this.#running].filter(({ stream }) => !stream.isOver);
    const ofUsers = running.filter((run) => !isStaff(run.caller));
    const isFree = running.length < exportsMax && (isOfStaff || ofUsers.length === 0);
    if (isFree) return undefined;
    const preempted = ofUsers.find(({ isPreemptible }) => isPreemptible);
    if (preempted !== undefined) return preempted;
    const hasOwn = ofUsers.some((run) => run.caller.userId === caller.userId);
    if (!isOfStaff && !hasOwn) this.#reserve(caller);
    throw noSlot();
  }

  #isNext({ userId }: Caller): boolean {
    return this.#next === undefined || this.#next.userId === userId || this.#next.until <= this.#now();
  }

  #reserve({ userId }: Caller): void {
    this.#next = { userId, until: this.#now() + exportReservedMilliseconds };
  }
}

const retrySeconds = 10;

function noSlot(): Problem {
  return unavailable('Other exports are running or come first; retry in a moment.', retrySeconds);
}
