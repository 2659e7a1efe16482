// Users: signing up, reading, changing and deleting them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../http/http-support.ts';
import { password } from '../service.ts';
import { assertIssues, rootToken } from './resource-support.ts';

const domain = `${'x'.repeat(63)}.${'x'.repeat(63)}.${'x'.repeat(58)}.de`;

const longestEmail = `${'a'.repeat(64)}@${domain}`;

describe('signing up', () => {
  const running = sharedService();

  test('makes a user with exactly these members, at its location', async () => {
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

  test('gives the role user, and no other but by an administrator', async () => {
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
        else assertProblem(response, 'forbidden', 403);
      }
    }
  });

  test('with a bad credential is rejected, though none is needed', async () => {
    const service = running();
    assertProblem(
      await service.post('/api/users', {
        token: 'x.y.z',
        body: { name: 'Ada', email: 'bad@example.com', password },
      }),
      'invalid-token',
      401,
    );
  });

  test('eight times at once with one address makes one user', async () => {
    const service = running();
    const responses = await Promise.all(
      Array.from({ length: 8 }, () =>
        service.post('/api/users', { body: { name: 'Ada', email: 'race@example.com', password } }),
      ),
    );
    assert.equal(responses.filter(({ status }) => status === 201).length, 1);
    for (const response of responses)
      if (response.status !== 201) assertProblem(response, 'email-taken', 409);
  });

  const wrong: readonly (readonly [what: string, change: object, issues: readonly string[]])[] = [
    ['without a name', { name: undefined }, ['#/name required']],
    ['without an address', { email: undefined }, ['#/email required']],
    ['without a password', { password: undefined }, ['#/password required']],
    [
      'with nothing',
      { name: undefined, email: undefined, password: undefined },
      ['#/email required', '#/name required', '#/password required'],
    ],
    [
      'with nulls',
      { name: null, email: null, password: null, role: null },
      ['#/email type', '#/name type', '#/password type', '#/role type'],
    ],
    ['with a number for a name', { name: 7 }, ['#/name type']],
    ['with an empty name', { name: '' }, ['#/name min-length']],
    ['with a blank name', { name: ' \u00a0' }, ['#/name pattern']],
    ['with a name of two lines', { name: 'Ada\nLovelace' }, ['#/name pattern']],
    ['with a name of 201 characters', { name: 'x'.repeat(201) }, ['#/name max-length']],
    ['with what is no address', { email: 'ada.example.com' }, ['#/email pattern']],
    ['with an address with two dots in a row', { email: 'ada..l@example.com' }, ['#/email format']],
    ['with an address of 255 characters', { email: `a${'a'.repeat(64)}@${domain}` }, ['#/email max-length']],
    ['with a password of 7 characters', { password: 'k7#pQ2x' }, ['#/password min-length']],
    [
      'with a password of 7 characters that take two code units each',
      { password: '🦊🦉🐸🐝🐳🦔🦚' },
      ['#/password min-length'],
    ],
    ['with a password of 129 characters', { password: 'k7#'.repeat(43) }, ['#/password max-length']],
    [
      'with a password that only looks long before NFKC',
      { password: 'e\u0301'.repeat(4) },
      ['#/password password'],
    ],
    ['with a common password', { password: 'Password123' }, ['#/password password']],
    [
      'with a common password in full-width letters',
      { password: 'ｐａｓｓｗｏｒｄ１２３' },
      ['#/password password'],
    ],
    [
      'with the address as the password',
      { email: 'grace.hopper@example.com', password: 'Grace.Hopper@example.com' },
      ['#/password password'],
    ],
    [
      'with the local part of the address as the password',
      { email: 'grace.hopper@example.com', password: 'grace.hopper' },
      ['#/password password'],
    ],
    ['with a role that is none', { role: 'root' }, ['#/role enum']],
    ['with an id', { id: 7 }, ['#/id unknown-member']],
    ['with a time of creation', { createdAt: '2026-03-01T09:30:00.000Z' }, ['#/createdAt unknown-member']],
    [
      'with members nobody knows',
      { isAdmin: true, 'a/b~c': 1 },
      ['#/a~1b~0c unknown-member', '#/isAdmin unknown-member'],
    ],
  ];
  for (const [what, change, issues] of wrong) {
    test(`${what} is rejected, and every issue is named`, async () => {
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
    test(`with ${body} for a body is rejected`, async () =>
      assertIssues(await running().post('/api/users', { body }), 400, ['# type']));
  }

  const right: readonly (readonly [what: string, change: object])[] = [
    ['a name of 200 characters beyond the first plane', { name: '🦊'.repeat(200) }],
    ['an address of 254 characters', { email: longestEmail }],
    ['an address in another script', { email: 'आदा@उदाहरण.भारत' }],
    ['a password of 8 emoji', { password: '🦊🦉🐸🐝🐳🦔🦚🐿' }],
    ['a password of 128 characters', { password: 'k7# '.repeat(32) }],
    ['a password of blanks and control characters', { password: ' \t\u0001 \u00a0 x ' }],
    ['a password of letters only', { password: 'vtkfgzxwq' }],
  ];
  for (const [index, [what, change]] of right.entries()) {
    test(`takes ${what}, which then signs in`, async () => {
      const service = running();
      const body = { name: 'Ada', email: `right${index}@example.com`, password, ...change };
      assert.equal((await service.post('/api/users', { body })).status, 201);
      await service.signIn(body.email, body.password);
    });
  }
});

describe('an e-mail address', () => {
  const running = sharedService();

  test('is unique without regard to case and composition, and kept as it was written', async () => {
    const service = running();
    const made = await service.post('/api/users', {
      body: { name: 'Ada', email: 'J\u00dcrgen@Example.COM', password },
    });
    assert.equal(made.body.email, 'J\u00dcrgen@Example.COM');
    for (const email of ['j\u00fcrgen@example.com', 'JU\u0308RGEN@EXAMPLE.COM', 'ju\u0308rgen@example.com']) {
      assertProblem(
        await service.post('/api/users', { body: { name: 'Eve', email, password } }),
        'email-taken',
        409,
      );
      assert.equal((await service.signIn(email, password)).id, made.body.id);
    }
  });

  test('of another can be taken neither by PUT nor by PATCH', async () => {
    const service = running();
    const taken = await service.person();
    const { id, token } = await service.person();
    const email = taken.email.toUpperCase();
    assertProblem(
      await service.put(`/api/users/${id}`, { token, body: { name: 'Eve', email } }),
      'email-taken',
      409,
    );
    assertProblem(await service.patch(`/api/users/${id}`, { token, body: { email } }), 'email-taken', 409);
  });

  test('may change its case for its own user, and sign in either way', async () => {
    const service = running();
    const { id, token, email } = await service.person();
    const response = await service.patch(`/api/users/${id}`, { token, body: { email: email.toUpperCase() } });
    assert.equal(response.body.email, email.toUpperCase());
    assert.equal((await service.signIn(email, password)).id, id);
  });

  test('is free again once its user is deleted or has another', async () => {
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

describe('a password', () => {
  const running = sharedService();

  test('is never in a response', async () => {
    const service = running();
    const secret = 'never to be seen again';
    const body = { name: 'Ada', email: 'secret@example.com', password: secret };
    const { id } = (await service.post('/api/users', { body })).body;
    const { token } = await service.signIn(body.email, secret);
    const path = `/api/users/${id}`;
    const responses = [
      await service.get(path, { token }),
      await service.patch(path, { token, body: { password: secret, currentPassword: secret } }),
      await service.put(path, { token, body: { ...body, currentPassword: secret } }),
      await service.get('/api/users', { token: await rootToken(service) }),
      await service.post('/api/users', { body: { ...body, name: 7 } }),
      await service.post('/api/users', { body: `{"password":"${secret}"` }),
    ];
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 200, 200, 400, 400],
    );
    for (const { text } of responses)
      assert.ok(!text.includes(secret) && !/passwordHash|scrypt/.test(text), text);
    assert.ok(!service.logged.join('\n').includes(secret));
  });

  test('signs in however its characters are composed', async () => {
    const service = running();
    await service.post('/api/users', {
      body: { name: 'Ada', email: 'nfkc@example.com', password: '\u00c5ngstr\u00f6m \ufb01nds 12' },
    });
    await service.signIn('nfkc@example.com', 'A\u030angstro\u0308m finds 1\u00b2');
  });

  test('that was changed signs in, and the old one does not', async () => {
    const service = running();
    const { id, email, token } = await service.person();
    assert.equal(
      (
        await service.patch(`/api/users/${id}`, {
          token,
          body: { password: 'another good password', currentPassword: password },
        })
      ).status,
      200,
    );
    assertProblem(
      await service.post('/api/sessions', { body: { email, password } }),
      'invalid-credentials',
      401,
    );
    await service.signIn(email, 'another good password');
  });

  test('is checked against the e-mail address that the same change sets', async () => {
    const service = running();
    const { id, token } = await service.person();
    const body = { email: 'hopper.grace@example.com', password: 'hopper.grace', currentPassword: password };
    assertIssues(await service.patch(`/api/users/${id}`, { token, body }), 400, ['#/password password']);
    assertIssues(await service.put(`/api/users/${id}`, { token, body: { name: 'Grace', ...body } }), 400, [
      '#/password password',
    ]);
  });
});

describe('where passwords have at least 15 characters', () => {
  const running = sharedService({ settings: { 'password-min': '15' } });

  test('14 are rejected at sign-up and at a change, 15 are taken', async () => {
    const service = running();
    const body = { name: 'Ada', email: 'ada@example.com', password: 'fourteen chars' };
    assertIssues(await service.post('/api/users', { body }), 400, ['#/password password']);
    const { id } = (await service.post('/api/users', { body: { ...body, password: 'fifteen chars !' } }))
      .body;
    const { token } = await service.signIn(body.email, 'fifteen chars !');
    assertIssues(
      await service.patch(`/api/users/${id}`, {
        token,
        body: { password: 'fourteen chars', currentPassword: 'fifteen chars !' },
      }),
      400,
      ['#/password password'],
    );
  });
});

describe('while registration is closed', () => {
  const running = sharedService({ settings: { registration: 'closed' } });

  test('only an administrator makes users, of any role', async () => {
    const service = running();
    const token = await rootToken(service);
    const body = (name: string, role?: string): object => ({
      name,
      email: `${name}@closed.example.com`,
      password,
      role,
    });
    assertProblem(await service.post('/api/users', { body: body('nobody') }), 'unauthenticated', 401);
    for (const role of ['user', 'staff', 'admin'])
      assert.equal((await service.post('/api/users', { token, body: body(role, role) })).status, 201);
    for (const role of ['user', 'staff']) {
      const { token: own } = await service.signIn(`${role}@closed.example.com`, password);
      assertProblem(await service.post('/api/users', { token: own, body: body('new') }), 'forbidden', 403);
    }
  });
});

describe('changing a user', () => {
  const running = sharedService();

  test('works as GET, edit, PUT', async () => {
    const service = running();
    const { id, token, email } = await service.person();
    const path = `/api/users/${id}`;
    const { body } = await service.get(path, { token });
    const put = await service.put(path, { token, body: { ...body, name: 'Ada King' } });
    assert.deepEqual(put.body, { ...body, name: 'Ada King' });
    assert.deepEqual((await service.get(path, { token })).body, put.body);
    await service.signIn(email, password); // the password, which can't be read, stayed
  });

  test('by PUT leaves the role and the password that are left out', async () => {
    const service = running();
    const { id, token, email } = await service.person('staff');
    const put = await service.put(`/api/users/${id}`, { token, body: { name: 'Grace', email } });
    assert.equal(put.body.role, 'staff');
    await service.signIn(email, password);
  });

  test('by PUT of an unknown id makes nothing', async () => {
    const service = running();
    const token = await rootToken(service);
    const before = await service.get('/api/users?total=true&limit=1', { token });
    assertProblem(
      await service.put('/api/users/4711', { token, body: { name: 'Nobody', email: 'nobody@example.com' } }),
      'not-found',
      404,
    );
    assert.equal(
      (await service.get('/api/users?total=true&limit=1', { token })).body.total,
      before.body.total,
    );
  });

  test('in nothing is 200 with the same entity tag', async () => {
    const service = running();
    const { id, token, email } = await service.person();
    const path = `/api/users/${id}`;
    const { body, headers } = await service.get(path, { token });
    for (const patch of [{}, { name: body.name }, body]) {
      const response = await service.patch(path, { token, body: patch });
      assert.equal(response.status, 200);
      assert.deepEqual(response.body, body);
      assert.equal(response.headers.etag, headers.etag);
    }
    assert.equal(
      (await service.put(path, { token, body: { name: body.name, email } })).headers.etag,
      headers.etag,
    );
  });

  test('in anything, were it the password, changes the entity tag', async () => {
    const service = running();
    const { id, token } = await service.person();
    const path = `/api/users/${id}`;
    const tags = [(await service.get(path, { token })).headers.etag];
    for (const patch of [
      { name: 'Grace' },
      { email: 'grace@example.com' },
      { password: 'another good password', currentPassword: password },
      { name: 'Ada Lovelace' },
    ]) {
      tags.push((await service.patch(path, { token, body: patch })).headers.etag);
    }
    assert.equal(new Set(tags).size, tags.length);
  });

  test('by PATCH leaves what it doesn’t name', async () => {
    const service = running();
    const { id, token } = await service.person();
    const path = `/api/users/${id}`;
    const { body } = await service.get(path, { token });
    const merge = { 'content-type': 'application/merge-patch+json' };
    assert.deepEqual((await service.patch(path, { token, body: '{"name":"Grace"}', headers: merge })).body, {
      ...body,
      name: 'Grace',
    });
    assert.deepEqual((await service.patch(path, { token, body: { email: 'only.email@example.com' } })).body, {
      ...body,
      name: 'Grace',
      email: 'only.email@example.com',
    });
  });

  const wrongPatches: readonly (readonly [body: object, issues: readonly string[]])[] = [
    [
      { name: null, email: null, password: null, role: null, id: null, createdAt: null },
      ['name', 'email', 'password', 'role', 'id', 'createdAt'].map((name) => `#/${name} type`),
    ],
    [{ id: 4711 }, ['#/id read-only']],
    [{ createdAt: '2020-01-01T00:00:00.000Z' }, ['#/createdAt read-only']],
    [
      { id: 4711, createdAt: '2020-01-01T00:00:00.000Z', password: 'password' },
      ['#/id read-only', '#/createdAt read-only', '#/currentPassword required', '#/password password'],
    ],
    [{ id: '7', name: '', role: 'root' }, ['#/id type', '#/name min-length', '#/role enum']],
    [{ version: 1 }, ['#/version unknown-member']],
    [[], ['# type']],
  ];
  for (const [body, issues] of wrongPatches) {
    test(`by PATCH to ${JSON.stringify(body)} is rejected, and every issue is named`, async () => {
      const service = running();
      const { id, token } = await service.person();
      assertIssues(await service.patch(`/api/users/${id}`, { token, body }), 400, issues);
    });
  }

  const wrongPuts: readonly (readonly [change: object, issues: readonly string[]])[] = [
    [{ name: undefined }, ['#/name required']],
    [{ name: undefined, email: undefined }, ['#/name required', '#/email required']],
    [{ name: null, password: null, role: null }, ['#/name type', '#/password type', '#/role type']],
    [{ id: 4711 }, ['#/id read-only']],
    [{ createdAt: '2020-01-01T00:00:00.000Z' }, ['#/createdAt read-only']],
    [{ updatedAt: '2020-01-01T00:00:00.000Z' }, ['#/updatedAt unknown-member']],
  ];
  for (const [change, issues] of wrongPuts) {
    test(`by PUT with ${shown(change)} is rejected, and every issue is named`, async () => {
      const service = running();
      const { id, token, email } = await service.person();
      assertIssues(
        await service.put(`/api/users/${id}`, { token, body: { name: 'Ada', email, ...change } }),
        400,
        issues,
      );
    });
  }

  test('of another is 403 whether that user exists or not, to all but administrators', async () => {
    const service = running();
    const other = await service.person();
    for (const role of ['user', 'staff'] as const) {
      const { token } = await service.person(role);
      for (const id of [other.id, 4711]) {
        const path = `/api/users/${id}`;
        assertProblem(await service.get(path, { token }), 'forbidden', 403);
        assertProblem(
          await service.put(path, { token, body: { name: 'Eve', email: 'eve@example.com' } }),
          'forbidden',
          403,
        );
        assertProblem(await service.patch(path, { token, body: { name: 'Eve' } }), 'forbidden', 403);
        assertProblem(await service.delete(path, { token }), 'forbidden', 403);
      }
    }
    const token = await rootToken(service);
    assertProblem(await service.get('/api/users/4711', { token }), 'not-found', 404);
    assertProblem(await service.patch('/api/users/4711', { token, body: { name: 'Eve' } }), 'not-found', 404);
    assertProblem(await service.delete('/api/users/4711', { token }), 'not-found', 404);
    assert.equal(
      (await service.patch(`/api/users/${other.id}`, { token, body: { name: 'Renamed' } })).body.name,
      'Renamed',
    );
  });

  test('in its role takes an administrator', async () => {
    const service = running();
    for (const role of ['user', 'staff'] as const) {
      const { id, token, email } = await service.person(role);
      assertProblem(
        await service.patch(`/api/users/${id}`, { token, body: { role: 'admin' } }),
        'forbidden',
        403,
      );
      assertProblem(
        await service.put(`/api/users/${id}`, { token, body: { name: 'Eve', email, role: 'admin' } }),
        'forbidden',
        403,
      );
      assert.equal(
        (await service.patch(`/api/users/${id}`, { token, body: { role, name: 'Eve' } })).status,
        200,
      );
      const promoted = await service.patch(`/api/users/${id}`, {
        token: await rootToken(service),
        body: { role: 'admin' },
      });
      assert.equal(promoted.body.role, 'admin');
    }
  });
});

/** For a test's name: undefined shows as null. */
function shown(change: unknown): string {
  return JSON.stringify(change, (_, value) => value ?? null);
}
