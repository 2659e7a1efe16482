// The time of a response to a sign-in, which is the same whether the user exists or not.
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { describe, test } from 'node:test';
import { createPasswordHasher, type PasswordHasher } from '../../src/auth/password.ts';
import { executable, serviceFor, type TestService } from '../service.ts';

describe('the time of a response', () => {
  // far more than the rest of a request, and still only a few milliseconds
  const cost = { ln: 10, r: 8, p: 1 };
  const tries = 120;
  const toleranceRatio = 1.25;

  test('is the same for an unknown address and a wrong password', async (t) => {
    if (executable !== undefined) return t.skip('takes minutes with hashes of the real cost');
    const hasher = createPasswordHasher({ cost });
    t.after(() => hasher.close());
    const service = await serviceFor(t, { hasher });
    const ratios: number[] = [];
    do ratios.push(await ratioOf(service));
    while (
      // on a busy machine one attempt may differ
      ratios.length < 3 &&
      ratios.every((ratio) => ratio >= toleranceRatio)
    );
    assert.ok(
      ratios.some((ratio) => ratio < toleranceRatio),
      `${ratios}`,
    );
  });

  test('would differ here if nothing were hashed for an unknown address', async (t) => {
    if (executable !== undefined) return t.skip('needs the inside');
    const hasher = createPasswordHasher({ cost });
    t.after(() => hasher.close());
    const leaky: PasswordHasher = {
      ...hasher,
      waiting: 0,
      verify: async (text, phc) => phc !== null && hasher.verify(text, phc),
    };
    const ratio = await ratioOf(await serviceFor(t, { hasher: leaky }));
    assert.ok(ratio >= toleranceRatio, `${ratio}`);
  });

  /**
   * The slower tenth percentile divided by the other, measured in turn. On a busy machine most hashes wait
   * for a processor for longer than they take, but the fastest of many hardly do.
   */
  async function ratioOf(service: TestService): Promise<number> {
    const { email } = await service.person();
    const known: number[] = [];
    const unknown: number[] = [];
    for (let index = 0; index < tries; index += 1) {
      known.push(await milliseconds(service, email));
      unknown.push(await milliseconds(service, `nobody${index}@example.com`));
    }
    const [slower = 0, faster = 0] = [tenthPercentile(known), tenthPercentile(unknown)].sort((a, b) => b - a);
    return slower / faster;
  }

  async function milliseconds(service: TestService, email: string): Promise<number> {
    const start = performance.now();
    const { status } = await service.post('/api/sessions', {
      body: { email, password: 'not that password' },
    });
    const end = performance.now();
    assert.equal(status, 401);
    return end - start;
  }

  function tenthPercentile(values: readonly number[]): number {
    return values.toSorted((a, b) => a - b)[Math.floor(values.length / 10)] ?? 0;
  }
});
