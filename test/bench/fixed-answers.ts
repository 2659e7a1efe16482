// Records the service's responses, which bare node:http then sends: same status, header fields and bytes.
import { writeFileSync } from 'node:fs';
import type { LoadRequest, Reply } from '../support/load-client.ts';
import type { Target } from './workloads.ts';

export type FixedAnswer = Pick<Reply, 'status' | 'headers' | 'text'>;
export type FixedAnswers = Readonly<Record<'read' | 'list' | 'place', FixedAnswer>>;

const askedPerKind = 25;
const addedByNode = ['date', 'connection', 'keep-alive', 'transfer-encoding'];

/** Writes the responses for the bare server; throws when the first of them isn't the expected one. */
export async function writeFixedAnswers(
  file: string,
  target: Target,
  requests: readonly LoadRequest[],
  status: number,
): Promise<void> {
  const kinds = Map.groupBy(requests, ({ method, path }) =>
    method === 'POST' ? 'place' : path.includes('?') ? 'list' : 'read',
  );
  const answerTo = async (kind: keyof FixedAnswers) => typicalAnswer(target, kinds.get(kind) ?? []);
  const [read, list, place] = [await answerTo('read'), await answerTo('list'), await answerTo('place')];
  const any = read ?? list ?? place;
  if (any?.status !== status) throw new Error(`Expected ${status} but was answered: ${JSON.stringify(any)}`);
  const answers: FixedAnswers = { read: read ?? any, list: list ?? any, place: place ?? any };
  writeFileSync(file, JSON.stringify(answers));
}

/** The response of median length, without the fields that the bare server has anyway; undefined without requests. */
async function typicalAnswer(
  target: Target,
  requests: readonly LoadRequest[],
): Promise<FixedAnswer | undefined> {
  const replies: Reply[] = [];
  const step = Math.ceil(requests.length / askedPerKind);
  for (const [index, request] of requests.entries())
    if (index % step === 0) replies.push(await target.client.ask(request));
  replies.sort((one, other) => one.text.length - other.text.length);
  const middle = replies[Math.floor(replies.length / 2)];
  if (middle === undefined) return undefined;
  const own = Object.entries(middle.headers).filter(([name]) => !addedByNode.includes(name));
  return { status: middle.status, headers: Object.fromEntries(own), text: middle.text };
}
