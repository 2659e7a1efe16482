// The cause of a webhook's failure in words.
import type { Webhook, WebhookErrorCode } from '../words/api-types.ts';
import { t } from '../words/texts.ts';

const words: Readonly<Record<Exclude<WebhookErrorCode, 'status' | 'other'>, string>> = {
  'name-not-found': t('its name can’t be found'),
  unreachable: t('nothing can be reached at its address'),
  timeout: t('it doesn’t answer in time'),
  'connection-closed': t('it breaks the connection'),
  certificate: t('its certificate is not valid'),
  'address-not-allowed': t('its address is not a public one'),
  'no-secret': t('the secret for the signatures is lost; make a new one'),
};

/** Returns the end of a sentence about the receiver, or about the lost secret. */
export function failureWords({
  lastErrorCode,
  lastError,
  lastStatus,
}: Pick<Webhook, 'lastErrorCode' | 'lastError' | 'lastStatus'>): string {
  if (lastErrorCode === null || lastError === null) return t('it doesn’t accept them');
  if (lastErrorCode === 'status') return t('it answers with status {status}', { status: String(lastStatus) });
  if (lastErrorCode === 'other') return t('deliveries fail with “{error}”', { error: lastError });
  return words[lastErrorCode];
}
