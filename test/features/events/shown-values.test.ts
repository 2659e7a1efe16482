// Which values events show: the schema of an event says what the records of members do.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Event } from '../../../src/features/events/event.ts';
import { namesInEvents } from '../../../src/resource/resource-members.ts';
import { insideOnly } from '../../support/service.ts';
import { root, texts } from '../../support/source-text.ts';

test(
  'the description of an event’s changes names each member whose values events show',
  insideOnly,
  async () => {
    const names = new Set<string>();
    for (const [path, text] of texts)
      for (const [, record = ''] of text.matchAll(/^export const (\w+Members) =/gm)) {
        if (!path.startsWith('src/features/')) continue;
        const { [record]: members } = await import(join(root, path));
        for (const name of namesInEvents(members)) names.add(name);
      }
    const { description = '' } = Event.properties?.['changes'] ?? {};
    const [, listed = ''] = /before and after for (.+?);/.exec(description) ?? [];
    assert.deepEqual(listed.split(/, | and /).toSorted(), [...names].toSorted());
  },
);
