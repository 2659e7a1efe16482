// Bounds stand beside what they bound. This asserts, once and at the start, those that must fit together.
import assert from 'node:assert';
import { tokenSeconds } from '../auth/jwt.ts';
import {
  refreshGraceMilliseconds,
  sessionIdleSecondsMax,
  sessionSecondsMax,
} from '../auth/refresh-tokens.ts';
import {
  streamPageCharsMax,
  streamsMax,
  streamsPerUserMax,
  streamsWithoutStaffMax,
  streamTurnMillisecondsMax,
} from '../feed/live-feed.ts';
import { streamUnsentBytesMax } from '../feed/live-reader.ts';
import { importLineBytesMax } from '../http/arriving-lines.ts';
import { exportsMax, exportSliceMillisecondsMax } from '../http/export.ts';
import {
  importKeptCharsMax,
  importSliceMillisecondsMax,
  importsMax,
  importUnsentBytesMax,
} from '../http/line-imports.ts';
import { pageBytesMax, pageRowsDefault, pageRowsMax } from '../http/list.ts';
import {
  allPipelinedRequestsMax,
  pipelinedRequestsMax,
  pipelinedRequestsPerClientMax,
} from '../http/pipeline.ts';
import {
  bodyBytesMax,
  requestMillisecondsMax,
  unfinishedBodyBytesMax,
  unfinishedBodyBytesPerClientMax,
} from '../http/request-body.ts';
import { headerBytesMax, headersMillisecondsMax, urlBytesMax } from '../http/request-headers.ts';
import { turnMillisecondsMax } from '../http/turn-scheduler.ts';
import { unsentBytesMax } from '../http/unsent-responses.ts';
import { sessionsPerUserMax } from '../resources/events/event-store.ts';
import { importBytesMax } from '../resources/imports/import-routes.ts';
import { sliceMillisecondsMax, sliceRowsMax, sliceStepRowsMax } from '../storage/slices.ts';

/** Requirements section 8: no work holds the event loop longer. */
const eventLoopMillisecondsMax = 50;

/** Throws an AssertionError if two bounds contradict each other. */
export function assertBoundsFit(): void {
  // a request: its head contains its URL and arrives before its body
  assert(urlBytesMax < headerBytesMax);
  assert(headersMillisecondsMax <= requestMillisecondsMax);

  // what one client holds leaves room for others, and for the longest of what it may send
  assert(bodyBytesMax <= unfinishedBodyBytesPerClientMax);
  assert(unfinishedBodyBytesPerClientMax < unfinishedBodyBytesMax);
  assert(pipelinedRequestsMax <= pipelinedRequestsPerClientMax);
  assert(pipelinedRequestsPerClientMax < allPipelinedRequestsMax);
  assert(streamsPerUserMax < streamsWithoutStaffMax);
  assert(streamsWithoutStaffMax < streamsMax);

  // one turn of the event loop may run each of these: requests, streams, exports, imports, and a slice of a write
  const exportMilliseconds = exportsMax * exportSliceMillisecondsMax;
  const importMilliseconds = importsMax * importSliceMillisecondsMax;
  const ownMilliseconds = turnMillisecondsMax + streamTurnMillisecondsMax + sliceMillisecondsMax;
  assert(ownMilliseconds + exportMilliseconds + importMilliseconds <= eventLoopMillisecondsMax / 2);

  // what clients leave unread: a page, and all streams and imports together
  assert(pageRowsDefault <= pageRowsMax);
  assert(pageBytesMax < unsentBytesMax);
  assert(streamPageCharsMax <= streamUnsentBytesMax);
  assert(
    streamsMax * streamUnsentBytesMax + importsMax * (importKeptCharsMax + importUnsentBytesMax) <
      unsentBytesMax,
  );

  // a line of an import may be what a POST may be
  assert(bodyBytesMax <= importLineBytesMax);
  assert(importLineBytesMax <= importBytesMax);

  // a session outlives its tokens
  assert(refreshGraceMilliseconds < tokenSeconds * 1000);
  assert(tokenSeconds < sessionIdleSecondsMax);
  assert(sessionIdleSecondsMax <= sessionSecondsMax);

  // all sessions of a user end in one slice
  assert(sessionsPerUserMax <= sliceRowsMax);
  assert(sliceStepRowsMax <= sliceRowsMax);
}
