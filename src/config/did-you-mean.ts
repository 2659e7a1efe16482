// "Did you mean": suggests the known word that is nearest to a misspelt one.

/** A word with more changes than this is a different one. */
const changesMax = 2;

/** Returns a question that names the nearest candidate; undefined if none is near. */
export function didYouMean(word: string, candidates: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let fewest = changesMax + 1;
  for (const candidate of candidates) {
    const changes = changesBetween(word, candidate);
    if (changes < fewest) [nearest, fewest] = [candidate, changes];
  }
  return nearest === undefined ? undefined : `did you mean ${nearest}?`;
}

/** Counts the letters to insert, remove or replace (the Levenshtein distance). */
function changesBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let column = 0; column < to.length; column += 1) {
      const replaced = (row[column] ?? 0) + (to[column] === letter ? 0 : 1);
      const inserted = (next[column] ?? 0) + 1;
      const removed = (row[column + 1] ?? 0) + 1;
      next.push(Math.min(replaced, inserted, removed));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
