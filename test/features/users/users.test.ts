// Users: signing up, and the e-mail addresses that name them.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';
import { testIssues } from '../../support/resource-support.ts';
import { password, type TestResponse } from '../../support/service.ts';

describe('signing up', () => {
  const running = sharedService();
  const signUp = (change: object, email = 'ada@example.com'): Promise<TestResponse> =>
    running()
      .as()
      .post('/api/users', { name: 'Ada', email, password, ...change });

  test('signing up creates a user with exactly these members, at its location', async () => {
    const { status, body, headers } = await signUp({}, 'exactly@example.com');
    assert.equal(status, 201);
    assert.deepEqual(Object.keys(body), ['id', 'name', 'email', 'role', 'createdAt']);
    assert.equal(headers.location, `/api/users/${body.id}`);
    const read = await (await running().signIn('exactly@example.com', password)).get(`/api/users/${body.id}`);
    assert.deepEqual([read.body, read.headers.etag], [body, headers.etag]);
  });

  test('signing up gives the role user, and any other only by an administrator', async () => {
    const { as, person, root } = running();
    const callers = { nobody: as(), user: await person(), staff: await person('staff'), admin: await root() };
    for (const [who, { post }] of Object.entries(callers))
      for (const role of ['user', 'staff', 'admin']) {
        const sent = { name: 'Ada', email: `${role}.by.${who}@example.com`, password, role };
        const response = await post('/api/users', sent);
        if (who === 'admin' || role === 'user') assert.equal(response.body.role, role);
        else assertProblem(response, 'forbidden');
      }
  });

  test('signing up eight times at the same time with one address creates one user', async () => {
    const responses = await Promise.all(Array.from({ length: 8 }, () => signUp({}, 'race@example.com')));
    const refused = responses.filter(({ status }) => status !== 201);
    assert.equal(refused.length, 7);
    for (const response of refused) assertProblem(response, 'email-taken');
  });

  const domain = `${'x'.repeat(63)}.${'x'.repeat(63)}.${'x'.repeat(58)}.de`;
  const longest = `${'a'.repeat(64)}@${domain}`;
  const nothing = { name: null, email: null, password: null, role: null };
  testIssues('signing up with', signUp, [
    [{ name: undefined, email: undefined }, '#/email required', '#/name required'],
    [{ password: undefined }, '#/password required'],
    [nothing, '#/email type', '#/name type', '#/password type'],
    [{ name: '' }, '#/name min-length'],
    [{ name: ' \u00a0' }, '#/name pattern'],
    [{ name: 'Ada\nLovelace' }, '#/name pattern'],
    [{ name: 'x'.repeat(201) }, '#/name max-length'],
    [{ email: 'ada.example.com' }, '#/email pattern'],
    [{ email: 'ada@example..com' }, '#/email format'],
    [{ email: `a${longest}` }, '#/email max-length'],
    [{ password: 'k7#pQ2x' }, '#/password min-length'],
    [{ password: '🦊🦉🐸🐝🐳🦔🦚' }, '#/password min-length'],
    [{ password: 'k7#'.repeat(43) }, '#/password max-length'],
    [{ password: 'Password123' }, '#/password password'],
    [{ email: 'grace.hopper@example.com', password: 'grace.hopper' }, '#/password password'],
    [{ role: 'root', id: 7 }, '#/role enum', '#/id unknown-member'],
    [{ createdAt: '2026-03-01T09:30:00.000Z' }, '#/createdAt unknown-member'],
    [{ isAdmin: true, 'a/b~c': 1 }, '#/a~1b~0c unknown-member', '#/isAdmin unknown-member'],
  ]);

  test('signing up takes the longest and the strangest of names, addresses and passwords, which then sign in', async () => {
    for (const [index, change] of [
      { name: '🦊'.repeat(200) },
      { email: longest },
      { password: '🦊🦉🐸🐝🐳🦔🦚🐿' },
      { password: 'k7# '.repeat(32) },
      { password: ' \t\u0001 \u00a0 x ' },
    ].entries()) {
      const body = { email: `right${index}@example.com`, password, ...change };
      assert.equal((await signUp(body)).status, 201);
      await running().signIn(body.email, body.password);
    }
  });

  test('an e-mail address is unique without regard to case and composition, and stored as it was written', async () => {
    const { body } = await signUp({}, 'J\u00dcrgen@Example.COM');
    assert.equal(body.email, 'J\u00dcrgen@Example.COM');
    for (const email of ['j\u00fcrgen@example.com', 'JU\u0308RGEN@EXAMPLE.COM', 'ju\u0308rgen@example.com']) {
      assertProblem(await signUp({}, email), 'email-taken');
      assert.equal((await running().signIn(email, password)).id, body.id);
    }
  });

  test('an e-mail address of another user can be taken neither by PUT nor by PATCH, but change its case', async () => {
    const [taken, { id, email, put, patch }] = [await running().person(), await running().person()];
    const theirs = { name: 'Eve', email: taken.email.toUpperCase() };
    for (const send of [put, patch]) assertProblem(await send(`/api/users/${id}`, theirs), 'email-taken');
    const own = await patch(`/api/users/${id}`, { email: email.toUpperCase() });
    assert.equal(own.body.email, email.toUpperCase());
    assert.equal((await running().signIn(email, password)).id, id);
  });

  test('an e-mail address that is new signs in at once, and the old one is free, as that of a deleted user is', async () => {
    const [left, gone] = [await running().person(), await running().person()];
    await left.patch(`/api/users/${left.id}`, { email: 'elsewhere@example.com' });
    await gone.delete(`/api/users/${gone.id}`);
    for (const { email } of [left, gone]) {
      const signedIn = await running().as().post('/api/sessions', { email, password });
      assertProblem(signedIn, 'invalid-credentials');
      assert.equal((await signUp({}, email)).status, 201);
    }
    assert.equal((await running().signIn('elsewhere@example.com', password)).id, left.id);
  });
});

describe('while registration is closed', () => {
  const running = sharedService({ settings: { registration: 'closed' } });

  test('while registration is closed, only an administrator creates users, of any role', async () => {
    const { as, root, signIn } = running();
    const newUser = (name: string, role?: string): object => {
      return { name, email: `${name}@closed.example.com`, password, role };
    };
    assertProblem(await as().post('/api/users', newUser('nobody')), 'unauthenticated');
    const admin = await root();
    for (const role of ['user', 'staff', 'admin'])
      assert.equal((await admin.post('/api/users', newUser(role, role))).status, 201);
    for (const role of ['user', 'staff']) {
      const { post } = await signIn(`${role}@closed.example.com`, password);
      assertProblem(await post('/api/users', newUser('new')), 'forbidden');
    }
  });
});
