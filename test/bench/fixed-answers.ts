// Records the service's responses, which bare node:http then sends: same status, header fields and bytes.
import { writeFileSync } from 'node:fs';
import type { TestResponse, Ask } from './ask.ts';
import type { FixedAnswer, FixedAnswers, Target } from './workloads.ts';

const askedPerKind = 25;
const addedByNode = ['date', 'connection', 'keep-alive', 'transfer-encoding'];

/** Writes the responses for the bare server; throws when the first of them isn't the expected one. */
export async function writeFixedAnswers(
  file: string,
  target: Target,
  requests: readonly Ask[],
  status: number,
): Promise<void> {
  const isList = ({ path }: Ask) => path.includes('?');
  const isPlace = ({ method }: Ask) => method === 'POST';
  const answerTo = async (kind: readonly Ask[]) =>
    kind.length === 0 ? undefined : fixed(await typicalAnswer(target, kind));
  const place = await answerTo(requests.filter(isPlace));
  const list = await answerTo(requests.filter(isList));
  const read = await answerTo(requests.filter((request) => !isPlace(request) && !isList(request)));
  const any = read ?? list ?? place;
  if (any === undefined || any.status !== status)
    throw new Error(`Expected ${status} but was answered: ${JSON.stringify(any)}`);
  writeFileSync(
    file,
    JSON.stringify({ read: read ?? any, list: list ?? any, place: place ?? any } satisfies FixedAnswers),
  );
}

/** The response of median length. */
async function typicalAnswer(target: Target, requests: readonly Ask[]): Promise<TestResponse> {
  const responses: TestResponse[] = [];
  const step = Math.ceil(requests.length / askedPerKind);
  for (let at = 0; at < requests.length; at += step) {
    const request = requests[at];
    if (request) responses.push(await target.ask(request));
  }
  responses.sort((one, other) => one.body.length - other.body.length);
  const middle = responses[Math.floor(responses.length / 2)];
  if (middle === undefined) throw new Error('There was nothing to ask.');
  return middle;
}

function fixed({ status, rawHeaders, body }: TestResponse): FixedAnswer {
  const isOwn = (index: number) =>
    !addedByNode.includes(rawHeaders[index - (index % 2)]?.toLowerCase() ?? '');
  return { status, headers: rawHeaders.filter((_, index) => isOwn(index)), body };
}
