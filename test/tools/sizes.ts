// Counts the files, the lines of code, and the hours of a careful reader, of each folder of src/ and of
// src/features/: `npm run sizes`.
import { texts } from '../support/source-text.ts';

const sources = [...texts].filter(([path]) => /^src\/.*\.(ts|js|css)$/.test(path));
const parts = Map.groupBy(sources, ([path]) => /^src\/(features\/[^/]+\/|[^/]+\/)?/.exec(path)?.[0] ?? '');
const linesAnHour = 300;
const sizes = [...parts, ['together', sources] as const].map(([part, files]) => {
  const lines = files.reduce((sum, [, text]) => sum + linesOfCode(text), 0);
  return { part, files: files.length, lines, hours: Math.ceil((lines / linesAnHour) * 2) / 2 };
});
console.table(sizes);

/** Lines that are neither blank nor a comment. */
function linesOfCode(text: string): number {
  const code = text.replaceAll(/^\s*\/\*[^]*?\*\/[ \t]*$/gm, '').replaceAll(/^\s*\/\/.*$/gm, '');
  return code.split('\n').filter((line) => line.trim() !== '').length;
}
