// Secrets that are needed again as they are, encrypted at rest: AES-256-GCM, keys derived from secret.key.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createMac } from './mac.ts';

/** `keyId` names the service's secret that it was sealed under. */
export type Sealed = { readonly keyId: string; readonly bytes: Uint8Array };

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Whether the bytes may be a secret, sealed under whatever key. */
export function hasSealedLength(bytes: Uint8Array): boolean {
  return bytes.length > nonceBytes + tagBytes;
}

export class SealedSecrets {
  /** By id, that of the first secret first. */
  readonly #keys: ReadonlyMap<string, Uint8Array>;

  constructor(secrets: readonly Uint8Array[], purpose: string) {
    const keys = secrets.map((secret) => createMac(secret)(purpose));
    this.#keys = new Map(keys.map((key) => [createMac(key)('key id').toString('base64url', 0, 8), key]));
  }

  /** The ids of the secrets that open what is sealed; the first one seals. */
  get keyIds(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** `context` says whose secret it is: under another it doesn't open. */
  seal(secret: Uint8Array, context: string): Sealed {
    const [[keyId, key] = []] = this.#keys;
    if (keyId === undefined || key === undefined) throw new Error('Sealing requires at least one secret.');
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context));
    const text = Buffer.concat([cipher.update(secret), cipher.final()]);
    return { keyId, bytes: Buffer.concat([nonce, cipher.getAuthTag(), text]) };
  }

  /** Undefined if it was sealed under a secret that is no longer configured, or isn't what was sealed. */
  open({ keyId, bytes }: Sealed, context: string): Buffer | undefined {
    const key = this.#keys.get(keyId);
    if (key === undefined || bytes.length < nonceBytes + tagBytes) return undefined;
    const textStart = nonceBytes + tagBytes;
    const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(nonceBytes, textStart));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(textStart)), decipher.final()]);
    } catch {
      return undefined; // the tag doesn't match
    }
  }
}
