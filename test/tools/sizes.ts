// Counts the files and the lines of code of each part of the sources: `npm run sizes` prints them as the table of
// src/docs/audit.md, and `npm run sizes -- --write` puts them there. Words of the table stay as they are.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, texts } from '../source-text.ts';

const page = 'src/docs/audit.md';
const head =
  '| Day | Part | Files | Lines | What it holds, and what would be wrong |\n|--:|---|--:|--:|---|\n';

/** One row of the table: the day of an audit on which a part is read, and why. */
type Part = { readonly day: string; readonly name: string; readonly words: string };

/** Returns the page with the present figures. A new folder gets a row without words, for a person to fill. */
export function pageWithSizes(): string {
  const text = texts.get(page) ?? '';
  const start = text.indexOf(head);
  if (start === -1) throw new Error(`${page} has no table of sizes`);
  const end = text.indexOf('\n\n', start) + 1;
  return (
    text.slice(0, start) + head + rowsOf(partsIn(text.slice(start + head.length, end))) + text.slice(end)
  );
}

function partsIn(rows: string): Part[] {
  return rows.split('\n').flatMap((row) => {
    const [, day = '', part = '', , , words = ''] = row.split('|').map((cell) => cell.trim());
    return part.startsWith('`') ? [{ day, name: part.slice(1, -1), words }] : [];
  });
}

function rowsOf(known: readonly Part[]): string {
  const linesByPart = Map.groupBy(
    [...texts].filter(([path]) => /^src\/.*\.(ts|js|css)$/.test(path)),
    ([path]) => partOf(path),
  );
  const added = [...linesByPart.keys()].filter((name) => !known.some((part) => part.name === name));
  const parts = [...known, ...added.map((name) => ({ day: '', name, words: '' }))];
  const days = [...new Set(parts.map(({ day }) => day))].sort();
  return days.map((day) => rowsOfDay(day, parts, linesByPart)).join('');
}

function rowsOfDay(
  day: string,
  parts: readonly Part[],
  linesByPart: ReadonlyMap<string, readonly (readonly [path: string, text: string])[]>,
): string {
  let rows = '';
  const sum = { files: 0, lines: 0 };
  for (const { name, words } of parts.filter((part) => part.day === day)) {
    const files = linesByPart.get(name);
    if (files === undefined) continue; // the folder is gone
    const lines = files.reduce((total, [, text]) => total + linesOfCode(text), 0);
    rows += rowOf([day, `\`${name}\``, String(files.length), withCommas(lines), words]);
    sum.files += files.length;
    sum.lines += lines;
  }
  return rows + rowOf([day, '**together**', `**${sum.files}**`, `**${withCommas(sum.lines)}**`, '']);
}

/** A folder of src/, or of src/features/; `src/` for the files in none. */
function partOf(path: string): string {
  return /^src\/(features\/[^/]+\/|[^/]+\/)?/.exec(path)?.[0] ?? '';
}

/** Lines that are neither blank nor a comment. */
function linesOfCode(text: string): number {
  const code = text.replaceAll(/^\s*\/\*[^]*?\*\/[ \t]*$/gm, '').replaceAll(/^\s*\/\/.*$/gm, '');
  return code.split('\n').filter((line) => line.trim() !== '').length;
}

function withCommas(count: number): string {
  return count.toLocaleString('en-GB');
}

function rowOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`.replaceAll('|  |', '| |');
}

if (import.meta.main) {
  const text = pageWithSizes();
  if (process.argv.includes('--write')) writeFileSync(join(root, page), text);
  else console.log(text.slice(text.indexOf(head), text.indexOf('\n\n', text.indexOf(head))));
}
