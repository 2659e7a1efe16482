// The bounds of streams, and those of the service that they must fit together with.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  streamPageCharsMax,
  streamsMax,
  streamsPerAddressMax,
  streamsPerUserMax,
  streamsWithoutStaffMax,
  streamUnsentBytesMax,
} from '../../../src/features/feed/live-feed.ts';

test('the bounds of streams don’t contradict each other', () => {
  assert(streamsPerUserMax < streamsPerAddressMax);
  assert(streamsPerAddressMax < streamsWithoutStaffMax);
  assert(streamsWithoutStaffMax < streamsMax);
  assert(streamPageCharsMax <= streamUnsentBytesMax);
  assert(streamsMax * streamUnsentBytesMax <= 32 * 1024 * 1024);
});
