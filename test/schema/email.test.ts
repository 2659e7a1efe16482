// Which e-mail addresses are accepted, and which are equal.
import assert from 'node:assert/strict';
import test from 'node:test';
import { emailIssue, emailKey, sentEmailIssue } from '../../src/schema/email.ts';

const accepted: readonly string[] = [
  'anna@example.com',
  'admin@localhost',
  'anna.lindqvist@mail.example.co.uk',
  'Anna.Lindqvist@Example.COM',
  "o'hara@example.com",
  "!#$%&'*+-/=?^_`{|}~@example.com",
  'anna@123.com',
  'anna@xn--bcher-kva.example',
  'a\u0308nna@example.com',
  'аня@почта.рф',
  'अजय@डाटा.भारत',
  'דנה@דוגמה.ישראל',
  '🙂@example.com',
  `${'a'.repeat(242)}@example.com`, // 254
];

for (const text of accepted)
  test(`the e-mail address ${text} may be kept, and sent`, () =>
    assert.deepEqual([emailIssue(text), sentEmailIssue(text)], [undefined, undefined]));

const length = /254 characters/;
const shape = /one @/;
const invisible = /no blanks and no invisible/;
const domain = /domain with a dot/;
const rejected: readonly (readonly [text: string, says: RegExp])[] = [
  ['', shape],
  ['anna', shape],
  ['anna.example.com', shape],
  ['anna@', shape],
  ['@', shape],
  ['@example.com', shape],
  ['anna@@example.com', shape],
  ['anna@bella@example.com', shape],
  ['anna＠example.com', shape],
  ['Anna <anna@example.com>', invisible],
  [' anna@example.com', invisible],
  ['anna@example.com\n', invisible],
  ['anna\r\nBcc: bella@example.com', invisible],
  ['anna\0@example.com', invisible],
  ['anna\x7f@example.com', invisible],
  ['anna\u0085@example.com', invisible],
  ['anna\u00a0@example.com', invisible],
  ['anna\u3000@example.com', invisible],
  ['anna\u2028@example.com', invisible],
  ['anna\u200b@example.com', invisible],
  ['anna\u200d@example.com', invisible],
  ['anna\u202e@example.com', invisible],
  ['anna\u00ad@example.com', invisible],
  ['anna\ufe0f@example.com', invisible],
  ['anna\u3164@example.com', invisible],
  ['\ufeffanna@example.com', invisible],
  ['anna\u0378@example.com', invisible],
  ['anna\ue000@example.com', invisible],
  ['anna\ud800@example.com', invisible],
  ['anna@a\u202eb.example', invisible],
  ['anna@example', domain],
  ['anna@.', domain],
  ['anna@.example.com', domain],
  ['anna@example.com.', domain],
  ['anna@example..com', domain],
  [`${'a'.repeat(243)}@example.com`, length],
  ['@'.repeat(2_000_000), length],
];

for (const text of [
  '<anna@example.com>',
  'mailto:anna@example.com',
  'anna@a,example.com',
  'a;anna@example.com',
  'anna@example.com;',
  '"anna"@example.com',
  'anna@[192.0.2.1]',
  '(Anna)anna@example.com',
  'anna@example.com,',
  'anna@example.com>',
  'anna\\@example.com',
  'https://example.com/@anna.b',
  'anna@example.com/',
  'anna@exa_mple.com?subject=x',
  "'anna@example.com'",
  'anna@example.com|bella.com',
  'anna@example.com*',
  'anna@$example.com',
])
  test(`what may be kept is not sent as an e-mail address: ${text}`, () => {
    assert.match(sentEmailIssue(text) ?? 'accepted', /one address alone/);
  });

for (const [text, says] of rejected) {
  test(`the e-mail address ${JSON.stringify(text.slice(0, 50))} is rejected`, () =>
    assert.match(emailIssue(text) ?? 'accepted', says));
}

const same: readonly (readonly [string, string])[] = [
  ['anna@example.com', 'ANNA@Example.COM'],
  ['änna@example.com', 'A\u0308NNA@example.com'],
  ['аня@почта.рф', 'АНЯ@ПОЧТА.РФ'],
  ['οδός@example.com', 'ΟΔΌΣ@example.com'],
  ['anna@bücher.de', 'anna@xn--bcher-kva.de'],
  ['anna@BÜCHER.DE', 'ANNA@XN--BCHER-KVA.DE'],
  ['anna@例え.jp', 'anna@xn--r8jz45g.jp'],
  ['anna@почта.рф', 'anna@xn--80a1acny.xn--p1ai'],
  ['anna@example。com', 'anna@example.com'],
  ['anna@EXAMPLE．COM', 'anna@example.com'],
  ['\u212aate@example.com', 'kate@example.com'],
  ['\u1fbc\u0301@example.com', '\u1fb4@example.com'], // lower-casing alone would leave it decomposed
];

for (const [one, other] of same)
  test(`${one} and ${other} are one address`, () => assert.equal(emailKey(one), emailKey(other)));

test('addresses that differ in more than case are different', () => {
  assert.notEqual(emailKey('anna@example.com'), emailKey('änna@example.com'));
  assert.notEqual(emailKey('anna@example.com'), emailKey('anna+1@example.com'));
  assert.notEqual(emailKey('anna@faß.example'), emailKey('anna@fass.example'));
  assert.notEqual(emailKey('anna@ü.xn--a'), emailKey('anna@ö.xn--a')); // neither has an ASCII form
});

test('the key of a key is the same key, whatever the characters', () => {
  for (let code = 0; code <= 0x1ffff; code += 1) {
    // beyond these are only ideographs, which have no case
    const key = emailKey(`a${String.fromCodePoint(code)}\u0301`);
    if (emailKey(key) !== key) assert.fail(`U+${code.toString(16)}`);
  }
});
