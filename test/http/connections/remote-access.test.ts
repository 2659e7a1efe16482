// What other machines may read, and what only this machine may read.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem, sharedService } from '../../support/http-support.ts';

describe('from other machines', () => {
  const running = sharedService({ settings: { 'trusted-proxy': '127.0.0.1' } });
  const alone = sharedService();
  const headers = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' };

  test('from other machines the metrics are for administrators only', async () => {
    const service = running();
    assertProblem(await service.get('/metrics', { headers }), 'unauthenticated', 401);
    for (const role of ['user', 'staff'] as const)
      assertProblem(
        await service.get('/metrics', { headers, token: (await service.person(role)).token }),
        'forbidden',
        403,
      );
    assert.equal(
      (await service.get('/metrics', { headers, token: (await service.person('admin')).token })).status,
      200,
    );
  });

  const places: readonly (readonly [what: string, headers: Record<string, string>, isLocal: boolean])[] = [
    ['by name', { host: 'localhost:8443' }, true],
    ['by address', { host: '127.0.0.1' }, true],
    ['by another address of loopback', { host: '127.8.9.10:1' }, true],
    ['by the address of IPv6', { host: '[::1]:8443' }, true],
    ['by a foreign name, as DNS rebinding has it', { host: 'evil.example' }, false],
    ['by a name that begins like one of ours', { host: 'localhost.evil.example' }, false],
    ['by an address that begins like loopback', { host: '127.0.0.1.evil.example' }, false],
    ['with Forwarded', { forwarded: 'for=127.0.0.1;proto=https' }, false],
    ['with X-Forwarded-For', { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https' }, false],
    ['with X-Real-IP', { 'x-real-ip': '127.0.0.1', 'x-forwarded-proto': 'https' }, false],
    ['with Via', { via: '1.1 proxy', 'x-forwarded-proto': 'https' }, false],
  ];
  for (const [what, sent, isLocal] of places) {
    test(`the metrics asked for ${what} are ${isLocal ? 'anyone’s where no proxy is trusted' : 'an administrator’s'}`, async () => {
      const response = await running().get('/metrics', { headers: sent });
      assertProblem(response, 'unauthenticated', 401);
      if (isLocal) assert.equal((await alone().get('/metrics', { headers: sent })).status, 200);
    });
  }
});
