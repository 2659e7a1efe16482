// Encrypts secrets that can't be stored as hashes (AES-256-GCM, with keys derived from secret.key).
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createMac } from './mac.ts';

/** `sealedUnder` is the id of the service's secret from which the encryption key is derived. */
export type Sealed = { readonly sealedUnder: string; readonly bytes: Uint8Array };

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Whether the bytes are long enough to be a sealed secret. */
export function hasSealedLength(bytes: Uint8Array): boolean {
  return bytes.length > nonceBytes + tagBytes;
}

export class SealedSecrets {
  /** Keys by the ids of their secrets, in the order of the secrets. */
  readonly #keys: ReadonlyMap<string, Uint8Array>;

  constructor(secrets: readonly Uint8Array[], purpose: string) {
    const keys = secrets.map((secret) => createMac(secret)(purpose));
    this.#keys = new Map(keys.map((key) => [createMac(key)('key id').toString('base64url', 0, 8), key]));
  }

  /** The ids of the secrets that can open sealed secrets; the first one seals. */
  get secretIds(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** `additionalData` names the owner of the secret. With another owner's name the secret can't be opened. */
  seal(secret: Uint8Array, additionalData: string): Sealed {
    const [[sealedUnder, key] = []] = this.#keys;
    if (sealedUnder === undefined || key === undefined)
      throw new Error('Sealing requires at least one secret.');
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(additionalData));
    const text = Buffer.concat([cipher.update(secret), cipher.final()]);
    return { sealedUnder, bytes: Buffer.concat([nonce, cipher.getAuthTag(), text]) };
  }

  /** Seals it under the first secret. Returns undefined if it can't be opened. */
  reseal(sealed: Sealed, additionalData: string): Sealed | undefined {
    const secret = this.open(sealed, additionalData);
    return secret === undefined ? undefined : this.seal(secret, additionalData);
  }

  /** Returns undefined if the key is no longer configured, or if the bytes or the owner were changed. */
  open({ sealedUnder, bytes }: Sealed, additionalData: string): Buffer | undefined {
    const key = this.#keys.get(sealedUnder);
    if (key === undefined || !hasSealedLength(bytes)) return undefined;
    const textStart = nonceBytes + tagBytes;
    const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.from(additionalData)).setAuthTag(bytes.subarray(nonceBytes, textStart));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(textStart)), decipher.final()]);
    } catch {
      return undefined; // the tag doesn't match
    }
  }
}
