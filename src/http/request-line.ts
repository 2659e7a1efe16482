// How long the request line of a head is that arrives in several reads: one that is too large may be so for
// its target alone.
import { requestLineBytesMax } from '../limits.ts';

const lineEnd = 0x0a;
const headEnd = '\r\n\r\n';
/** All before the last line that begins with a method and a blank. No header field does. */
const beforeLine = /^(?:[^]*\n)?(?=[A-Z]{1,32} (?:\/|$))/;

export class RequestLine {
  #bytes = 0;
  #hasEnded = false;

  /** Whether its target alone is too long: then its header fields may be within their limit. */
  get isTooLong(): boolean {
    return this.#bytes > requestLineBytesMax;
  }

  /** The head that it belonged to is complete. */
  reset(): void {
    this.#bytes = 0;
    this.#hasEnded = false;
  }

  /** `read` may begin with earlier requests; it ends within the head, or between two. */
  add(read: Buffer): void {
    if (this.#hasEnded) return;
    const start = this.#bytes > 0 ? 0 : beforeLine.exec(read.toString('latin1'))?.[0].length;
    if (start === undefined || read.includes(headEnd, start)) return;
    const end = read.indexOf(lineEnd, start);
    this.#hasEnded = end !== -1;
    this.#bytes += (this.#hasEnded ? end : read.length) - start;
  }
}
