// Comparison of texts without regard to case.

/**
 * Returns the text in lower case. The two forms of the Greek sigma, within and at the end of a word, become
 * one.
 */
export function withoutCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}
