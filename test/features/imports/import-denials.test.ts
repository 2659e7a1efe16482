// The log lines and counters for rights that an import loses midway.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serviceFor } from '../../support/service.ts';
import { countedSecurityEvents, denials } from '../../support/security-line-support.ts';
import { newKey, rootService, rootToken } from '../../support/resource-support.ts';
import {
  customerLine,
  importLines,
  linesOf,
  openImport,
  orderLine,
  resultsOf,
  sendImport,
  summaryOf,
} from '../../support/import-support.ts';

describe('rights that an import loses midway have one line', { concurrency: true }, () => {
  test('an import by a key that may not create customers rejects only these, with one line in the log', async (t) => {
    const { service, token } = await rootService(t);
    await importLines(service, token, [customerLine('c')]);
    const { key, id } = await newKey(service, token, { scopes: ['orders:write'] });
    const lines = linesOf([customerLine('a'), orderLine('1', 'c'), customerLine('b')]);
    const { headers, text } = await sendImport(service, lines, { key });
    const denied = '# insufficient-scope';
    assert.deepEqual(resultsOf(text).map(summaryOf), [`1 403 ${denied}`, '2 201', `3 403 ${denied}`]);
    assert.deepEqual(denials(service), [[headers['x-request-id'], `key:${id}`, 'insufficient-scope']]);
    assert.equal(await countedSecurityEvents(service, 'authz_fail'), 1);
  });

  test('an import by an administrator who is demoted has one line in the log for its loss of rights', async (t) => {
    const service = await serviceFor(t);
    const root = await rootToken(service);
    const actor = await service.person('admin');
    const sent = await openImport(service, actor.token);
    await service.patch(`/api/users/${actor.id}`, { token: root, body: { role: 'staff' } });
    sent.write(linesOf([customerLine('a'), customerLine('b')]));
    await sent.rest();
    await service.stop(); // it logs a response when its connection has closed
    assert.deepEqual(
      denials(service).map(([, ...rest]) => rest),
      [[`user:${actor.id}`, 'forbidden']],
    );
  });
});
