// The ledger of the crash tests detects violations.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Thing } from '../support/load-client.ts';
import { createLedger } from './ledger.ts';

const tea = { id: 1, note: 'tea', status: 'open', total: 12, createdAt: '2026-03-01T09:30:00.000Z' };
const paid = { ...tea, status: 'paid' };
const { id: _id, createdAt: _createdAt, ...asSent } = tea;

type Found = readonly (readonly [name: string, thing: Thing])[];
type Note = (ledger: ReturnType<typeof createLedger>) => void;
const answered: Note = (ledger) => ledger.answered('tea', tea);
const paying: Note = (ledger) => {
  ledger.answered('tea', tea);
  ledger.sent(new Map([['tea', paid]]));
};
const placing: Note = (ledger) => void ledger.sent(new Map([['tea', asSent]]));

const cases: readonly (readonly [name: string, violations: RegExp | undefined, found: Found, note: Note])[] =
  [
    ['what was answered is there', undefined, [['tea', tea]], answered],
    ['what was answered is lost', /^tea was {.*} in a response and is absent\.$/, [], answered],
    [
      'what was answered is incomplete',
      /^tea was .* in a response/,
      [['tea', { ...tea, total: 11 }]],
      answered,
    ],
    ['a member is missing', /^tea was .* in a response/, [['tea', { ...asSent, id: 1 }]], answered],
    [
      'what was removed is back',
      /^tea was absent in a response/,
      [['tea', tea]],
      (ledger) => ledger.answered('tea', undefined),
    ],
    [
      'a thing exists twice',
      /^tea exists twice\.$/,
      [
        ['tea', tea],
        ['tea', tea],
      ],
      answered,
    ],
    ['a thing that no request wanted', /no request wanted/, [['tea', tea]], () => {}],
    ['an unanswered change was made', undefined, [['tea', paid]], paying],
    ['an unanswered change was not made', undefined, [['tea', tea]], paying],
    ['an unanswered change was made wrongly', /^Half done: tea/, [['tea', { ...paid, total: 0 }]], paying],
    ['an unanswered order is complete, with what only the service knows', undefined, [['tea', tea]], placing],
    [
      'an unanswered order lacks something',
      /^Half done: tea/,
      [['tea', { ...tea, total: undefined }]],
      placing,
    ],
    [
      'of what changes together only a part changed',
      /^Half done: tea .*; cup/,
      [['tea', paid]],
      (ledger) => {
        for (const name of ['tea', 'cup']) ledger.answered(name, tea);
        ledger.sent(
          new Map([
            ['tea', undefined],
            ['cup', undefined],
          ]),
        );
      },
    ],
    [
      'an answered change was undone',
      /^tea was .* in a response/,
      [['tea', tea]],
      (ledger) => {
        ledger.answered('tea', tea);
        const attempt = ledger.sent(new Map([['tea', paid]]));
        ledger.answered('tea', paid);
        attempt.close();
      },
    ],
  ];

for (const [name, violations, found, note] of cases) {
  test(`${name}: ${violations === undefined ? 'that is right' : 'that is a fault'}`, () => {
    const ledger = createLedger();
    note(ledger);
    const [first, ...more] = ledger.compare(found);
    assert.deepEqual(more, []);
    if (violations === undefined) assert.equal(first, undefined);
    else assert.match(first ?? '', violations);
  });
}

test('after a comparison the ledger continues with the state that was found', () => {
  const ledger = createLedger();
  ledger.sent(new Map([['tea', tea]]));
  assert.deepEqual(ledger.compare([['tea', tea]]), []);
  assert.match(ledger.compare([])[0] ?? '', /^tea was .* in a response/);
});
