// When what is not delivered may be sent again because an administrator wants it: at once, but not often.
import { webhookResendMilliseconds } from '../limits.ts';

/**
 * Of one webhook. Without a bound, administrators could have the service call a receiver as often as they
 * call the service.
 */
export class Resends {
  /** Whether the event that is next was sent before, or is being sent. */
  #isUndelivered: boolean;
  /** When it was last sent again for an administrator. */
  #resentAt = -Infinity;

  constructor({ failingSince }: { readonly failingSince: number | null }) {
    this.#isUndelivered = failingSince !== null;
  }

  /** `failures` are those since an administrator last wanted it sent: its retries are no resends. */
  onSend(sentAt: number, failures: number): void {
    if (this.#isUndelivered && failures === 0) this.#resentAt = sentAt;
    this.#isUndelivered = true;
  }

  onDelivery(): void {
    this.#isUndelivered = false;
    this.#resentAt = -Infinity;
  }

  /** When the next one may be; null for at once. */
  nextAt(now: number): number | null {
    const at = Math.min(this.#resentAt, now) + webhookResendMilliseconds; // the clock may have been set back
    return this.#isUndelivered && at > now ? at : null;
  }
}
