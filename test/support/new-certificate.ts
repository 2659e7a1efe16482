// For tests: a certificate for localhost, 127.0.0.1 and ::1, and the authority that issued it.
import { issueCertificate, createAuthority, type KeyPair } from '../../src/auth/certificate.ts';

const names = ['localhost', '127.0.0.1', '::1'];

export function newCertificate({ now } = { now: Date.now() }): KeyPair {
  return issueCertificate(names, createAuthority(names, { now, owner: 'this machine' }), now);
}
