// Answers that clients have not read yet: bounded in all, at the cost of the client with the most unread.
import type { ServerResponse } from 'node:http';
import { unsentBytesMax } from '../limits.ts';

type UnsentAnswer = { readonly response: ServerResponse; readonly client: string; readonly bytes: number };

/** Past `bytesMax` the client with the most unread bytes loses its connections, the oldest answer first. */
export class UnsentAnswers {
  readonly #bytesMax: number;
  readonly #onCut: () => void;
  readonly #answers = new Set<UnsentAnswer>(); // the oldest first
  #bytes = 0;

  constructor({
    bytesMax = unsentBytesMax,
    onCut,
  }: {
    readonly bytesMax?: number;
    readonly onCut: () => void;
  }) {
    this.#bytesMax = bytesMax;
    this.#onCut = onCut;
  }

  /** For an answer that its socket could not send at once. */
  add(answer: UnsentAnswer): void {
    this.#answers.add(answer);
    this.#bytes += answer.bytes;
    answer.response.once('close', () => this.#remove(answer));
    while (this.#bytes > this.#bytesMax) this.#cutOldestOf(this.#greediest());
  }

  get bytes(): number {
    return this.#bytes;
  }

  #remove(answer: UnsentAnswer): void {
    if (this.#answers.delete(answer)) this.#bytes -= answer.bytes;
  }

  #greediest(): string {
    const sums = new Map<string, number>();
    let greediest = '';
    for (const { client, bytes } of this.#answers) {
      const sum = (sums.get(client) ?? 0) + bytes;
      sums.set(client, sum);
      if (sum > (sums.get(greediest) ?? 0)) greediest = client;
    }
    return greediest;
  }

  #cutOldestOf(client: string): void {
    for (const answer of this.#answers) {
      if (answer.client !== client) continue;
      this.#remove(answer);
      answer.response.destroy();
      this.#onCut();
      return;
    }
  }
}
