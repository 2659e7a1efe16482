// The short form of `npm run torture`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checked, newFolder } from '../support/command-support.ts';
import { spawnService, startChild } from '../support/child-service.ts';
import { createLoadClient } from '../support/load-client.ts';
import { torture } from './torture-rounds.ts';

test('nothing answered is lost, and nothing is half done, if the service is killed', async () => {
  const result = await torture({
    rounds: 5,
    seed: Date.now() % 2 ** 31,
    roundsInFolder: 5,
    loadMillisecondsMax: 400,
    checkpointShare: 0,
    print: () => {},
  });
  assert.deepEqual(result.violations, []);
  assert(result.answered > 0 && result.unanswered > 0 && result.replayed > 0, JSON.stringify(result));
});

test('a first start that is killed at any moment is completed by the next one', async (t) => {
  const folder = newFolder(t);
  const environment = { ORDERLY_ADMIN_EMAIL: '', ORDERLY_ADMIN_PASSWORD: '' };
  for (const milliseconds of [80, 140, 200, 300, 450].map((about) => about * (0.5 + Math.random()))) {
    const { child, ended } = spawnService({ folder, environment });
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    child.kill('SIGKILL');
    await ended;
  }
  const service = await startChild({ folder, environment });
  t.after(() => service.kill('SIGKILL'));
  const client = createLoadClient(service.port);
  const { status } = await client.ask({
    method: 'POST',
    path: '/api/sessions',
    body: JSON.parse(readFileSync(join(folder, 'initial-admin.json'), 'utf8')),
  });
  client.close();
  assert.equal(status, 201);
  await checked(folder, 0);
});
