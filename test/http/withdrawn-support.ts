// For the tests of withdrawn rights.
import assert from 'node:assert/strict';

export const newPassword = 'another good password';

export async function done(
  response: Promise<{ readonly status: number; readonly text: string }>,
): Promise<void> {
  const { status, text } = await response;
  assert.ok(status < 300, text);
}
