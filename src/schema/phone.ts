// Telephone numbers as ITU-T E.164 has them.

/** The sentence that says what would be right, or undefined. Seven digits are the shortest accepted, fifteen E.164's most. */
export function phoneFault(text: string): string | undefined {
  if (/^\+[1-9]\d{6,14}$/.test(text)) return undefined;
  return 'A telephone number is + and 7 to 15 digits without blanks, the country code first, such as +4944112345.';
}
