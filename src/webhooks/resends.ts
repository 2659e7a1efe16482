// The time at which an undelivered event may be sent again for an administrator: immediately, but not often.
import { webhookResendMilliseconds } from '../limits.ts';

/**
 * The resends of one webhook. Without a bound, administrators could have the service call a receiver as often
 * as they call the service.
 */
export class Resends {
  /** Whether the next event was sent before without success, or is being sent. */
  #isUndelivered: boolean;
  /** The time of the last resend for an administrator. */
  #resentAt = -Infinity;

  constructor({ failingSince }: { readonly failingSince: number | null }) {
    this.#isUndelivered = failingSince !== null;
  }

  /**
   * `failures` is the number of failed attempts since the last resend for an administrator; 0 marks such a
   * resend, as a retry has at least one.
   */
  onSend(sentAt: number, failures: number): void {
    if (this.#isUndelivered && failures === 0) this.#resentAt = sentAt;
    this.#isUndelivered = true;
  }

  onDelivery(): void {
    this.#isUndelivered = false;
    this.#resentAt = -Infinity;
  }

  /** Returns the time of the next resend; null if it may be immediate. */
  nextAt(now: number): number | null {
    const at = Math.min(this.#resentAt, now) + webhookResendMilliseconds; // the clock may have been set back
    return this.#isUndelivered && at > now ? at : null;
  }
}
