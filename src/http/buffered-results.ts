// Buffers the results of an import while its client still sends: proxies such as nginx send no more of a
// request once its response has begun, and many clients read nothing before they have sent everything.
import { importBufferedBytesMax } from '../limits.ts';
import type { ResponseStream } from './response-stream.ts';

export class BufferedResults {
  readonly #stream: ResponseStream;
  #buffered: string[] = [];
  #chars = 0;
  #isSending = false;

  constructor(stream: ResponseStream) {
    this.#stream = stream;
  }

  write(text: string): void {
    if (this.#isSending) return this.#stream.write(Buffer.from(text));
    this.#buffered.push(text);
    this.#chars += text.length;
    if (this.#chars > importBufferedBytesMax) this.flush();
  }

  /** Sends what is buffered; from now on results are sent at once. */
  flush(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    this.#stream.begin();
    if (this.#buffered.length > 0) this.#stream.write(Buffer.from(this.#buffered.join('')));
    this.#buffered = [];
  }
}
