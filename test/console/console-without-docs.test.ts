// The console of a service that has no documentation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { executable, serviceFor } from '../support/service.ts';

test(
  'the console links the documentation only if it is there',
  { skip: executable !== undefined },
  async (t) => {
    const service = await serviceFor(t, { settings: { without: 'docs' } });
    assert.doesNotMatch((await service.get('/console')).text, /\/docs/);
    const both = await serviceFor(t);
    assert.match((await both.get('/console')).text, /name="documentation" content="\/docs"/);
  },
);
