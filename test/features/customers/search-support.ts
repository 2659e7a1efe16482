// For the tests of searches: returns the ids of the results.
import assert from 'node:assert/strict';
import type { Person, TestService } from '../../support/service.ts';
import { idsIn } from '../../support/resource-support.ts';

export async function found(
  service: TestService,
  { token }: Person,
  path: string,
  q: string,
): Promise<number[]> {
  const separator = path.includes('?') ? '&' : '?';
  const { status, body, text } = await service.get(`${path}${separator}q=${encodeURIComponent(q)}`, {
    token,
  });
  assert.equal(status, 200, text);
  assert.equal(body.next, null);
  return idsIn({ body });
}
