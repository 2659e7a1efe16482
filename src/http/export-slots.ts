// The slots of exports: who may begin an export, and which slow one has to end for it.
import { isStaff, type Caller } from '../auth/access.ts';
import {
  exportBytesPerSecondMin,
  exportMillisecondsMin,
  exportPlaceMilliseconds,
  exportsMax,
  exportSlowMilliseconds,
  exportsWaitingMax,
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
  readonly #waitingMax: number;
  readonly #running = new Set<RunningExport>();
  /**
   * The users without staff rights who were rejected, in the order of their first requests, and until when
   * each keeps their place: long enough for a retry. Otherwise those who retry faster could take the slot
   * again and again.
   */
  readonly #waiting = new Map<number, number>();

  constructor(now: () => number, waitingMax = exportsWaitingMax) {
    this.#now = now;
    this.#waitingMax = waitingMax;
  }

  get taken(): number {
    return this.#running.size;
  }

  add(run: RunningExport): void {
    this.#running.add(run);
    this.#waiting.delete(run.caller.userId); // not in `claim`: HEAD begins no export
  }

  delete(run: RunningExport): void {
    this.#running.delete(run);
  }

  /**
   * Returns the export that has to end before one of this caller begins; undefined if a slot is free. Throws
   * 503 if there is none, or if others come first.
   */
  claim(caller: Caller): RunningExport | undefined {
    const running = [...this.#running].filter(({ stream }) => !stream.isOver);
    const ofUsers = running.filter((run) => !isStaff(run.caller));
    const isOfStaff = isStaff(caller);
    if (isOfStaff || this.#isFirst(caller)) {
      const isFree = running.length < exportsMax && (isOfStaff || ofUsers.length === 0);
      if (isFree) return undefined;
      const preempted = ofUsers.find(({ isPreemptible }) => isPreemptible);
      if (preempted !== undefined) return preempted;
    }
    const hasOwn = ofUsers.some((run) => run.caller.userId === caller.userId);
    if (!isOfStaff && !hasOwn) this.#keepPlace(caller);
    throw noSlot();
  }

  /** Whether nobody waits who came before this user. */
  #isFirst({ userId }: Caller): boolean {
    const now = this.#now();
    for (const [each, until] of this.#waiting) if (until <= now) this.#waiting.delete(each);
    const [first = userId] = this.#waiting.keys();
    return first === userId;
  }

  /** A map keeps its order when a value is replaced. */
  #keepPlace({ userId }: Caller): void {
    const hasRoom = this.#waiting.has(userId) || this.#waiting.size < this.#waitingMax;
    if (hasRoom) this.#waiting.set(userId, this.#now() + exportPlaceMilliseconds);
  }
}

const retrySeconds = 10;

function noSlot(): Problem {
  return unavailable('Other exports are running or come first; retry in a moment.', retrySeconds);
}
