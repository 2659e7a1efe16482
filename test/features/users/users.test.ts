// Users: signing up, reading, changing and deleting them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { password } from '../../support/service.ts';
import { assertIssues, rootToken, shown } from '../../support/resource-support.ts';

const domain = `${'x'.repeat(63)}.${'x'.repeat(63)}.${'x'.repeat(58)}.de`;

const longestEmail = `${'a'.repeat(64)}@${domain}`;

describe('signing up', () => {
  const running = sharedService();

  test('signing up creates a user with exactly these members, at its location', async () => {
    const service = running();
    const response = await service.post('/api/users', {
      body: { name: 'Ada Lovelace', email: 'ada@example.com', password },
    });
    assert.equal(response.status, 201);
    assert.deepEqual(Object.keys(response.body), ['id', 'name', 'email', 'role', 'createdAt']);
    assert.equal(response.headers.location, `/api/users/${response.body.id}`);
    const { token } = await service.signIn('ada@example.com', password);
    const read = await service.get(response.headers.location ?? '', { token });
    assert.deepEqual(read.body, response.body);
    assert.equal(read.headers.etag, response.headers.etag);
  });

  test('signing up gives the role user, and any other only by an administrator', async () => {
    const service = running();
    const tokens = {
      nobody: undefined,
      user: (await service.person()).token,
      staff: (await service.person('staff')).token,
      admin: await rootToken(service),
    };
    for (const [who, token] of Object.entries(tokens)) {
      for (const role of ['user', 'staff', 'admin']) {
        const response = await service.post('/api/users', {
          token,
          body: { name: 'Ada', email: `${role}.by.${who}@example.com`, password, role },
        });
        if (who === 'admin' || role === 'user') assert.equal(response.body.role, role);
        else assertProblem(response, 'forbidden');
      }
    }
  });

  test('signing up eight times at the same time with one address creates one user', async () => {
    const service = running();
    const responses = await Promise.all(
      Array.from({ length: 8 }, () =>
        service.post('/api/users', { body: { name: 'Ada', email: 'race@example.com', password } }),
      ),
    );
    assert.equal(responses.filter(({ status }) => status === 201).length, 1);
    for (const response of responses) if (response.status !== 201) assertProblem(response, 'email-taken');
  });

  const wrong: readonly (readonly [change: object, ...issues: string[]])[] = [
    [
      { name: undefined, email: undefined, password: undefined },
      '#/email required',
      '#/name required',
      '#/password required',
    ],
    [
      { name: null, email: null, password: null, role: null },
      '#/email type',
      '#/name type',
      '#/password type',
    ],
    [{ name: '' }, '#/name min-length'],
    [{ name: ' \u00a0' }, '#/name pattern'],
    [{ name: 'Ada\nLovelace' }, '#/name pattern'],
    [{ name: 'x'.repeat(201) }, '#/name max-length'],
    [{ email: 'ada.example.com' }, '#/email pattern'],
    [{ email: 'ada@example..com' }, '#/email format'],
    [{ email: `a${'a'.repeat(64)}@${domain}` }, '#/email max-length'],
    [{ password: 'k7#pQ2x' }, '#/password min-length'],
    [{ password: '🦊🦉🐸🐝🐳🦔🦚' }, '#/password min-length'],
    [{ password: 'k7#'.repeat(43) }, '#/password max-length'],
    [{ password: 'Password123' }, '#/password password'],
    [{ email: 'grace.hopper@example.com', password: 'grace.hopper' }, '#/password password'],
    [{ role: 'root' }, '#/role enum'],
    [{ id: 7 }, '#/id unknown-member'],
    [{ createdAt: '2026-03-01T09:30:00.000Z' }, '#/createdAt unknown-member'],
    [{ isAdmin: true, 'a/b~c': 1 }, '#/a~1b~0c unknown-member', '#/isAdmin unknown-member'],
  ];
  for (const [change, ...issues] of wrong) {
    test(`signing up with ${shown(change).slice(0, 100)} is rejected, and every issue is named`, async () => {
      const service = running();
      assertIssues(
        await service.post('/api/users', {
          body: { name: 'Ada', email: 'wrong@example.com', password, ...change },
        }),
        400,
        issues,
      );
    });
  }

  for (const body of ['[]', '"Ada"', '7', 'null']) {
    test(`signing up with ${body} for a body is rejected`, async () =>
      assertIssues(await running().post('/api/users', { body }), 400, ['# type']));
  }

  const right: readonly (readonly [what: string, change: object])[] = [
    ['a name of 200 characters beyond the first plane', { name: '🦊'.repeat(200) }],
    ['an address of 254 characters', { email: longestEmail }],
    ['a password of 8 emoji', { password: '🦊🦉🐸🐝🐳🦔🦚🐿' }],
    ['a password of 128 characters', { password: 'k7# '.repeat(32) }],
    ['a password of blanks and control characters', { password: ' \t\u0001 \u00a0 x ' }],
  ];
  for (const [index, [what, change]] of right.entries()) {
    test(`signing up accepts ${what}, which then signs in`, async () => {
      const service = running();
      const body = { name: 'Ada', email: `right${index}@example.com`, password, ...change };
      assert.equal((await service.post('/api/users', { body })).status, 201);
      await service.signIn(body.email, body.password);
    });
  }
});

describe('an e-mail address', () => {
  const running = sharedService();

  test('an e-mail address is unique without regard to case and composition, and stored as it was written', async () => {
    const service = running();
    const made = await service.post('/api/users', {
      body: { name: 'Ada', email: 'J\u00dcrgen@Example.COM', password },
    });
    assert.equal(made.body.email, 'J\u00dcrgen@Example.COM');
    for (const email of ['j\u00fcrgen@example.com', 'JU\u0308RGEN@EXAMPLE.COM', 'ju\u0308rgen@example.com']) {
      assertProblem(
        await service.post('/api/users', { body: { name: 'Eve', email, password } }),
        'email-taken',
      );
      assert.equal((await service.signIn(email, password)).id, made.body.id);
    }
  });

  test('an e-mail address of another user can be taken neither by PUT nor by PATCH', async () => {
    const service = running();
    const taken = await service.person();
    const { id, token } = await service.person();
    const email = taken.email.toUpperCase();
    assertProblem(
      await service.put(`/api/users/${id}`, { token, body: { name: 'Eve', email } }),
      'email-taken',
    );
    assertProblem(await service.patch(`/api/users/${id}`, { token, body: { email } }), 'email-taken');
  });

  test('an e-mail address may change its case for its own user, and sign in either way', async () => {
    const service = running();
    const { id, token, email } = await service.person();
    const response = await service.patch(`/api/users/${id}`, { token, body: { email: email.toUpperCase() } });
    assert.equal(response.body.email, email.toUpperCase());
    assert.equal((await service.signIn(email, password)).id, id);
  });

  test('an e-mail address is free again once its user is deleted or has another', async () => {
    const service = running();
    const [left, gone] = [await service.person(), await service.person()];
    await service.patch(`/api/users/${left.id}`, {
      token: left.token,
      body: { email: 'elsewhere@example.com' },
    });
    await service.delete(`/api/users/${gone.id}`, { token: gone.token });
    for (const { email } of [left, gone])
      assert.equal(
        (await service.post('/api/users', { body: { name: 'New', email, password } })).status,
        201,
      );
  });
});

describe('while registration is closed', () => {
  const running = sharedService({ settings: { registration: 'closed' } });

  test('while registration is closed, only an administrator creates users, of any role', async () => {
    const service = running();
    const token = await rootToken(service);
    const body = (name: string, role?: string): object => ({
      name,
      email: `${name}@closed.example.com`,
      password,
      role,
    });
    assertProblem(await service.post('/api/users', { body: body('nobody') }), 'unauthenticated');
    for (const role of ['user', 'staff', 'admin'])
      assert.equal((await service.post('/api/users', { token, body: body(role, role) })).status, 201);
    for (const role of ['user', 'staff']) {
      const { token: own } = await service.signIn(`${role}@closed.example.com`, password);
      assertProblem(await service.post('/api/users', { token: own, body: body('new') }), 'forbidden');
    }
  });
});
