// For the tests of one-time codes: generates codes, and creates users who need them.
import assert from 'node:assert/strict';
import { oneTimeCode, stepOf } from '../../src/auth/one-time-codes.ts';
import type { Person, TestService } from './service.ts';

export type WithCodes = {
  readonly person: Person;
  readonly secret: Buffer;
  readonly recoveryCodes: string[];
};

/** Returns the code of the present step, or of one `steps` later. */
export function codeOf(secret: Uint8Array, { clock }: TestService, steps = 0): string {
  return oneTimeCode(secret, stepOf(clock.now) + steps);
}

/** Creates a user with codes on, confirmed with the code of the previous step: the present one is unused. */
export async function personWithCodes(
  service: TestService,
  role: 'user' | 'admin' = 'user',
): Promise<WithCodes> {
  const person = await service.person(role);
  const path = `/api/users/${person.id}/totp`;
  const { token } = person;
  const secret = bytesOf((await service.post(path, { token })).body.secret);
  const confirmed = await service.put(path, { token, body: { code: codeOf(secret, service, -1) } });
  assert.equal(confirmed.status, 200, confirmed.text);
  return { person, secret, recoveryCodes: confirmed.body.recoveryCodes };
}

/** Decodes base32 (RFC 4648 section 6) independently of the service. */
export function bytesOf(base32: string): Buffer {
  const digits = [...base32].map((each) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(each));
  const bits = digits.map((digit) => digit.toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
