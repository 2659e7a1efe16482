// How customers are reached: the link to write an e-mail, and phone numbers as people read them.

/** An address may contain ?, & and %, which would otherwise add recipients or a text to the message. */
export function mailLinkOf(email: string): string {
  return `mailto:${email.split('@').map(encodeURIComponent).join('@')}`; // RFC 6068 section 2
}

const callingCode = /^\+(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(?=\d+$)/;

/**
 * Writes a phone number with a blank after the country’s code (ITU-T E.164). For spreadsheets it is text then, too, which
 * would round the digits alone. Only North America has area codes of one length.
 */
export function phoneText(phone: string | null): string {
  const spaced = phone?.replace(callingCode, '$& ').replace(/^(\+1 \d{3})(\d{3})(?=\d{4}$)/, '$1 $2 ');
  return spaced ?? '';
}
