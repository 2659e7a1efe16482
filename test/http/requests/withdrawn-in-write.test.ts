// Rights withdrawn while a password is hashed, or earlier in the same transaction.
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { adminOnly } from '../../../src/auth/access.ts';
import { createPasswordHasher, type PasswordHasher } from '../../../src/auth/password.ts';
import { requireOwned } from '../../../src/storage/object-access.ts';
import { empty } from '../../../src/http/routing/reply.ts';
import { route } from '../../../src/http/routing/route.ts';
import { replaceUser, userSource } from '../../../src/features/users/user-store.ts';
import { executable, password, serviceFor, type TestService } from '../../support/service.ts';
import { assertProblem } from '../../support/http-support.ts';
import { newPassword, done } from '../../support/withdrawn-support.ts';

describe('while a password is hashed', { skip: executable !== undefined && 'needs the inside' }, () => {
  test('while a password is hashed, an administrator who is demoted creates no administrator', async (t) => {
    const { service, hashing, goOn } = await slowlyHashing(t);
    const [root, actor] = [
      await service.signIn(service.admin.email, service.admin.password),
      await service.person('admin'),
    ];
    const begun = hashing();
    const body = { name: 'Eve', email: 'eve@example.com', password, role: 'admin' };
    const making = service.post('/api/users', { token: actor.token, body });
    await begun;
    await done(service.patch(`/api/users/${actor.id}`, { token: root.token, body: { role: 'user' } }));
    goOn();
    assertProblem(await making, 'forbidden', 403);
    assert.equal((await service.get('/api/users?total=true', { token: root.token })).body.total, 2);
  });

  test('while a password is hashed, a session that is ended sets no password', async (t) => {
    const { service, hashing, goOn } = await slowlyHashing(t);
    const actor = await service.person();
    const begun = hashing();
    const body = { password: newPassword, currentPassword: password };
    const changing = service.patch(`/api/users/${actor.id}`, { token: actor.token, body });
    await begun;
    await done(service.delete(`/api/sessions/${actor.sessionId}`, { token: actor.token }));
    goOn();
    assertProblem(await changing, 'invalid-token', 401);
    await service.signIn(actor.email, password);
  });

  test('while a password is verified, a user who is suspended does not get in', async (t) => {
    const hasher = createPasswordHasher({ cost: { ln: 4, r: 1, p: 1 } });
    t.after(() => hasher.close());
    let meanwhile = (): Promise<void> => Promise.resolve();
    const interrupted: PasswordHasher = {
      ...hasher,
      waiting: 0,
      async verify(...all) {
        const isRight = await hasher.verify(...all);
        await meanwhile();
        return isRight;
      },
    };
    const service = await serviceFor(t, { hasher: interrupted });
    const { token } = await service.signIn(service.admin.email, service.admin.password);
    const { id, email } = await service.person();
    meanwhile = () => done(service.put(`/api/users/${id}/suspension`, { token, body: {} }));
    const response = await service.post('/api/sessions', { body: { email, password } });
    assertProblem(response, 'invalid-credentials', 401);
  });

  /** `hashing()` resolves when the next hash begins, which then waits for `goOn`. */
  async function slowlyHashing(
    t: TestContext,
  ): Promise<{ service: TestService; hashing: () => Promise<void>; goOn: () => void }> {
    const hasher = createPasswordHasher({ cost: { ln: 4, r: 1, p: 1 } });
    t.after(() => hasher.close());
    const { promise: released, resolve: goOn } = Promise.withResolvers<void>();
    let begin: (() => void) | undefined;
    const slow: PasswordHasher = {
      ...hasher,
      waiting: 0,
      async hash(text) {
        begin?.();
        if (begin !== undefined) await released;
        return hasher.hash(text);
      },
    };
    const hashing = (): Promise<void> => new Promise((resolve) => (begin = resolve));
    return { service: await serviceFor(t, { hasher: slow }), hashing, goOn };
  }
});

test('a demotion earlier in the same transaction counts', async (t) => {
  if (executable !== undefined) return t.skip('needs a route of its own');
  const demoted = route({
    method: 'POST',
    path: '/test/demoted',
    tag: 'Test',
    summary: 'Demotes the caller, then changes something as the caller',
    access: adminOnly,
    reply: { kind: 'none' },
    handle(call) {
      const demoting = call.write((permit) => {
        const user = requireOwned(userSource, permit, call.caller.userId);
        replaceUser(permit, user, { ...user, role: 'user' });
      });
      const changing = call.write(() => empty);
      return Promise.all([demoting, changing]).then(() => empty);
    },
  });
  const service = await serviceFor(t, { extraRoutes: [demoted] });
  const { token } = await service.person('admin');
  assertProblem(await service.post('/test/demoted', { token, isUndescribed: true }), 'forbidden', 403);
});
