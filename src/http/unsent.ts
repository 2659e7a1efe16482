// Answers that clients have yet to read: bounded in all, at the cost of the client that leaves most unread.
import type { ServerResponse } from 'node:http';
import { unsentBytesMax } from '../limits.ts';

type Unsent = { readonly response: ServerResponse; readonly client: string; readonly bytes: number };

/** Past `bytesMax` the client with the most unsent bytes loses its connections, the oldest answer first. */
export function createUnsentAnswers({
  bytesMax = unsentBytesMax,
  onCut,
}: {
  readonly bytesMax?: number;
  readonly onCut: () => void;
}) {
  const answers = new Set<Unsent>();
  let total = 0;

  /** To be called for an answer that its socket could not take at once. */
  function add(answer: Unsent): void {
    answers.add(answer);
    total += answer.bytes;
    answer.response.once('close', () => remove(answer));
    while (total > bytesMax) cutOldestOf(greediest());
  }

  function remove(answer: Unsent): void {
    if (answers.delete(answer)) total -= answer.bytes;
  }

  function greediest(): string {
    const sums = new Map<string, number>();
    let most = '';
    for (const { client, bytes } of answers) {
      const sum = (sums.get(client) ?? 0) + bytes;
      sums.set(client, sum);
      if (sum > (sums.get(most) ?? 0)) most = client;
    }
    return most;
  }

  function cutOldestOf(client: string): void {
    for (const answer of answers) {
      if (answer.client !== client) continue;
      remove(answer);
      answer.response.destroy();
      onCut();
      return;
    }
  }

  return {
    add,
    get bytes() {
      return total;
    },
  };
}
