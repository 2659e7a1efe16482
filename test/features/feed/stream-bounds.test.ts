// The bounds of streams, and those of the service that they must fit together with.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  streamPageCharsMax,
  streamsMax,
  streamsPerAddressMax,
  streamsPerUserMax,
  streamsWithoutStaffMax,
  streamTurnMillisecondsMax,
} from '../../../src/features/feed/live-feed.ts';
import { streamUnsentBytesMax } from '../../../src/features/feed/live-reader.ts';
import { turnShares } from '../../support/turn-shares.ts';

test('the bounds of streams don’t contradict each other', () => {
  assert(streamsPerUserMax < streamsPerAddressMax);
  assert(streamsPerAddressMax < streamsWithoutStaffMax);
  assert(streamsWithoutStaffMax < streamsMax);
  assert(streamTurnMillisecondsMax <= turnShares.streams);
  assert(streamPageCharsMax <= streamUnsentBytesMax);
  assert(streamsMax * streamUnsentBytesMax <= 32 * 1024 * 1024);
});
