// Requests that may be sent twice: Idempotency-Key (contract section 7).
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createPasswordHasher } from '../../src/auth/password.ts';
import { assertFaults, items, newCustomer, newKey, newOrder } from '../resources/resource-support.ts';
import { password, serviceFor, type Answer, type Call, type Person } from '../service.ts';
import { until } from '../storage/storage-support.ts';
import { assertProblem, sharedService } from './http-support.ts';

const daySeconds = 24 * 3600;
const withKey = (key: string): Record<string, string> => ({ 'idempotency-key': key });
const isReplay = ({ headers }: Answer): boolean => headers['idempotency-replayed'] === 'true';

describe('Idempotency-Key', () => {
  let ada: Person, bob: Person, staff: Person;
  let customerId = 0;
  const service = sharedService({}, async (started) => {
    [ada, bob, staff] = await Promise.all([started.person(), started.person(), started.person('staff')]);
    customerId = (await newCustomer(started, ada.token)).id;
  });
  const order = (members: object = {}): object => ({ customerId, currency: 'EUR', items, ...members });
  const place = (key: string, body: object = order(), token = ada.token): Promise<Answer> =>
    service().post('/orders', { token, body, headers: withKey(key) });

  const takers: Readonly<
    Record<string, () => Promise<readonly [method: string, path: string, body: object]>>
  > = {
    'POST /orders': () => Promise.resolve(['POST', '/orders', order({ note: 'für Ægir 😀' })]),
    'POST /customers': () => Promise.resolve(['POST', '/customers', { name: 'Zoë 東京' }]),
    'POST /api/users': () =>
      Promise.resolve(['POST', '/api/users', { name: 'Grace', email: 'grace@example.com', password }]),
    'PATCH /orders/{id}': async () => [
      'PATCH',
      `/orders/${(await newOrder(service(), ada.token)).id}`,
      { status: 'cancelled', note: 'für Ægir' },
    ],
  };
  for (const [name, make] of Object.entries(takers)) {
    test(`${name}: the same key and body get the first answer again`, async () => {
      const [method, path, body] = await make();
      const send = (): Promise<Answer> =>
        service().call(method, path, {
          body,
          headers: withKey(`again ${name}`.replaceAll(' ', '-')),
          token: ada.token,
        });
      const [first, second, third] = [await send(), await send(), await send()];
      assert.ok(first.status < 300, first.text);
      assert.equal(first.headers['idempotency-replayed'], undefined);
      for (const again of [second, third]) {
        assert.ok(isReplay(again));
        assert.deepEqual([again.status, again.text], [first.status, first.text]);
        const different = new Set(['x-request-id', 'date', 'idempotency-replayed']);
        for (const field of new Set([...Object.keys(first.headers), ...Object.keys(again.headers)])) {
          if (!different.has(field)) assert.equal(again.headers[field], first.headers[field], field);
        }
        assert.notEqual(again.headers['x-request-id'], first.headers['x-request-id']);
      }
    });

    test(`${name}: another body is idempotency-key-reused, and changes nothing`, async () => {
      const [method, path, body] = await make();
      const key = withKey(`other-${method}-${path}`);
      const first = await service().call(method, path, {
        token: ada.token,
        headers: key,
        body: 'email' in body ? { ...body, email: 'other@example.com' } : body,
      });
      assert.ok(first.status < 300, first.text);
      const other =
        'name' in body ? { ...body, email: 'third@example.com', name: 'Other' } : { ...body, note: 'other' };
      assertProblem(
        await service().call(method, path, { token: ada.token, headers: key, body: other }),
        'idempotency-key-reused',
      );
      assert.equal(
        (
          await service().get(first.headers.location ?? path, {
            token: path === '/api/users' ? (await service().person('admin')).token : ada.token,
          })
        ).text,
        first.text,
      );
    });
  }

  test('an order is made once, however often it is placed with one key', async () => {
    const count = async (): Promise<number> =>
      (await service().get('/orders?total=true&limit=1', { token: ada.token })).body.total;
    const before = await count();
    for (let index = 0; index < 5; index += 1) await place('once');
    assert.equal(await count(), before + 1);
  });

  test('fifty at once make one order: one is its answer, the others say so or wait', async () => {
    const before = (await service().get('/orders?total=true&limit=1', { token: ada.token })).body.total;
    const answers = await Promise.all(Array.from({ length: 50 }, () => place('fifty')));
    const made = answers.filter((answer) => answer.status === 201 && !isReplay(answer));
    assert.equal(made.length, 1);
    for (const answer of answers) {
      if (answer.status === 201) assert.equal(answer.text, made[0]?.text);
      else {
        assertProblem(answer, 'idempotency-key-in-progress');
        assert.equal(answer.headers['retry-after'], '1');
      }
    }
    assert.equal(
      (await service().get('/orders?total=true&limit=1', { token: ada.token })).body.total,
      before + 1,
    );
    assert.equal((await place('fifty')).text, made[0]?.text);
  });

  test('fifty steps at once with one key are one step', async () => {
    const { id } = await newOrder(service(), ada.token);
    const send = (): Promise<Answer> =>
      service().patch(`/orders/${id}`, {
        token: staff.token,
        headers: withKey('fifty-steps'),
        body: { status: 'paid', note: 'paid' },
      });
    const answers = await Promise.all(Array.from({ length: 50 }, send));
    assert.equal(answers.filter((answer) => answer.status === 200 && !isReplay(answer)).length, 1);
    assert.ok(isReplay(await send()));
  });

  test('the first answer stays the answer, also when the order has moved on since', async () => {
    const { id } = await newOrder(service(), ada.token);
    const send = (): Promise<Answer> =>
      service().patch(`/orders/${id}`, {
        token: staff.token,
        headers: withKey('moved-on'),
        body: { status: 'paid' },
      });
    const first = await send();
    await service().patch(`/orders/${id}`, { token: staff.token, body: { status: 'shipped' } });
    const again = await send();
    assert.deepEqual([again.body.status, again.text, isReplay(again)], ['paid', first.text, true]);
    assert.equal((await service().get(`/orders/${id}`, { token: ada.token })).body.status, 'shipped');
  });

  test('principals are apart: another user, staff and an API key each make their own', async () => {
    const { key } = await newKey(service(), ada.token, { scopes: ['customers:write'] });
    const { key: secondKey } = await newKey(service(), ada.token, { scopes: ['customers:write'] });
    const callers: Call[] = [
      { token: ada.token },
      { token: bob.token },
      { token: staff.token },
      { key },
      { key: secondKey },
    ];
    const ids = new Set<number>();
    for (const caller of callers) {
      const answer = await service().post('/customers', {
        ...caller,
        headers: withKey('apart'),
        body: { name: 'Ada' },
      });
      assert.deepEqual([answer.status, isReplay(answer)], [201, false], answer.text);
      ids.add(answer.body.id);
      assert.ok(
        isReplay(
          await service().post('/customers', { ...caller, headers: withKey('apart'), body: { name: 'Ada' } }),
        ),
      );
    }
    assert.equal(ids.size, callers.length);
  });

  test('sessions of one user are one principal', async () => {
    const { token } = await service().signIn(ada.email, ada.password);
    const first = await place('sessions');
    const again = await place('sessions', order(), token);
    assert.deepEqual([again.text, isReplay(again)], [first.text, true]);
  });

  test('paths and methods are apart', async () => {
    const [one, two] = [await newOrder(service(), ada.token), await newOrder(service(), ada.token)];
    const body = { note: 'one key' };
    for (const { id } of [one, two]) {
      const answer = await service().patch(`/orders/${id}`, {
        token: ada.token,
        headers: withKey('paths'),
        body,
      });
      assert.deepEqual([answer.status, answer.body.id, isReplay(answer)], [200, id, false]);
    }
    assert.equal(isReplay(await place('paths')), false);
  });

  const refusals: readonly (readonly [
    what: string,
    send: (key: string) => Promise<Answer>,
    status: number,
    mend: (key: string) => Promise<Answer>,
  ])[] = [
    ['invalid data', (key) => place(key, order({ currency: 'QQQ' })), 422, place],
    ['a customer that isn’t one’s own', (key) => place(key, order({ customerId: 999_999 })), 422, place],
    ['an order for another user', (key) => place(key, order({ userId: 1 })), 403, place],
    [
      'malformed JSON',
      (key) => service().post('/orders', { token: ada.token, headers: withKey(key), body: '{' }),
      400,
      place,
    ],
    [
      'another type of body',
      (key) =>
        service().post('/orders', {
          token: ada.token,
          headers: { ...withKey(key), 'content-type': 'text/plain' },
          body: '{}',
        }),
      415,
      place,
    ],
    [
      'an e-mail address that is taken',
      (key) =>
        service().post('/api/users', {
          headers: withKey(key),
          body: { name: 'A', email: ada.email, password },
        }),
      409,
      (key) =>
        service().post('/api/users', {
          headers: withKey(key),
          body: { name: 'A', email: 'free@example.com', password },
        }),
    ],
  ];
  for (const [what, send, status, mend] of refusals) {
    test(`a request refused for ${what} isn’t kept: mended, it takes the same key`, async () => {
      const key = `refused-${what.replaceAll(/\W/g, '')}`;
      assert.equal((await send(key)).status, status);
      assert.equal((await send(key)).status, status);
      const mended = await mend(key);
      assert.deepEqual([mended.status, isReplay(mended)], [201, false], mended.text);
    });
  }

  test('a step that wasn’t possible, or was stale, isn’t kept', async () => {
    const { id } = await newOrder(service(), ada.token);
    const send = (body: object, headers = {}): Promise<Answer> =>
      service().patch(`/orders/${id}`, {
        token: staff.token,
        headers: { ...withKey('steps'), ...headers },
        body,
      });
    assertProblem(await send({ status: 'shipped' }), 'invalid-transition');
    assertProblem(await send({ status: 'paid' }, { 'if-match': '"stale"' }), 'precondition-failed');
    assertProblem(
      await service().patch('/orders/999999', {
        token: staff.token,
        headers: withKey('steps'),
        body: { status: 'paid' },
      }),
      'not-found',
    );
    assert.equal((await send({ status: 'paid' })).status, 200);
    assert.ok(isReplay(await send({ status: 'paid' })));
  });

  const keys: readonly (readonly [what: string, key: string | string[], isGood: boolean])[] = [
    ['one character', '!', true],
    ['255 characters', 'k'.repeat(255), true],
    [
      'all of visible ASCII',
      String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 33 + index)),
      true,
    ],
    ['a structured string', '"8e03978e-40d5-43dd-bc93-6894a57f9324"', true],
    ['nothing', '', false],
    ['256 characters', 'k'.repeat(256), false],
    ['a blank inside', 'a b', false],
    ['a tab inside', 'a\tb', false],
    ['a letter beyond ASCII', 'k\u00e9', false],
    ['two fields', ['a', 'b'], false],
    ['the same field twice', ['a', 'a'], false],
  ];
  for (const [what, key, isGood] of keys) {
    test(`a key of ${what} is ${isGood ? 'taken' : 'refused in both interfaces'}`, async () => {
      const headers = { 'idempotency-key': key };
      const answer = await service().post('/customers', { token: ada.token, headers, body: { name: 'Ada' } });
      if (isGood) return assert.equal(answer.status, 201);
      assertFaults(answer, 422, ['Idempotency-Key pattern']);
      assertFaults(
        await service().post('/api/users', { headers, body: { name: 'A', email: 'a@b.example', password } }),
        400,
        ['Idempotency-Key pattern'],
      );
    });
  }

  test('keys tell case apart', async () => {
    const [lower, upper] = [await place('case'), await place('CASE')];
    assert.ok(lower.body.id !== upper.body.id && !isReplay(upper));
  });

  test('where it isn’t taken it does nothing', async () => {
    const headers = withKey('elsewhere');
    const send = (): Promise<Answer> =>
      service().post('/api/keys', {
        token: ada.token,
        headers,
        body: { name: 'k', scopes: ['orders:read'] },
      });
    assert.notEqual((await send()).body.id, (await send()).body.id);
    const path = `/customers/${customerId}`;
    for (const name of ['One', 'Two'])
      assert.equal(
        (await service().put(path, { token: ada.token, headers, body: { name } })).body.name,
        name,
      );
    assert.equal((await service().get(path, { token: ada.token, headers: withKey('a b') })).status, 200);
  });
});

test('while the first request waits for the disk, the second is 409; then it is answered', async (t) => {
  let isHeld = false;
  const held: (() => void)[] = [];
  const letGo = (): void => {
    for (const end of held.splice(0)) end();
  };
  const service = await serviceFor(t, {
    fdatasync: (_descriptor, done) => {
      held.push(() => done(null));
      if (!isHeld) setImmediate(letGo);
    },
  });
  if (service.inside === undefined) return t.skip('needs to hold the disk');
  const { token } = await service.person();
  const send = (): Promise<Answer> =>
    service.post('/customers', { token, headers: withKey('held'), body: { name: 'Ada' } });
  isHeld = true;
  const first = send();
  await until(() => held.length > 0);
  const second = await send();
  assertProblem(second, 'idempotency-key-in-progress');
  assert.equal(second.headers['retry-after'], '1');
  isHeld = false;
  letGo();
  const { status, text } = await first;
  const third = await send();
  assert.deepEqual([status, third.status, third.text, isReplay(third)], [201, 201, text, true]);
});

test('a key is kept for 24 hours, and not a millisecond longer', async (t) => {
  const service = await serviceFor(t);
  const { inside } = service;
  if (inside === undefined) return t.skip('needs the clock');
  const { email, password: secret } = await service.person();
  const send = async (): Promise<Answer> => {
    const { token } = await service.signIn(email, secret);
    return service.post('/customers', { token, headers: withKey('a-day'), body: { name: 'Ada' } });
  };
  const storedRows = (): unknown => inside.db.read.get('SELECT count(*) FROM storedResponses')?.[0];
  const first = await send();
  service.clock.advance(daySeconds * 1000 - 1);
  assert.equal((await send()).text, first.text);
  await inside.app.cleanUp();
  assert.equal(storedRows(), 1);
  service.clock.advance(1);
  const second = await send();
  assert.deepEqual([second.status, isReplay(second), second.body.id === first.body.id], [201, false, false]);
  assert.equal((await send()).text, second.text);
  service.clock.advance(daySeconds * 1000);
  await inside.app.cleanUp();
  assert.equal(storedRows(), 0);
});

describe('a kept answer is given again only to who may still read it:', () => {
  const service = sharedService();
  const headers = withKey('shown-once');

  test('a customer given to another user', async () => {
    const [owner, heir, staff] = [
      await service().person(),
      await service().person(),
      await service().person('staff'),
    ];
    const send = (): Promise<Answer> =>
      service().post('/customers', { token: owner.token, body: { name: 'Grace' }, headers });
    const { id } = (await send()).body;
    assert.ok(isReplay(await send()));
    const body = { userId: heir.id };
    await service().patch(`/customers/${id}`, { token: staff.token, body });
    assertProblem(await service().get(`/customers/${id}`, { token: owner.token }), 'forbidden', 403);
    assertProblem(await send(), 'forbidden', 403);
    await service().patch(`/customers/${id}`, { token: staff.token, body: { userId: owner.id } });
    assert.ok(isReplay(await send()));
    assert.equal((await service().delete(`/customers/${id}`, { token: owner.token })).status, 204);
    assert.ok(isReplay(await send())); // it is about nobody else's
  });

  test('what somebody changed as staff', async () => {
    const [owner, staff, root] = [
      await service().person(),
      await service().person('staff'),
      await service().signIn(service().admin.email, service().admin.password),
    ];
    const order = await newOrder(service(), owner.token);
    const send = (): Promise<Answer> =>
      service().patch(`/orders/${order.id}`, { token: staff.token, body: { status: 'paid' }, headers });
    await send();
    assert.ok(isReplay(await send()));
    await service().patch(`/api/users/${staff.id}`, { token: root.token, body: { role: 'user' } });
    assertProblem(await send(), 'forbidden', 403);
  });

  test('but whoever signs up another is shown that again, though it could never be read', async () => {
    const { token } = await service().person();
    const body = { name: 'Eve', email: 'eve.again@example.com', password };
    const send = (): Promise<Answer> => service().post('/api/users', { token, body, headers });
    const { id } = (await send()).body;
    assertProblem(await service().get(`/api/users/${id}`, { token }), 'forbidden', 403);
    assert.ok(isReplay(await send()));
  });
});

test('a secret that is replaced breaks neither repeated requests nor cursors', async (t) => {
  const [old, young] = ['o'.repeat(32), 'y'.repeat(32)];
  const settings = { 'public-url': 'https://orders.example.com' };
  const first = await serviceFor(t, { settings: { ...settings, 'jwt-secrets': old } });
  const { token } = await first.person();
  const sent = { token, body: { name: 'Grace' }, headers: withKey('rotated') };
  const made = await first.post('/customers', sent);
  for (let index = 0; index < 2; index += 1) await newCustomer(first, token);
  const { next } = (await first.get('/customers?limit=1', { token })).body;
  await first.stop();
  const { folder } = first;
  const second = await serviceFor(t, { folder, settings: { ...settings, 'jwt-secrets': `${young},${old}` } });
  const again = await second.post('/customers', sent);
  assert.ok(isReplay(again), again.text);
  assert.equal(again.text, made.text);
  const other = await second.post('/customers', { ...sent, body: { name: 'Ada' } });
  assertProblem(other, 'idempotency-key-reused', 422);
  const page = await second.get(next, { token });
  assert.equal(page.body.data.length, 1, page.text);
  const { email, password: secret } = second.admin;
  const { token: root } = await second.signIn(email, secret);
  await second.stop();
  const third = await serviceFor(t, { folder, settings: { ...settings, 'jwt-secrets': young } });
  assert.equal((await third.get(page.body.next, { token: root })).status, 200, 'the first secret sealed it');
  assertProblem(await third.get(next, { token: root }), 'invalid-cursor', 422);
});

test('a kept answer outlives a restart', async (t) => {
  const service = await serviceFor(t);
  const { email, password: secret, token } = await service.person();
  const headers = withKey('restart');
  const first = await service.post('/customers', { token, headers, body: { name: 'Ada' } });
  await service.restart();
  const again = await service.post('/customers', {
    token: (await service.signIn(email, secret)).token,
    headers,
    body: { name: 'Ada' },
  });
  assert.deepEqual(
    [again.status, again.text, again.headers.etag, isReplay(again)],
    [201, first.text, first.headers.etag, true],
  );
});

test('without a credential, addresses are the principals', async (t) => {
  const service = await serviceFor(t, { settings: { 'trusted-proxy': '127.0.0.1' } });
  const send = (address: string): Promise<Answer> =>
    service.post('/api/users', {
      headers: { ...withKey('sign-up'), 'x-forwarded-proto': 'https', 'x-forwarded-for': address },
      body: { name: 'Ada', email: 'ada@example.com', password },
    });
  const first = await send('203.0.113.1');
  assert.equal(first.status, 201);
  assert.equal((await send('203.0.113.1')).text, first.text);
  assertProblem(await send('203.0.113.2'), 'email-taken');
});

test('a request that failed with 500 isn’t kept', async (t) => {
  const hasher = createPasswordHasher({ cost: { ln: 4, r: 1, p: 1 } });
  t.after(() => hasher.close());
  let failures = 0;
  const failing = {
    ...hasher,
    hash: (secret: string) =>
      secret === 'fails the first time' && (failures += 1) === 1
        ? Promise.reject(new Error('broken'))
        : hasher.hash(secret),
  };
  const service = await serviceFor(t, { hasher: failing });
  if (service.inside === undefined) return t.skip('needs a hasher of its own');
  const send = (): Promise<Answer> =>
    service.post('/api/users', {
      headers: withKey('fails'),
      body: { name: 'Ada', email: 'ada@example.com', password: 'fails the first time' },
    });
  assertProblem(await send(), 'internal-error');
  const second = await send();
  assert.deepEqual([second.status, isReplay(second)], [201, false]);
  assert.ok(isReplay(await send()));
});

test('neither a password nor a plain digest of the body that held it reaches the disk', async (t) => {
  const service = await serviceFor(t);
  const secret = 'Xyzzy-hunter2-plugh';
  const body = JSON.stringify({ name: 'Ada', email: 'ada@example.com', password: secret });
  const answer = await service.post('/api/users', { headers: withKey('a-secret-key'), body });
  assert.equal(answer.status, 201, answer.text);
  const traces = (): Buffer[] =>
    [body, secret]
      .flatMap((text) =>
        ['sha1', 'sha256', 'sha512', 'md5'].flatMap((algorithm) => {
          const digest = createHash(algorithm).update(text).digest();
          return [
            digest,
            ...(['hex', 'base64', 'base64url'] as const).map((encoding) =>
              Buffer.from(digest.toString(encoding)),
            ),
          ];
        }),
      )
      .concat(Buffer.from(secret), Buffer.from(Buffer.from(secret).toString('base64').slice(0, 20)));
  const check = (): void => {
    const files = readdirSync(service.folder)
      .filter((name) => name.startsWith('orderly.db'))
      .map((name) => readFileSync(join(service.folder, name)));
    assert.ok(
      files.some((bytes) => bytes.includes('ada@example.com')),
      'the user is there',
    );
    for (const trace of traces()) assert.ok(files.every((bytes) => !bytes.includes(trace)));
    assert.ok(!service.logged.join('\n').includes(secret));
  };
  check();
  await service.stop();
  check();
});
