// The link to write an e-mail to a customer.

/** An address may contain ?, & and %, which would otherwise add recipients or a text to the message. */
export function mailLinkOf(email: string): string {
  return `mailto:${email.split('@').map(encodeURIComponent).join('@')}`; // RFC 6068 section 2
}
