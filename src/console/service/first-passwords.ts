// Passwords that were made for somebody, who is asked for one of their own: groups of five letters and digits that
// aren't easily confused, four by this page, and at least five by the service (`admin create`, `admin reset`, the first
// administrator), whose passwords work for 7 days.

const groups = /^([a-km-np-z2-9]{5}-){3,}[a-km-np-z2-9]{5}$/;

/** Returns 100 random bits. */
export function newPassword(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789';
  const random = crypto.getRandomValues(new Uint8Array(20));
  const text = [...random].map((byte) => letters.charAt(byte % letters.length)).join('');
  return text.replaceAll(/(.{5})(?=.)/g, '$1-');
}

/** Returns who made the password, by its form; undefined for one that the user has chosen. */
export function passwordMaker(password: string): 'service' | 'colleague' | undefined {
  if (!groups.test(password)) return undefined;
  return password.split('-').length > 4 ? 'service' : 'colleague';
}
