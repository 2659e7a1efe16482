// The header fields of a delivery, by Standard Webhooks.
import { createHmac } from 'node:crypto';

type Message = {
  /** The same whenever the event is sent again. */
  readonly id: string;
  /** Seconds since 1970, of this attempt. */
  readonly timestamp: number;
  readonly body: string;
};

/** Signed with each of the secrets: while one is replaced, there are two. */
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
