// Twenty thousand random and mutated requests over all routes: none is a 5xx, none hangs, and every refusal
// is a whole problem document.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newCustomer, newKey, newOrder } from '../resources/resource-support.ts';
import { serviceFor, type TestService } from '../service.ts';
import { until } from '../storage/storage-support.ts';
import { assertProblemDocument } from './http-support.ts';
import { openRaw, type RawAnswer, type RawConnection } from './raw-connection.ts';

const seed = 20_260_301;
const requestsMax = 20_000;
const connectionsMax = 40;
const answerMillisecondsMax = 10_000;

type Json = { readonly [name: string]: unknown };
type Operation = {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly string[];
  readonly example: unknown;
};
type World = {
  readonly operations: readonly Operation[];
  readonly credentials: readonly string[];
  readonly cursors: readonly string[];
};
/**
 * `isBroken`: its bytes were damaged at random, so that it may have no end; then the connection is closed
 * behind it.
 */
type Asked = { readonly bytes: Buffer; readonly method: string; readonly isBroken: boolean };

/** The same numbers at every run (mulberry32). */
class Dice {
  #state: number;

  constructor(state: number) {
    this.#state = state;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  falls(chance: number): boolean {
    return this.next() < chance;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T; // the index is below the length
  }
}

const texts = [
  '',
  ' ',
  'a',
  'Ada Lovelace',
  'x'.repeat(201),
  'x'.repeat(5000),
  '\0',
  '\n',
  '\u2028',
  '\ud83d\ude00',
  'ü'.repeat(100),
  'a@b',
  'ada@example.com',
  '__proto__',
  'constructor',
  'toString',
  "' OR 1=1 --",
  '"; DROP TABLE orders; --',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '%00',
  '%',
  '${7*7}',
  '{{7*7}}',
  'null',
  'undefined',
  'NaN',
  'true',
  '1e309',
  '-1',
  '0',
  '9007199254740993',
  '2026-03-01T09:30:00.000Z',
  '2026-02-30T09:30:00.000Z',
  '0000-00-00T00:00:00.000Z',
  'open',
  'paid',
  'EUR',
  'DE',
  'GB',
  'id',
  '-createdAt',
  'open,paid',
  '+4944112345678',
  '26122',
  'SW1A 2AA',
  '\u202e',
  '\u0000\u0001',
  'e\u0301',
  'ẞ',
  'İ',
];
const numbers = [
  0,
  -0,
  1,
  2,
  3,
  5,
  -1,
  1.5,
  1e-7,
  749,
  1e6,
  1e6 + 1,
  1e12,
  1e12 + 1,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  1e21,
  1e308,
  -(2 ** 63),
];

function anyValue(dice: Dice, depth = 0): unknown {
  switch (dice.below(depth > 3 ? 5 : 7)) {
    case 0:
      return dice.pick(numbers);
    case 1:
      return null;
    case 2:
      return dice.falls(0.5);
    case 3:
    case 4:
      return dice.pick(texts);
    case 5:
      return Array.from({ length: dice.below(5) }, () => anyValue(dice, depth + 1));
    default:
      return Object.fromEntries(
        Array.from({ length: dice.below(5) }, () => [dice.pick(texts), anyValue(dice, depth + 1)]),
      );
  }
}

/** The value with a few of its parts changed, left out or added. */
function mutated(dice: Dice, value: unknown): unknown {
  if (dice.falls(0.06)) return anyValue(dice);
  if (Array.isArray(value)) {
    const items = value.map((item) => mutated(dice, item));
    return dice.falls(0.1) ? items.concat(items, [anyValue(dice)]) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value)
    .filter(() => !dice.falls(0.06))
    .map(([name, member]) => [name, mutated(dice, member)]);
  return Object.fromEntries(dice.falls(0.06) ? [...kept, [dice.pick(texts), anyValue(dice)]] : kept);
}

function bodyFor(dice: Dice, example: unknown): string {
  const value = dice.falls(0.3) ? example : mutated(dice, example);
  // A fresh address, so that most new users are no one else's double.
  const fresh =
    typeof value === 'object' && value !== null && 'email' in value && dice.falls(0.7)
      ? { ...value, email: `u${dice.below(1e9)}@example.com` }
      : value;
  const text = JSON.stringify(fresh) ?? '';
  if (dice.falls(0.9)) return text;
  const at = dice.below(text.length + 1);
  const noise = dice.pick(['"', '{', ']', ',', ':', '\\', '\\ud800', '\u0000', '1', 'e', '\ufeff']);
  return dice.pick([
    text.slice(0, at),
    text.slice(0, at) + noise + text.slice(at),
    text + text,
    '['.repeat(at),
    text.replace('{', '{"a":1,"a":2,'),
    '',
  ]);
}

const ids = [
  '1',
  '2',
  '3',
  '5',
  '7',
  '40',
  '999',
  '0',
  '-1',
  '01',
  '1.0',
  'x',
  '%31',
  '9007199254740991',
  '9007199254740992',
  '99999999999999999999',
  '',
  '__proto__',
  '..',
];
/**
 * Users and sessions that aren't ours: or the first DELETE that is right would end the credentials of all
 * that come after it.
 */
const idsOfOthers = ['20', '21', '22', '25', '30', '40', '999', '0', '-1', 'x', '9007199254740992'];

function targetFor(dice: Dice, { path, parameters }: Operation, method: string, { cursors }: World): string {
  const isOurs = method !== 'GET' && /^\/api\/(users|sessions)\/\{id\}/.test(path);
  const idFor = (): string =>
    isOurs ? dice.pick(idsOfOthers) : dice.pick(dice.falls(0.8) ? ids.slice(0, 6) : ids);
  let target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'name' ? dice.pick(['not-found', 'nonsense', '__proto__', '1']) : idFor(),
  );
  if (dice.falls(0.02))
    target = dice.pick([
      `/${target}`,
      `${target}/`,
      target.toUpperCase(),
      `http://elsewhere${target}`,
      '*',
      '//',
      '/%2e%2e/',
    ]);
  const pairs: string[] = [];
  while (dice.falls(0.35)) {
    const name = dice.falls(0.85) && parameters.length > 0 ? dice.pick(parameters) : dice.pick(texts);
    const value =
      name === 'cursor' && dice.falls(0.7)
        ? dice.pick(cursors)
        : dice.falls(0.3)
          ? String(dice.pick(numbers))
          : dice.pick(texts);
    const pair = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
    pairs.push(
      dice.falls(0.95)
        ? pair
        : dice.pick([
            '=',
            name.replaceAll(/[^a-z]/g, ''),
            '%',
            '%zz=%ff',
            'api_key=%',
            'api_key=x',
            '&&',
            '+',
          ]),
    );
  }
  return pairs.length === 0 ? target : `${target}?${pairs.join('&')}`;
}

const oddFields = [
  'Accept: text/html',
  'Accept: */*;q=0',
  'Accept: application/json;q=0.5, text/html',
  'Accept: \t,;=',
  'Accept: image/png',
  'If-Match: *',
  'If-Match: "x"',
  'If-Match: W/"x", "y"',
  'If-None-Match: *',
  'If-None-Match: "',
  'If-None-Match: W/"x"',
  'Idempotency-Key: a',
  'Idempotency-Key: b',
  'Idempotency-Key: ',
  'Idempotency-Key: a b',
  `Idempotency-Key: ${'k'.repeat(300)}`,
  'X-Request-Id: mine',
  'X-Request-Id: \u00ff',
  'traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  'traceparent: "\u0080',
  'Origin: https://evil.example',
  'Range: bytes=0-1',
  'Cookie: a=b',
  'X-HTTP-Method-Override: DELETE',
  'Content-Encoding: gzip',
  'Content-Type: text/plain',
  'Content-Type: application/json; charset=latin1',
  'Content-Language: de',
  'X-Forwarded-For: 203.0.113.1',
  'X-Forwarded-Proto: https',
  'Forwarded: for=x;proto=https',
  'Connection: keep-alive',
  'Upgrade: h2c',
  'TE: trailers',
  'User-Agent: \u00e9\u00ff',
  `User-Agent: ${'u'.repeat(2000)}`,
  'Host: elsewhere',
  'Date: never',
];

function requestFor(dice: Dice, world: World): Asked {
  const operation = dice.pick(world.operations);
  const method = dice.falls(0.93)
    ? operation.method
    : dice.pick(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']);
  const fields = ['Host: localhost'];
  if (dice.falls(0.9)) fields.push(dice.pick(world.credentials));
  while (dice.falls(0.15)) fields.push(dice.pick(oddFields));
  const hasBody = dice.falls(operation.example === undefined ? 0.03 : 0.97);
  const body = Buffer.from(hasBody ? bodyFor(dice, operation.example ?? anyValue(dice)) : '');
  if (hasBody && dice.falls(0.97)) {
    const isMergePatch = method === 'PATCH' && dice.falls(0.5);
    fields.push(`Content-Type: application/${isMergePatch ? 'merge-patch+json' : 'json'}`);
  }
  const isChunked = hasBody && dice.falls(0.1);
  if (hasBody) fields.push(isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`);
  const head = Buffer.from(
    `${method} ${targetFor(dice, operation, method, world)} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`,
    'latin1',
  );
  const bytes = Buffer.concat(
    isChunked
      ? [
          head,
          Buffer.from(`${body.length.toString(16)}\r\n`),
          body,
          Buffer.from(body.length === 0 ? '\r\n' : '\r\n0\r\n\r\n'),
        ]
      : [head, body],
  );
  const isBroken = dice.falls(0.05);
  return { bytes: isBroken ? damaged(dice, bytes) : bytes, method, isBroken };
}

function damaged(dice: Dice, bytes: Buffer): Buffer {
  const at = dice.below(bytes.length);
  const changed = Buffer.from(bytes);
  switch (dice.below(4)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([dice.below(256)]), bytes.subarray(at)]);
    case 2:
      return Buffer.concat([
        bytes.subarray(0, at),
        bytes.subarray(Math.min(bytes.length, at + 1 + dice.below(20))),
      ]);
    default:
      for (let flips = dice.below(4); flips >= 0; flips -= 1)
        changed[dice.below(changed.length)] = dice.below(256);
      return changed;
  }
}

/** Everything that is declared, with a body that fits where there is one. */
async function worldOf(service: TestService): Promise<World> {
  const [ada, staff, root] = [
    await service.person(),
    await service.person('staff'),
    await service.person('admin'),
  ];
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

function operationsOf(document: Json, customerId: number): Operation[] {
  const operations: Operation[] = [];
  for (const [path, item] of Object.entries(document['paths'] as Record<string, Record<string, Json>>)) {
    for (const [method, operation] of Object.entries(item)) {
      const { parameters = [], requestBody } = operation as {
        parameters?: { in?: string; name: string }[];
        requestBody?: { content: Record<string, { example?: Json }> };
      };
      const example = requestBody?.content['application/json']?.example;
      assert.ok(requestBody === undefined || example !== undefined, `${method} ${path} shows no example`);
      operations.push({
        method: method.toUpperCase(),
        path,
        parameters: parameters.filter((each) => each.in === 'query').map(({ name }) => name),
        example: example !== undefined && 'customerId' in example ? { ...example, customerId } : example,
      });
    }
  }
  return operations;
}

/** The answer; to damaged bytes the first refusal, if there was one. */
async function ask(connection: RawConnection, { bytes, method, isBroken }: Asked): Promise<RawAnswer[]> {
  connection.write(bytes);
  if (!isBroken) return [await connection.answer(method === 'HEAD' ? 'HEAD' : undefined)];
  connection.socket.end();
  const rest = await connection.closed;
  assert.match(rest, /^(HTTP\/1\.1 \d|$)/);
  // what was a HEAD may be none now
  return /^HTTP\/1\.1 [45]/.test(rest) && method !== 'HEAD' ? [await connection.answer()] : [];
}

function checkAnswer(answer: RawAnswer, method: string): void {
  const isOverload = answer.status === 503 && answer.headers['retry-after'] !== undefined; // see below
  assert.ok(answer.status >= 200 && (answer.status < 500 || isOverload), `${answer.status} ${answer.text}`);
  assert.match(answer.headers['x-request-id'] ?? '', /^[\w.-]{1,64}$/);
  if (answer.status >= 400 && method !== 'HEAD') assertProblemDocument(answer);
}

test(
  `${requestsMax} random and mutated requests do no harm (seed ${seed})`,
  { timeout: 120_000 },
  async (t) => {
    const service = await serviceFor(t, { fdatasync: (_descriptor, done) => void setImmediate(done, null) });
    const world = await worldOf(service);
    const dice = new Dice(seed);
    const statuses = new Map<number, number>();
    let left = requestsMax;

    async function client(): Promise<void> {
      let connection = await openRaw(service.port);
      while (left > 0) {
        left -= 1;
        const asked = requestFor(dice, world);
        let isHung = false;
        const patience = setTimeout(() => {
          connection.socket.destroy();
          isHung = true;
        }, answerMillisecondsMax);
        try {
          for (const answer of await ask(connection, asked)) {
            checkAnswer(answer, asked.method);
            statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
            if (answer.headers['connection'] === 'close') await connection.closed;
          }
          assert.ok(!isHung, `nothing within ${answerMillisecondsMax} ms`);
        } catch (error) {
          throw new Error(
            `request ${requestsMax - left}: ${String(error)}\n${asked.bytes.toString('latin1')}`,
            { cause: error },
          );
        } finally {
          clearTimeout(patience);
        }
        if (!asked.isBroken && !connection.socket.readableEnded) continue;
        connection.socket.destroy();
        connection = await openRaw(service.port);
      }
      connection.socket.destroy();
    }

    await Promise.all(Array.from({ length: connectionsMax }, client));
    // It reached what it was to reach: things were made, changed, and refused in every way.
    for (const status of [200, 201, 204, 304, 400, 401, 403, 404, 405, 406, 409, 412, 415, 422])
      assert.ok((statuses.get(status) ?? 0) > 0, `no answer was ${status}`);
    // An executable hashes passwords at their full cost, so it may well say that it has too many to check.
    if (service.inside !== undefined) assert.equal(statuses.get(503), undefined);
    assert.equal(
      (await service.get('/health/ready', { headers: { 'x-request-id': 'the-last' } })).status,
      200,
    );
    await until(() => service.logged.some((line) => line.includes('"the-last"')));
    assert.deepEqual(
      service.logged.filter((line) => line.includes('"level":"error"') && !line.includes('"status":503')),
      [],
    );
    t.diagnostic(`answers by status: ${JSON.stringify(Object.fromEntries(statuses))}`);
  },
);
