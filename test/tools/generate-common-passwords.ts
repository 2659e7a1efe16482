// Writes src/auth/common-password-list.ts: node test/tools/generate-common-passwords.ts FILE, where FILE is
// src/passwords.json of the package @zxcvbn-ts/language-common (MIT), most common first.
import { readFileSync, writeFileSync } from 'node:fs';
import { isDate } from '../../src/auth/common-passwords.ts';

const wordsMax = 3_000;
const lengthMin = 8;
const columnsMax = 110;
const target = new URL('../../src/auth/common-password-list.ts', import.meta.url);

const [, , file = ''] = process.argv;
const listed: readonly string[] = JSON.parse(readFileSync(file, 'utf8'));
const words = listed.map((word) => word.normalize('NFKC').toLowerCase());
const chosen = [...new Set(words.filter((word) => [...word].length >= lengthMin))].slice(0, wordsMax);
writeFileSync(target, sourceOf(chosen.filter((word) => !isDate(word)).sort()));

function sourceOf(sorted: readonly string[]): string {
  const what = `${wordsMax} most common passwords of ${lengthMin} and more characters`;
  return `// The ${what}, in lower case, but for dates: of the list of
// zxcvbn-ts (@zxcvbn-ts/language-common 4.1.3, MIT: src/commands/licenses.txt). Written by
// test/tools/generate-common-passwords.ts; don't edit.
export const commonPasswordList = \`
${rowsOf(sorted).join('\n')}
\`;
`;
}

function rowsOf(sorted: readonly string[]): string[] {
  const rows = [''];
  for (const word of sorted) {
    const last = rows.at(-1) ?? '';
    if (last.length + 1 + word.length > columnsMax) rows.push(word);
    else rows[rows.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return rows;
}
