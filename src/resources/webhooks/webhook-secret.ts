// The secrets of webhooks, in the form of Standard Webhooks.
import { randomBytes } from 'node:crypto';

/** Standard Webhooks asks for 24 to 64. */
const secretBytes = 32;

export function randomSecret(): Buffer {
  return randomBytes(secretBytes);
}

/** As receivers configure it. */
export function secretText(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`;
}

/** The authenticated data of a webhook's sealed secrets, so that no row can take the place of another. */
export function webhookAdditionalData(webhookId: number): string {
  return `webhook ${webhookId}`;
}
