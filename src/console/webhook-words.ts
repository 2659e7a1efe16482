// The cause of a webhook's failure in words: the API has the codes of the network and of TLS.

const words: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/^status (\d+)$/, 'it answers with status $1'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'its name can’t be found'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/, 'nothing can be reached at its address'],
  [/^(ETIMEDOUT|no response in .*)$/, 'it doesn’t answer in time'],
  [/^(ECONNRESET|EPIPE|the connection was closed)$/, 'it breaks the connection'],
  [/^.*(CERT|SELF_SIGNED|VERIFY).*$/, 'its certificate is not valid'],
  [/^\S+ may not be connected to$/, 'its address is not a public one'],
];

/** Returns the end of a sentence about the receiver. */
export function failureWords(lastError: string | null): string {
  if (lastError === null) return 'it doesn’t accept them';
  const known = words.find(([pattern]) => pattern.test(lastError));
  return known === undefined ? lastError : lastError.replace(...known);
}

export function hostOf(url: string): string {
  return new URL(url).host;
}
