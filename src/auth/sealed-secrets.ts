// Encrypts secrets that can't be stored as hashes (AES-256-GCM, with keys derived from secret.key).
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createMac } from './mac.ts';

/** `sealedUnder` is the id of the key that encrypted the secret. */
export type Sealed = { readonly sealedUnder: string; readonly bytes: Uint8Array };

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const authTagLength = 16;

/** Whether the bytes are long enough to be a sealed secret. */
export function hasSealedLength(bytes: Uint8Array): boolean {
  return bytes.length > nonceBytes + authTagLength;
}

/**
 * Has a key for each secret of the service: the first key seals, and each of them opens what it has sealed.
 * `additionalData` names the owner of a sealed secret. With another owner's name it can't be opened.
 */
export class SealedSecrets {
  readonly #keys: readonly { readonly id: string; readonly key: Uint8Array }[];

  constructor(secrets: readonly Uint8Array[], purpose: string) {
    this.#keys = secrets.map((secret) => {
      const key = createMac(secret)(purpose);
      return { id: createMac(key)('key id').toString('base64url', 0, 8), key };
    });
  }

  /** The ids of the keys that only open. */
  get olderKeyIds(): readonly string[] {
    return this.#keys.slice(1).map(({ id }) => id);
  }

  seal(secret: Uint8Array, additionalData: string): Sealed {
    const [first] = this.#keys;
    if (first === undefined) throw new Error('Sealing requires at least one secret.');
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, first.key, nonce).setAAD(Buffer.from(additionalData));
    const text = Buffer.concat([cipher.update(secret), cipher.final()]);
    return { sealedUnder: first.id, bytes: Buffer.concat([nonce, cipher.getAuthTag(), text]) };
  }

  /** Returns undefined if the key is no longer configured, or if the bytes or the owner were changed. */
  open({ sealedUnder, bytes }: Sealed, additionalData: string): Buffer | undefined {
    const found = this.#keys.find(({ id }) => id === sealedUnder);
    if (found === undefined || !hasSealedLength(bytes)) return undefined;
    const textStart = nonceBytes + authTagLength;
    const nonce = bytes.subarray(0, nonceBytes);
    const decipher = createDecipheriv(algorithm, found.key, nonce, { authTagLength });
    decipher.setAAD(Buffer.from(additionalData)).setAuthTag(bytes.subarray(nonceBytes, textStart));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(textStart)), decipher.final()]);
    } catch {
      return undefined; // the tag doesn't match
    }
  }
}
