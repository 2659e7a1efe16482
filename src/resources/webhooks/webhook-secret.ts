// The secrets of webhooks, in the form of Standard Webhooks.
import { randomBytes } from 'node:crypto';

/** Standard Webhooks requires 24 to 64. */
const secretBytes = 32;

export function randomSecret(): Buffer {
  return randomBytes(secretBytes);
}

/** The form in which receivers configure a secret. */
export function secretText(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`;
}

/** The additional data (AEAD) of a webhook's secrets, so that a row can't replace another webhook's. */
export function webhookAdditionalData(webhookId: number): string {
  return `webhook ${webhookId}`;
}
