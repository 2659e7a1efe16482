// The header fields and security events that steps and handlers add to a response before it is sent.
import { noSecurityEvents, type SecurityEvent } from '../security-event.ts';
import { headerLine, type HeaderLines } from '../header-lines.ts';
import type { BucketState } from '../rates/limiter.ts';

export class ResponseDraft {
  /** The states of the buckets from which the request has consumed a token. */
  #bucketStates: readonly BucketState[] = noBucketStates;
  #securityEvents: readonly SecurityEvent[] = noSecurityEvents;
  #cookie: string | undefined = undefined;

  addBucketState(state: BucketState): void {
    this.#bucketStates = [...this.#bucketStates, state];
  }

  removeBucketState(state: BucketState): void {
    this.#bucketStates = this.#bucketStates.filter((each) => each !== state);
  }

  /** Sets the value of the Set-Cookie field. */
  setCookie(value: string): void {
    this.#cookie = value;
  }

  addSecurityEvent(event: SecurityEvent): void {
    this.#securityEvents = [...this.#securityEvents, event];
  }

  get hasSecurityEvents(): boolean {
    return this.#securityEvents.length > 0;
  }

  takeSecurityEvents(): readonly SecurityEvent[] {
    const events = this.#securityEvents;
    this.#securityEvents = noSecurityEvents;
    return events;
  }

  get lines(): HeaderLines {
    let lines = '';
    for (const state of this.#bucketStates) lines += state.lines;
    if (this.#cookie !== undefined) lines += headerLine('Set-Cookie', this.#cookie);
    return lines;
  }
}

const noBucketStates: readonly BucketState[] = [];
