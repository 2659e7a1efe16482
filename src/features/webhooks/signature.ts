// The header fields of a delivery, as Standard Webhooks defines them.
import { createHmac } from 'node:crypto';

type Message = {
  /** The same in every attempt to send the event. */
  readonly id: string;
  /** The time of this attempt, in seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
};

/** Signs with each secret: after a rotation a webhook has two secrets for a day. */
export function signedFields(message: Message, secrets: readonly Uint8Array[]): Record<string, string> {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': secrets.map((secret) => signature(message, secret)).join(' '),
  };
}

function signature({ id, timestamp, body }: Message, secret: Uint8Array): string {
  return `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
