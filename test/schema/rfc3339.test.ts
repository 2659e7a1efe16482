// Which times are accepted (RFC 3339 section 5.6), and their instants.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentTimestamp } from '../../src/schema/members.ts';
import { timestampOf } from '../../src/base/timestamp.ts';
import { canonicalTime, timeAtOrAfter, toTime } from '../../src/schema/rfc3339.ts';
import { schemaIssues } from '../../src/schema/schema-check.ts';

const accepted: readonly (readonly [sent: string, inUtc: string])[] = [
  ['2025-12-01T00:00:00Z', '2025-12-01T00:00:00.000Z'],
  ['2025-12-01t00:00:00z', '2025-12-01T00:00:00.000Z'],
  ['2025-12-01T00:00:00+01:00', '2025-11-30T23:00:00.000Z'],
  ['2025-12-01T00:00:00.5-05:30', '2025-12-01T05:30:00.500Z'],
  ['2025-12-01T00:00:00-00:00', '2025-12-01T00:00:00.000Z'],
  ['2025-12-01T00:00:00.1Z', '2025-12-01T00:00:00.100Z'],
  ['2025-12-01T00:00:00.123456789Z', '2025-12-01T00:00:00.123Z'],
  [`2025-12-01T00:00:00.${'9'.repeat(40)}Z`, '2025-12-01T00:00:00.999Z'],
  ['2024-02-29T23:59:59+23:59', '2024-02-29T00:00:59.000Z'],
  ['2000-02-29T00:00:00-23:59', '2000-02-29T23:59:00.000Z'],
  ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ['0099-06-30T12:00:00Z', '0099-06-30T12:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
];
for (const [sent, inUtc] of accepted) {
  test(`${sent} is ${inUtc}`, () => {
    assert.deepEqual(schemaIssues(sentTimestamp, sent), []);
    assert.equal(timestampOf(toTime(sent)), inUtc);
  });
}

const rejected: readonly (readonly [sent: string, sentence: RegExp])[] = [
  ['', /such as 2026-03-01T09:30:00Z/],
  ['yesterday', /such as 2026-03-01T09:30:00Z/],
  ['2025-12-01', /such as 2026-03-01T09:30:00Z/],
  ['2025-12-01T00:00Z', /such as/],
  ['2025-12-01T00:00:00', /such as/],
  ['2025-12-01 00:00:00Z', /such as/],
  ['2025-12-01T00:00:00 01:00', /in a query \+ is %2B/],
  ['2025-12-01T00:00:00.Z', /such as/],
  ['2025-12-01T00:00:00,5Z', /such as/],
  ['2025-12-01T00:00:00+0100', /such as/],
  ['2025-12-01T00:00:00+01', /such as/],
  ['2025-12-01T00:00:00−01:00', /such as/],
  ['+002025-12-01T00:00:00Z', /such as/],
  ['２025-12-01T00:00:00Z', /such as/],
  ['2025-12-01T00:00:00Z\n', /such as/],
  [`2025-12-01T00:00:00.${'1'.repeat(100_000)}Z`, /such as/],
  ['2025-00-01T00:00:00Z', /is no date and time/],
  ['2025-13-01T00:00:00Z', /is no date and time/],
  ['2025-12-00T00:00:00Z', /is no date and time/],
  ['2025-04-31T00:00:00Z', /is no date and time/],
  ['2025-02-29T00:00:00Z', /is no date and time/],
  ['1900-02-29T00:00:00Z', /is no date and time/],
  ['2024-02-30T00:00:00Z', /is no date and time/],
  ['2025-12-01T24:00:00Z', /is no date and time/],
  ['2025-12-01T00:60:00Z', /is no date and time/],
  ['2016-12-31T23:59:60Z', /is no date and time/],
  ['2025-12-01T00:00:00+24:00', /is no date and time/],
  ['2025-12-01T00:00:00+01:60', /is no date and time/],
  ['0000-01-01T00:00:00+00:01', /the years 0000 to 9999/],
  ['9999-12-31T23:59:59-00:01', /the years 0000 to 9999/],
];
for (const [sent, sentence] of rejected) {
  test(`${JSON.stringify(sent).slice(0, 40)} is rejected, and the issue says what would be right`, () => {
    const issues = schemaIssues(sentTimestamp, sent);
    assert.equal(issues.length, 1);
    assert.match(issues[0]?.detail ?? '', sentence);
  });
}

const stored = Date.parse('2025-12-01T00:00:00.500Z');
const bounds: readonly (readonly [sent: string, isAtOrAfter: boolean])[] = [
  ['2025-12-01T00:00:00.5Z', true],
  ['2025-12-01T00:00:00.5000000Z', true],
  ['2025-12-01T00:00:00.4999999Z', true],
  ['2025-12-01T00:00:00.5000001Z', false],
];
for (const [sent, isAtOrAfter] of bounds)
  test(`${sent} bounds a list exactly`, () => assert.equal(stored >= timeAtOrAfter(sent), isAtOrAfter));

test('times that filter the same rows have one form, in which they filter the same', () => {
  for (const [sent] of accepted) {
    const canonical = canonicalTime(sent);
    assert.equal(canonicalTime(canonical), canonical);
    assert.equal(timeAtOrAfter(canonical), timeAtOrAfter(sent));
    assert.deepEqual(schemaIssues(sentTimestamp, canonical), []);
  }
  const beyond = '9999-12-31T23:59:59.9991Z'; // the next millisecond can't be written
  assert.equal(canonicalTime(beyond), beyond);
});
