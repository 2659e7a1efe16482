// For the tests of searches: returns the ids of the results.
import assert from 'node:assert/strict';
import type { Person, TestService } from '../../support/service.ts';
import { idsIn } from '../../support/resource-support.ts';

export async function found(
  service: TestService,
  { token }: Pick<Person, 'token'>,
  path: string,
  q: string,
): Promise<number[]> {
  const target = `${path}${path.includes('?') ? '&' : '?'}q=${encodeURIComponent(q)}`;
  const { status, body, text } = await service.get(target, { token });
  assert.equal(status, 200, text);
  assert.equal(body.next, null);
  return idsIn({ body });
}
