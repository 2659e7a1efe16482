// Changes of webhooks need a recent sign-in (RFC 9470).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertProblem } from '../../support/http-support.ts';
import { executable, password, serviceFor, type Call } from '../../support/service.ts';
import { newWebhook } from '../../support/resource-support.ts';

const changes: readonly (readonly [what: string, method: string, path: string, body?: Call['body']])[] = [
  ['a new webhook', 'POST', '/webhooks', { url: 'https://hooks.example/', types: ['order.paid'] }],
  ['a changed webhook', 'PATCH', '/webhooks/1', { status: 'paused' }],
  ['a deleted webhook', 'DELETE', '/webhooks/1'],
  ['another secret of a webhook', 'POST', '/webhooks/1/secrets'],
];

describe('a sign-in of more than 10 minutes ago is too old for', () => {
  for (const [what, method, path, body] of changes) {
    test(
      `a sign-in of more than 10 minutes ago is too old for ${what}`,
      { skip: executable !== undefined && 'needs the clock' },
      async (t) => {
        const service = await serviceFor(t);
        const admin = await service.person('admin');
        assert.equal((await newWebhook(service, admin.token)).id, 1);
        service.clock.advance(601_000);
        const rejected = await service.call(method, path, { token: admin.token, body });
        assertProblem(rejected, 'step-up-required', 401);
        const { token } = await service.signIn(admin.email, password);
        const { status, text } = await service.call(method, path, { token, body });
        assert.ok(status < 300, text);
      },
    );
  }
});
