// Refresh tokens: who issued one, for which session, and its one spelling.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RefreshTokens } from '../../src/auth/refresh-tokens.ts';

test('a refresh token has one spelling, though base64url could be read in others', () => {
  const tokens = new RefreshTokens([Buffer.alloc(32, 1)]);
  const session = { sessionId: 7, seed: Buffer.alloc(16, 2) };
  const token = tokens.issue(session, { generation: 3, browserKey: null });
  assert.equal(tokens.verify(token, session, null), 3);
  for (const other of [`${token}A`, `${token}=`, ` ${token}`, token.replace(/.$/, '$&-')])
    assert.equal(tokens.verify(other, session, null), undefined, other);
});
