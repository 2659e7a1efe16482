// One folding, for searches, for sorting, and for what is the same name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldedName, keyOfName } from '../../src/schema/name-key.ts';
import { fold, searchText } from '../../src/schema/search-text.ts';

for (const [text, folded] of [
  ['O’Brien, O‘Brien, O´Brien, O`Brien, Oʼbrien, O′Brien, O＇Brien', Array(7).fill("O'BRIEN").join(', ')],
  ['a‐b a‑b a–b a—b a−b a－b', Array(6).fill('A-B').join(' ')],
  ['10×15 ½ ﬁ №', '10X15 1/2 FI NO'],
  ['Ð Þ Ħ Ŋ Ŧ Ə Ł Ø Æ Œ ß ẞ ı İ Đ Ɖ Ɓ Ɛ', 'D TH H N T E L O AE OE SS SS I I D D B E'],
  ['Ångström Çelik Ňu Ế', 'ANGSTROM CELIK NU E'],
  ['Σίσυφος', 'ΣΙΣΥΦΟΣ'],
  ['فاطمة ہاشمی ٢٥ ۲۵ २५', 'فاطمه هاشمي 25 25 25'], // as Lucene's normalizers of Arabic and Persian
  ['राम रीमा', 'राम रीमा'], // the vowels of a script are no accents
  ['\u2066a\u200bb\u2069\u00ad', 'AB'],
  ['xn--bcher-kva.example', 'BUCHER.EXAMPLE'],
] as const)
  test(`${text} is folded to ${folded}`, () => assert.equal(fold(text), folded));

test('what is folded stays so, whatever the character', () => {
  for (let code = 0; code < 0x30000; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const folded = fold(String.fromCodePoint(code));
    if (fold(folded) !== folded) assert.fail(`U+${code.toString(16)}`);
  }
});

test('each CJK sign begins a word', () => {
  assert.equal(searchText('山田太郎 ab'), '  山  田  太  郎  AB');
  assert.equal(searchText('김철수'), '  김  철  수');
});

test('a word is found without the signs in it, unless it is a number or an address', () => {
  assert.equal(searchText('O’Brien S.p.A. TEA-250-1'), "  O'BRIEN  OBRIEN  S.P.A.  SPA.  TEA-250-1  TEA2501");
  assert.equal(searchText('12-14 1.5 j.doe@example.com - ’'), "  12-14  1.5  J.DOE@EXAMPLE.COM  -  '");
});

test('Hiragana are found as Katakana, and the reverse', () => {
  assert.equal(searchText('やまだ'), searchText('ヤマダ'));
});

test('names are sorted as DIN 5007-1 says, and then by the text itself', () => {
  const names = ['Zucker', 'Öfen', 'Apfel', 'apfel', 'Ofen', 'Äpfel', 'Łódź', 'Lodz', 'Mäx'];
  const sorted = names.toSorted((a, b) => (keyOfName(a) < keyOfName(b) ? -1 : 1));
  assert.deepEqual(sorted, ['Apfel', 'apfel', 'Äpfel', 'Lodz', 'Łódź', 'Mäx', 'Ofen', 'Öfen', 'Zucker']);
});

for (const names of [
  ['Aal', 'Äpfel', 'Apfelmus', 'Az'],
  ['Ekström', 'Élan', 'Elch'],
  ['Muller', 'Müller', 'Mullerin'],
  ['Łódź', 'Lom'],
  ['Nando', 'Ñandu'],
  ['Östen', 'Ostern'],
  ['Cote', 'Côte', 'Coter'],
  ['O’Brien', 'Obst'],
  ['straße', 'Strassen'],
  ['Zuckmayer', 'Žukov'],
])
  test(`names are sorted: ${names.join(', ')}`, () => {
    assert.deepEqual(
      names.toReversed().sort((a, b) => (keyOfName(a) < keyOfName(b) ? -1 : 1)),
      names,
    );
  });

test('names are the same without case, accents, blanks and kinds of signs', () => {
  for (const name of ["PAT  O'Brien ", 'Pât O’brien', 'pat\u00a0o´brien'])
    assert.equal(foldedName(name), "pat o'brien");
  for (const [one, other] of [
    ['Łukasz', 'lukasz'],
    ['Þór', 'Thor'],
    ['ΓΙΏΡΓΟΣ', 'Γιώργος'],
    ['Жёлтый', 'желтый'],
    ['Đặng', 'dang'],
    ['Işık', 'isik'],
    ['œuvre', 'OEUVRE'],
    ['\u202aAnna\u202c', 'anna'],
    ['ﬁsh', 'Fish'],
    ['Ｓａｔō', 'sato'],
  ] as const)
    assert.equal(foldedName(one), foldedName(other), one);
  assert.notEqual(foldedName('राम'), foldedName('रीमा'));
});

test('the key of a long name is bounded, and no half of a sign', () => {
  const key = keyOfName('\ufdfa'.repeat(200));
  assert.ok(key.length <= 401);
  assert.ok(keyOfName(`a${'😀'.repeat(150)}`).isWellFormed());
});
