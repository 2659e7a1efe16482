// Comparison of texts without regard to case.

/** Returns lower case with one form of the Greek sigma, which has another one at the end of a word. */
export function withoutCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}
