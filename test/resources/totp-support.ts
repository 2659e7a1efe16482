// For the tests of one-time codes: an authenticator app, and a user who has turned codes on.
import assert from 'node:assert/strict';
import { oneTimeCode, stepOf } from '../../src/auth/one-time-codes.ts';
import { password, type Person, type TestResponse, type TestService } from '../service.ts';

export type WithCodes = {
  readonly person: Person;
  readonly secret: Buffer;
  readonly recoveryCodes: string[];
};

/** The code of the step of now, or of one so many steps later. */
export function codeOf(secret: Uint8Array, { clock }: TestService, steps = 0): string {
  return oneTimeCode(secret, stepOf(clock.now) + steps);
}

/** The confirming code is of the step before the present one, so that this one is still to be used. */
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

export async function signInWithoutCode(service: TestService): Promise<TestResponse | undefined> {
  if (service.inside === undefined) return undefined; // its clock is the real one
  const { person } = await personWithCodes(service);
  return service.post('/api/sessions', { body: { email: person.email, password } });
}

/** RFC 4648 section 6, by other means than the service's. */
export function bytesOf(base32: string): Buffer {
  const digits = [...base32].map((each) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(each));
  const bits = digits.map((digit) => digit.toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
