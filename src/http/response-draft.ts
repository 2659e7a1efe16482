// The header fields and security events that steps and handlers add to a response before it is sent.
import { noSecurityEvents, type SecurityEvent } from '../security-event.ts';
import { headerLine, type HeaderLines } from '../header-lines.ts';

export class ResponseDraft {
  #rateLines: HeaderLines = '';
  #securityEvents: readonly SecurityEvent[] = noSecurityEvents;
  #cookie: string | undefined = undefined;

  /** Adds lines that describe the state of a token bucket. */
  addRateLines(lines: HeaderLines): void {
    this.#rateLines += lines;
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
    if (this.#cookie === undefined) return this.#rateLines;
    return this.#rateLines + headerLine('Set-Cookie', this.#cookie);
  }
}
