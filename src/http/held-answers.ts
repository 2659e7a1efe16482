// The answers of an import, held back while its client still sends: proxies such as nginx send no more of a
// request once its response has begun, and many clients read nothing before they have sent everything.
import { importHeldBytesMax } from '../limits.ts';
import type { ResponseStream } from './response-stream.ts';

export class HeldAnswers {
  readonly #stream: ResponseStream;
  #held: string[] = [];
  #chars = 0;
  #isOpen = false;

  constructor(stream: ResponseStream) {
    this.#stream = stream;
  }

  write(text: string): void {
    if (this.#isOpen) return this.#stream.write(Buffer.from(text));
    this.#held.push(text);
    this.#chars += text.length;
    if (this.#chars > importHeldBytesMax) this.open();
  }

  /** From now on answers leave at once. */
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#stream.begin();
    if (this.#held.length > 0) this.#stream.write(Buffer.from(this.#held.join('')));
    this.#held = [];
  }
}
