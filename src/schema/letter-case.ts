// What texts have in common that differ in the case of their letters only.

/** In lower case, where the Greek sigma has two forms: one at the end of a word, one elsewhere. */
export function withoutCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}
