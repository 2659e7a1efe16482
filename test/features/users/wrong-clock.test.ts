// Passwords that were generated while the clock was wrong.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { admin, serviceFor } from '../../support/service.ts';

const dayMilliseconds = 86_400_000;

for (const [when, expiresAt] of [
  ['in 1970', 7 * dayMilliseconds],
  ['while the clock was a year ahead', Date.UTC(2027, 2, 8)],
] as const)
  test(`a password generated ${when} works for seven days once the clock is right`, async (t) => {
    const service = await serviceFor(t);
    if (service.inside === undefined) return t.skip('needs its clock');
    using database = new DatabaseSync(join(service.folder, 'orderly.db'));
    database.prepare('UPDATE users SET passwordExpiresAt = ?').run(expiresAt);
    await service.inside.cleanup.run();
    const signIn = () => service.post('/api/sessions', { body: admin });
    assert.equal((await signIn()).status, 201);
    assert.match(service.logged.join('\n'), /The clock was set/);
    service.clock.advance(7 * dayMilliseconds);
    await service.inside.cleanup.run();
    assert.equal((await signIn()).status, 401, 'and no longer');
  });
