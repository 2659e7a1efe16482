// Buffers the results of an import while its client is still sending: proxies such as nginx stop forwarding a
// request once its response has begun, and many clients read nothing until they have sent everything.
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

  /** Sends the buffered results; from now on results are sent immediately. */
  flush(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    this.#stream.begin();
    if (this.#buffered.length > 0) this.#stream.write(Buffer.from(this.#buffered.join('')));
    this.#buffered = [];
  }
}
