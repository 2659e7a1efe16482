// Bounds the bytes of responses that clients have not read. Beyond the bound, the client with the most such
// bytes loses connections.
import type { ServerResponse } from 'node:http';
import { capacity } from '../../base/capacity.ts';

/** The bytes of responses that clients have not read yet, in total. */
export const unsentBytesMax = capacity.transferBytes;

type UnsentResponse = { readonly response: ServerResponse; readonly client: string; readonly bytes: number };

/**
 * Beyond `unsentBytesMax`, closes connections of the client with the most bytes, the oldest response first.
 */
export class UnsentResponses {
  readonly #onDrop: () => void;
  readonly #responses = new Set<UnsentResponse>(); // the oldest first
  #bytes = 0;

  /** `onDrop` is called for each connection that is closed. */
  constructor(onDrop: () => void) {
    this.#onDrop = onDrop;
  }

  /** Adds a response that its socket could not send immediately. */
  add(unsent: UnsentResponse): void {
    this.#responses.add(unsent);
    this.#bytes += unsent.bytes;
    unsent.response.once('close', () => this.#remove(unsent));
    while (this.#bytes > unsentBytesMax) this.#dropOldestOf(this.#greediest());
  }

  #remove(unsent: UnsentResponse): void {
    if (this.#responses.delete(unsent)) this.#bytes -= unsent.bytes;
  }

  #greediest(): string {
    const sums = new Map<string, number>();
    let greediest = '';
    for (const { client, bytes } of this.#responses) {
      const sum = (sums.get(client) ?? 0) + bytes;
      sums.set(client, sum);
      if (sum > (sums.get(greediest) ?? 0)) greediest = client;
    }
    return greediest;
  }

  #dropOldestOf(client: string): void {
    for (const unsent of this.#responses) {
      if (unsent.client !== client) continue;
      this.#remove(unsent);
      unsent.response.destroy();
      this.#onDrop();
      return;
    }
  }
}
