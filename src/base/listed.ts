// Words in a sentence, for messages.

/** Returns `a`, `a and b` or `a, b and c`. Not by Intl.ListFormat, which takes tens of milliseconds to load. */
export function listed(words: readonly string[], conjunction: 'and' | 'or'): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}
