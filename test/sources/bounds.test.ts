// Bounds stand beside what they bound. Here are those that must fit together.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokenSeconds } from '../../src/auth/jwt.ts';
import { sessionIdleSecondsMax, sessionSecondsMax } from '../../src/auth/refresh-tokens.ts';
import { stepMillisecondsMax, turnMillisecondsMax } from '../../src/base/turns.ts';
import { waitingBytesMax } from '../../src/http/connections/http-connection.ts';
import { exportsMax } from '../../src/http/lists/export.ts';
import { pageBytesMax, pageRowsDefault, pageRowsMax } from '../../src/http/lists/list.ts';
import {
  bodyBytesMax,
  headerBytesMax,
  headersMillisecondsMax,
  requestMillisecondsMax,
  urlBytesMax,
} from '../../src/http/connections/request-fields.ts';
import { sessionsPerUserMax } from '../../src/features/sessions/session-store.ts';
import { sliceMillisecondsMax, sliceRowsMax, sliceStepRowsMax } from '../../src/storage/slices.ts';

test('bounds of different files don’t contradict each other', () => {
  // a request: its head contains its URL and arrives before its body
  assert(urlBytesMax < headerBytesMax);
  assert(headersMillisecondsMax <= requestMillisecondsMax);

  // what one client holds leaves room for others, and for the longest of what it may send
  assert(bodyBytesMax + headerBytesMax <= waitingBytesMax);

  // one turn may run tasks, a slice of a write and exports: half of the 50 ms that no work may take, so that a request
  // has the other half
  assert(turnMillisecondsMax + sliceMillisecondsMax + exportsMax * stepMillisecondsMax <= 25);

  // what clients leave unread: a page
  assert(pageRowsDefault <= pageRowsMax);
  assert(pageBytesMax <= 16 * 1024 * 1024);

  // a session outlives its tokens
  assert(tokenSeconds < sessionIdleSecondsMax);
  assert(sessionIdleSecondsMax <= sessionSecondsMax);

  // all sessions of a user end in one slice
  assert(sessionsPerUserMax <= sliceRowsMax);
  assert(sliceStepRowsMax <= sliceRowsMax);
});
