// The cause of a webhook's failure in words: the API has the codes of the network and of TLS.
import { t } from '../parts/texts.ts';

const words: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/^status (\d+)$/, t('it answers with status {status}', { status: '$1' })],
  [/^(ENOTFOUND|EAI_AGAIN)$/, t('its name can’t be found')],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/, t('nothing can be reached at its address')],
  [/^(ETIMEDOUT|no response in .*)$/, t('it doesn’t answer in time')],
  [/^(ECONNRESET|EPIPE|the connection was closed)$/, t('it breaks the connection')],
  [/^.*(CERT|SELF_SIGNED|VERIFY).*$/, t('its certificate is not valid')],
  [/^\S+ may not be connected to$/, t('its address is not a public one')],
];

/** Returns the end of a sentence about the receiver. */
export function failureWords(lastError: string | null): string {
  if (lastError === null) return t('it doesn’t accept them');
  const known = words.find(([pattern]) => pattern.test(lastError));
  return known === undefined ? lastError : lastError.replace(...known);
}

export function hostOf(url: string): string {
  return new URL(url).host;
}
