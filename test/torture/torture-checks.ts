// The checks of a service that was killed, once it runs again.
import type { FeedReader } from './feed-reader.ts';
import type { LoadClient, Reply, Thing } from '../support/load-client.ts';
import { renew, type Memory, type Round } from './mixed-changes.ts';

const repeatsMax = 60;
const credentialsMax = 20;

export type CheckCounts = { replayed: number; compared: number };

/** Compares everything in the service with its responses. */
export async function checkAll(round: Round, reader: FeedReader, result: CheckCounts): Promise<void> {
  const { memory, client, violation } = round;
  try {
    await repeatUnanswered(round);
    const found = await listEverything(memory, client);
    memory.ledger.compare(found).forEach(violation);
    result.compared += found.length;
    (await reader.differences(client, found)).forEach(violation);
    result.replayed += await repeatAnswered(round);
    await checkCredentials(round);
  } catch (error) {
    violation(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}

/** Half of the requests with an Idempotency-Key and no response are sent again, as clients would. */
async function repeatUnanswered({ memory, client, picker, violation }: Round): Promise<void> {
  for (const [asked, { name, close }] of memory.unanswered) {
    if (picker.float() < 0.5) continue;
    const reply = await client.ask(asked);
    if (reply.status >= 300)
      violation(`The repeated ${asked.method} ${asked.path} gave ${reply.status}: ${reply.text}`);
    memory.kept.push({ asked, reply });
    memory.ledger.answered(name, reply.thing);
    close();
  }
  memory.unanswered.clear();
}

/** Requests with an Idempotency-Key that had a response have the same one again, to the byte. */
async function repeatAnswered({ memory, client, picker, violation }: Round): Promise<number> {
  const kept = memory.kept.filter((each) => !isOfDeletedUser(each, memory));
  const recent = kept.slice(-repeatsMax / 2);
  const some = kept.length === 0 ? [] : Array.from({ length: repeatsMax / 2 }, () => picker.pick(kept));
  for (const { asked, reply } of [...recent, ...some]) {
    const again = await client.ask(asked);
    const isSame =
      again.status === reply.status &&
      again.text === reply.text &&
      again.headers.etag === reply.headers.etag &&
      again.headers.location === reply.headers.location;
    if (!isSame || again.headers['idempotency-replayed'] !== 'true')
      violation(`${asked.method} ${asked.path} was answered ${summary(reply)} and then ${summary(again)}`);
  }
  return recent.length + some.length;
}

/** What created an account goes with it: the same request would create another one. */
function isOfDeletedUser({ asked, reply }: Memory['kept'][number], { ledger }: Memory): boolean {
  return asked.path === '/api/users' && ledger.known(`user ${reply.thing['email']}`) === undefined;
}

function summary({ status, headers, text }: Reply): string {
  return `${status} (Idempotency-Replayed: ${headers['idempotency-replayed']}) ${text.slice(0, 300)}`;
}

async function checkCredentials(round: Round): Promise<void> {
  const {
    memory: { ledger, sessions, keys },
    client,
    violation,
  } = round;
  for (const [name, { accessToken, refreshToken }] of [...sessions].slice(-credentialsMax)) {
    const known = ledger.known(name);
    const { status } = await client.ask({ method: 'GET', path: '/orders?limit=1', token: accessToken });
    if (status !== (known === undefined ? 401 : 200))
      violation(`The token of ${known === undefined ? 'the ended' : 'the'} ${name} gave ${status}.`);
    if (known !== undefined && refreshToken !== undefined) await renew(round, name);
    if (known === undefined) sessions.delete(name);
  }
  for (const [name, key] of [...keys].slice(-credentialsMax)) {
    const { status } = await client.ask({
      method: 'GET',
      path: '/orders?limit=1',
      headers: { 'x-api-key': key },
    });
    if (status !== (ledger.known(name) === undefined ? 401 : 200))
      violation(`${name}, known as ${JSON.stringify(ledger.known(name))}, gave ${status}.`);
  }
}

export async function listEverything(
  { admin, staff }: Memory,
  client: LoadClient,
): Promise<(readonly [string, Thing])[]> {
  const lists = [
    ['order', 'note', '/orders?limit=200&sort=id', admin],
    ['customer', 'name', '/customers?limit=200', admin],
    ['user', 'email', '/api/users?limit=200', admin],
    ['key', 'name', '/api/keys?limit=200', staff],
    ['session', 'userAgent', '/api/sessions?limit=200', admin],
    ['session', 'userAgent', `/api/sessions?limit=200&userId=${staff.id}`, admin],
  ] as const;
  const found = await Promise.all(
    lists.map(async ([kind, member, path, { token }]) => {
      const things = await client.list(path, token);
      return things.map((thing) => [`${kind} ${thing[member]}`, thing] as const);
    }),
  );
  return found.flat();
}
