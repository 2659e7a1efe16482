// Thousands of random and mutated requests over all routes: none is a 5xx, none hangs, and every rejection
// is a complete problem document.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newCustomer, newKey, newOrder } from '../../support/resource-support.ts';
import { serviceFor, type TestService } from '../../support/service.ts';
import { until } from '../../support/storage-support.ts';
import { assertProblemDocument, assertStatus, withoutSyncs } from '../../support/http-support.ts';
import { openRaw, type RawResponse, type RawConnection } from '../../support/raw-connection.ts';
import { type Vocabulary, type FuzzRequest, requestFor, operationsOf } from './fuzz-requests.ts';
import { Dice } from './fuzz-values.ts';

const seed = 20_260_305;
const requestsMax = 6_000;
const connectionsMax = 40;
const responseMillisecondsMax = 10_000;

/** All documented operations, with valid and wrong credentials and cursors. */
async function vocabularyOf(service: TestService): Promise<Vocabulary> {
  const ada = await service.person();
  const [staff, root] = [await service.person('staff'), await service.person('admin')];
  const customerId = (await newCustomer(service, ada.token)).id;
  for (let index = 0; index < 5; index += 1) await newOrder(service, ada.token, { customerId });
  const { key } = await newKey(service, ada.token, {
    scopes: ['users:read', 'users:write', 'customers:read', 'customers:write', 'orders:read', 'orders:write'],
  });
  for (let index = 0; index < 15; index += 1) await service.person();
  const cursors: string[] = ['x', 'A'.repeat(30)];
  for (const path of ['/orders?', '/orders?sort=total&'])
    cursors.push(
      /cursor=(.*)/.exec((await service.get(`${path}limit=1`, { token: staff.token })).body.next)?.[1] ?? '',
    );
  return {
    operations: operationsOf((await service.get('/openapi.json')).body, customerId),
    cursors,
    credentials: [
      ...[ada, ada, staff, staff, staff, root, root].flatMap(({ token }) => [
        `Authorization: Bearer ${token}`,
        `authorization: bearer ${token}`,
      ]),
      `X-API-Key: ${key}`,
      `X-API-Key: ${key}`,
      `Authorization: Bearer ${ada.token.slice(0, -3)}AAA`,
      'Authorization: Basic YTpi',
      'Authorization:',
      'X-API-Key: ord_1_nonsense',
      `Authorization: Bearer ${'x'.repeat(5000)}`,
      `X-API-Key: ${key}\r\nAuthorization: Bearer ${root.token}`,
    ],
  };
}

/** Returns the response; to damaged bytes the first rejection, if there was one. */
async function ask(connection: RawConnection, request: FuzzRequest): Promise<RawResponse | undefined> {
  const { bytes, method, isBroken } = request;
  connection.write(bytes);
  if (!isBroken) return connection.response(method === 'HEAD' ? 'HEAD' : undefined);
  connection.socket.end();
  const rest = await connection.closed;
  assert.match(rest, /^(HTTP\/1\.1 \d|$)/);
  // a damaged HEAD may be another method
  return /^HTTP\/1\.1 [45]/.test(rest) && method !== 'HEAD' ? connection.response() : undefined;
}

function checkResponse(response: RawResponse, method: string): void {
  const { status, headers, text } = response;
  const isOverload = status === 503 && headers['retry-after'] !== undefined; // see below
  assert.ok(status >= 200 && (status < 500 || isOverload), `${status} ${text}`);
  assert.match(headers['x-request-id'] ?? '', /^[\w.-]{1,64}$/);
  if (status >= 400 && method !== 'HEAD') assertProblemDocument(response);
}

test(
  `${requestsMax} random and mutated requests do no harm (seed ${seed})`,
  { timeout: 120_000 },
  async (t) => {
    const service = await serviceFor(t, withoutSyncs);
    const vocabulary = await vocabularyOf(service);
    const dice = new Dice(seed);
    const statuses = new Map<number, number>();
    let sent = 0;

    async function askAndCheck(connection: RawConnection, request: FuzzRequest): Promise<void> {
      let isHung = false;
      const patience = setTimeout(() => {
        isHung = true;
        connection.socket.destroy();
      }, responseMillisecondsMax);
      try {
        const response = await ask(connection, request);
        assert.ok(!isHung); // to damaged bytes nothing is a response, too
        if (response === undefined) return;
        checkResponse(response, request.method);
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        if (response.headers['connection'] === 'close') await connection.closed;
      } catch (cause) {
        const why = isHung ? `nothing within ${responseMillisecondsMax} ms` : String(cause);
        throw new Error(`request ${sent}: ${why}\n${request.bytes.toString('latin1')}`, { cause });
      } finally {
        clearTimeout(patience);
      }
    }

    async function client(): Promise<void> {
      let connection = await openRaw(service.port);
      while (sent < requestsMax) {
        sent += 1;
        const request = requestFor(dice, vocabulary);
        await askAndCheck(connection, request);
        if (!request.isBroken && !connection.socket.readableEnded) continue;
        connection.socket.destroy();
        connection = await openRaw(service.port);
      }
      connection.socket.destroy();
    }

    await Promise.all(Array.from({ length: connectionsMax }, client));
    // the requests created and changed things, and were rejected in every way
    for (const status of [200, 201, 204, 304, 400, 401, 403, 404, 405, 406, 409, 412, 415, 422])
      assert.ok((statuses.get(status) ?? 0) > 0, `no response was ${status}`);
    // an executable hashes passwords at their full cost, so it may have too many to check
    if (service.inside !== undefined) assert.equal(statuses.get(503), undefined);
    await assertStatus(service.get('/health/ready'), 200);
    await service.get('/orders', { headers: { 'x-request-id': 'the-last' } });
    await until(() => service.logged.some((line) => line.includes('"the-last"')));
    const errors = service.logged.filter((line) => line.includes('"level":"error"'));
    assert.deepEqual(
      errors.filter((line) => !line.includes('"status":503')),
      [],
    );
    t.diagnostic(`responses by status: ${JSON.stringify(Object.fromEntries(statuses))}`);
  },
);
