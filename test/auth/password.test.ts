// Passwords: which are rejected, how they are hashed, and what happens when many are hashed at once.
import assert from 'node:assert/strict';
import { scryptSync } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { commonPasswordList } from '../../src/auth/common-password-list.ts';
import type { SlotClaim } from '../../src/base/slots.ts';
import { Problem } from '../../src/problem.ts';
import type { Cost } from '../../src/auth/scrypt-pool.ts';
import { createPasswordHasher, passwordIssue, type PasswordHasher } from '../../src/auth/password.ts';

const cheap: Cost = { ln: 4, r: 8, p: 1 };
const user = { name: 'Ada King', email: 'Ada.Lovelace@example.org' };
const password = 'correct horse battery staple';
const dotted = '\u0041\u030a'; // Å in two code points, one after NFKC

test('a password verifies against its own hash and no other does', async (t) => {
  const hasher = hasherFor(t);
  const phc = await hasher.hash(password);
  assert.equal(await hasher.verify(password, phc), true);
  for (const other of ['', 'Correct horse battery staple', `${password} `, password.slice(1)]) {
    assert.equal(await hasher.verify(other, phc), false);
  }
});

test('the e-mail address is also normalized before a password is compared with it', () => {
  const ligature = { name: 'Ada King', email: 'o\ufb03ce@example.org' }; // ﬃ, which NFKC spells f, f, i
  for (const same of ['office@example.org', 'o\ufb03ce@example.org'])
    assert.match(passwordIssue(same, ligature, 8) ?? '', /e-mail/);
  assert.equal(passwordIssue('offices of the north', ligature, 8), undefined);
});

test('a password is more than the domain of the e-mail address, however short its parts are', () => {
  const short = { name: 'Ada King', email: 'ada@example.de' };
  assert.match(passwordIssue('2026-example.de', short, 8) ?? '', /e-mail/);
});

test('the same password has a different hash each time', async (t) => {
  const hasher = hasherFor(t);
  assert.notEqual(await hasher.hash(password), await hasher.hash(password));
});

test('a hash is a PHC string with the cost, 16 bytes of salt and 32 of key', async (t) => {
  const phc = await hasherFor(t).hash(password);
  const match = /^\$scrypt\$ln=4,r=8,p=1\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/.exec(phc);
  const [, salt = '', key = ''] = match ?? assert.fail('it has another form');
  const again = scryptSync(password, Buffer.from(salt, 'base64'), 32, { N: 16, r: 8, p: 1 });
  assert.equal(again.toString('base64'), `${key}=`);
});

test('the cost is N=2^15, r=8 and p=3 unless another is given', async (t) => {
  const hasher = createPasswordHasher();
  t.after(() => hasher.close());
  const phc = await hasher.hash(password);
  assert.match(phc, /^\$scrypt\$ln=15,r=8,p=3\$/);
  assert.equal(await hasher.verify(password, phc), true);
});

test('the example of RFC 7914 section 12 verifies', async (t) => {
  const salt = Buffer.from('SodiumChloride').toString('base64').replace(/=+$/, '');
  const key = Buffer.from(
    '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2' +
      'd5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
    'hex',
  );
  const phc = `$scrypt$ln=14,r=8,p=1$${salt}$${key.toString('base64').replace(/=+$/, '')}`;
  assert.equal(await hasherFor(t).verify('pleaseletmein', phc), true);
  assert.equal(await hasherFor(t).verify('pleaseletmeout', phc), false);
});

test('different encodings of the same characters are the same password', async (t) => {
  const hasher = hasherFor(t);
  const phc = await hasher.hash(`${dotted}ngström ﬁnds 1²`);
  assert.equal(await hasher.verify('Ångström finds 12', phc), true);
});

test('no password is valid for an unknown user', async (t) => {
  assert.equal(await hasherFor(t).verify(password, null), false);
});

test('a hash of another cost or size needs an upgrade, one of the present cost does not', async (t) => {
  const hasher = hasherFor(t);
  const phc = await hasher.hash(password);
  assert.equal(hasher.needsUpgrade(phc), false);
  assert.equal(hasher.needsUpgrade(await hasherFor(t, { ...cheap, p: 2 }).hash(password)), true);
  assert.equal(hasher.needsUpgrade(phc.slice(0, -2)), true);
});

for (const [name, stored] of Object.entries({
  'is no PHC string': 'correct horse',
  'is of another kind':
    '$argon2id$v=19$m=65536,t=3,p=4$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'asks for half a gigabyte':
    '$scrypt$ln=19,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'asks for nothing':
    '$scrypt$ln=4,r=0,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'asks for the impossible':
    '$scrypt$ln=16,r=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
})) {
  test(`a stored hash that ${name} is an error that quotes no secret; the next one verifies`, async (t) => {
    const hasher = hasherFor(t);
    await assert.rejects(hasher.verify(password, stored), (error: Error) => {
      const written = `${error.message} ${error.stack} ${JSON.stringify(error)}`;
      return !written.includes(password) && !written.includes('AAAAAAAA');
    });
    assert.equal(await hasher.verify(password, await hasher.hash(password)), true);
  });
}

test('a password isn’t hashed without memory for its hash, and is as soon as there is', async (t) => {
  const mebibyte = 2 ** 20;
  let free = 32 * mebibyte;
  const hasher = createPasswordHasher({ cost: { ...cheap, ln: 15 }, freeMemory: () => free });
  t.after(() => hasher.close());
  await assert.rejects(
    hasher.hash(password),
    (error) =>
      error instanceof Problem && error.code === 'unavailable' && error.members.retryAfterSeconds === 1,
  );
  free = 64 * mebibyte;
  const [first, second] = await Promise.allSettled([hasher.hash(password), hasher.hash(password)]);
  assert.equal(first.status, 'fulfilled');
  assert.equal(second.status, 'rejected', 'the first one has reserved its memory');
  free = 38 * mebibyte;
  assert.equal(await hasher.verify(password, first.status === 'fulfilled' ? first.value : ''), true);
});

test('where a hash lacks memory, V8 first gives back what it doesn’t use', async (t) => {
  let free = 32 * 2 ** 20;
  const hasher = createPasswordHasher({
    cost: { ...cheap, ln: 15 },
    freeMemory: () => free,
    async collectGarbage() {
      free += 4 * 2 ** 20; // twice
    },
  });
  t.after(() => hasher.close());
  assert.match(await hasher.hash(password), /^\$scrypt\$/);
});

test('two are hashed at once, 16 others and 24 sign-ins from known networks wait, and no more', async (t) => {
  const hasher = hasherFor(t);
  const signIn: SlotClaim = { isUrgent: true };
  const taken = Array.from({ length: 18 }, () => hasher.hash(password));
  assert.equal(hasher.waiting, 16);
  await assert.rejects(hasher.hash(password), isUnavailable);
  const checked = Array.from({ length: 24 }, () => hasher.verify(password, null, signIn));
  assert.equal(hasher.waiting, 40);
  await assert.rejects(hasher.verify(password, null, signIn), isUnavailable);
  assert.equal(new Set(await Promise.all(taken)).size, 18);
  assert.deepEqual(new Set(await Promise.all(checked)), new Set([false]));
  assert.equal(hasher.waiting, 0);
  assert.equal(await hasher.verify(password, null), false);
});

test('a quota bounds the jobs that run or wait, and has room again once they end', async (t) => {
  const hasher = hasherFor(t);
  const job: SlotClaim = { clients: ['192.0.2.1', 'user:7'], isUrgent: true };
  for (let round = 0; round < 2; round += 1) {
    const taken = [hasher.verify('x', null, job), hasher.verify('x', null, job)];
    await assert.rejects(
      hasher.verify('x', null, job),
      (error) => error instanceof Problem && error.code === 'quota-exceeded',
    );
    assert.deepEqual(await Promise.all(taken), [false, false]);
  }
});

test('closing rejects waiting jobs and later ones', async () => {
  const hasher = createPasswordHasher({ cost: cheap });
  const taken = Array.from({ length: 10 }, () => hasher.hash(password));
  hasher.close();
  const results = await Promise.allSettled(taken);
  for (const result of results) assert.ok(result.status === 'rejected' && isUnavailable(result.reason));
  await assert.rejects(hasher.hash(password), isUnavailable);
});

for (const [issue, chosen] of [
  [/8 to 128/, 'seven77'],
  [/8 to 128/, ''],
  [/8 to 128/, 'x1'.repeat(64) + '!'],
  [/8 to 128/, '😀'.repeat(7)],
  [/8 to 128/, dotted.repeat(4)],
  [/too common/, 'password1'],
  [/too common/, 'PassWord1'],
  [/too common/, 'ｐａｓｓｗｏｒｄ'],
  [/too common/, 'password1234'],
  [/too common/, '2026-Password!'],
  [/too common/, 'trustno1?'],
  [/too common/, '..12345678..'],
  [/too common/, 'maverick'],
  [/too common/, 'CocaCola'],
  [/too common/, 'qwertyuiop'],
  [/too common/, '87654321'],
  [/too common/, '..31121999!'],
  [/too common/, 'aaaaaaaaaaaa'],
  [/too common/, 'éééééééé'],
  [/e-mail/, 'ada.lovelace@EXAMPLE.org'],
  [/e-mail/, 'ADA.lovelace'],
  [/e-mail/, 'ａda.lovelace'],
  [/e-mail/, 'lovelace'],
  [/e-mail/, 'example.org'],
  [/e-mail/, 'Lovelace1815!'],
  [/e-mail/, '2026-AdaKing-2026'],
  [/e-mail/, 'king lovelace ada'],
  [/e-mail/, 'Orderly123!'],
] as const) {
  test(`the password ${JSON.stringify(chosen)} is rejected`, () => {
    const detail = passwordIssue(chosen, user, 8) ?? '';
    assert.match(detail, issue);
    assert.ok(chosen === '' || !detail.includes(chosen));
  });
}

for (const chosen of [
  password,
  'tr0ub4dor&3',
  'das weiß ich',
  '😀😁😂🤣😃😄😅😆',
  'x1'.repeat(64),
  '        .',
  'é'.repeat(128),
  'zyxwvutsrqponml',
  'lovelace analytical engine',
  'order 1815 books',
  '31121999 books',
  '32121999',
  'password 12 books',
]) {
  test(`the password ${JSON.stringify(chosen)} is accepted`, () =>
    assert.equal(passwordIssue(chosen, user, 8), undefined));
}

test('each of the 3,000 most common passwords is rejected, in upper or lower case', () => {
  const listed = commonPasswordList.trim().split(/\s+/);
  const dates = Array.from({ length: 3_000 - new Set(listed).size }, (_, index) => {
    const [year = '', month = '', day = ''] = new Date(index * 20 * 86_400_000).toISOString().split(/[-T]/);
    return [`${day}${month}${year}`, `${month}${day}${year}`, `${year}${month}${day}`];
  });
  assert.equal(dates.length, 1_007);
  const taken = [...listed, ...dates.flat()].filter(
    (word) => passwordIssue(word.toUpperCase(), user, 8) === undefined,
  );
  assert.deepEqual(taken, []);
});

test('the minimum length can be raised', () => {
  assert.match(passwordIssue('fourteen chars', user, 15) ?? '', /15 to 128/);
  assert.equal(passwordIssue('fifteen chars !', user, 15), undefined);
});

function hasherFor(t: TestContext, cost = cheap): PasswordHasher {
  const hasher = createPasswordHasher({ cost });
  t.after(() => hasher.close());
  return hasher;
}

function isUnavailable(error: unknown): boolean {
  return (
    error instanceof Problem && error.code === 'unavailable' && error.members.retryAfterSeconds !== undefined
  );
}
