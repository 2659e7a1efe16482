// The log: JSON lines for programs, text for people, and no injection into either.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Level, RequestLogLine } from '../../src/base/log-lines.ts';
import { LineLogger } from '../../src/base/logger.ts';

const time = Date.parse('2026-03-01T09:30:00.000Z');
const line: RequestLogLine = {
  requestId: 'r-1',
  method: 'GET',
  path: '/orders',
  status: 200,
  milliseconds: 1.23456,
  address: '203.0.113.7',
  principal: 'user:7',
  traceparent: undefined,
};

function logTo(
  options: {
    readonly level?: Level;
    readonly isTerminal?: boolean;
    readonly hasColor?: boolean;
    readonly writableLength?: number;
  } = {},
) {
  const written: string[] = [];
  const sink = { write: (text: string) => written.push(text), writableLength: options.writableLength ?? 0 };
  const { level = 'info', isTerminal = false, hasColor = false } = options;
  const log = new LineLogger({ level, sink, isTerminal, hasColor, now: () => time });
  return {
    log,
    sink,
    written,
    text: () => {
      log.flush();
      return written.join('');
    },
  };
}

test('a request is one JSON object a line, its path without a query', () => {
  const { log, text } = logTo();
  log.request({ ...line, traceparent: '00-"x"-01' }, time);
  assert.deepEqual(JSON.parse(text()), {
    time: '2026-03-01T09:30:00.000Z',
    level: 'info',
    requestId: 'r-1',
    method: 'GET',
    path: '/orders',
    status: 200,
    durationMs: 1.235,
    address: '203.0.113.7',
    principal: 'user:7',
    traceparent: '00-"x"-01',
  });
});

for (const isTerminal of [false, true])
  test(`a long path is truncated, ${isTerminal ? 'on a terminal' : 'in JSON'}`, () => {
    const { log, text } = logTo({ isTerminal });
    log.request({ ...line, path: `/${'a'.repeat(8_000)}` }, time);
    assert.match(text(), /\/a{199}…["\s]/);
  });

for (const isTerminal of [false, true])
  test(`escapes make no line longer, ${isTerminal ? 'on a terminal' : 'in JSON'}`, () => {
    const { log, text } = logTo({ isTerminal });
    const evil = '\x9b'.repeat(8_000);
    log.request({ ...line, path: `/${evil}`, traceparent: evil }, time);
    assert.match(text(), /\/\\u009b(\\u009b)+…/);
    assert.ok(text().length < 700, String(text().length));
    if (!isTerminal) assert.equal(JSON.parse(text()).traceparent, `${evil.slice(0, 33)}…`);
  });

test('a short path with a few escapes is whole', () => {
  const { log, text } = logTo();
  const path = `/orders/"7"/${'a'.repeat(60)}`;
  log.request({ ...line, path }, time);
  assert.equal(JSON.parse(text()).path, path);
});

const tricks = ['\x1b[2J', '\x9b2J', '\u2028', '\r\n{"level":"error"}', '\x7f', '\u202eevil', '\u{e0041}'];
for (const trick of tricks) {
  for (const isTerminal of [false, true]) {
    const shown = JSON.stringify(trick).replace(
      /[^ -~]/gu,
      (sign) => `U+${sign.codePointAt(0)?.toString(16)}`,
    );
    test(`${shown} is escaped ${isTerminal ? 'on a terminal' : 'in JSON, and parses back'}`, () => {
      const { log, text } = logTo({ isTerminal });
      log.request({ ...line, path: `/${trick}` }, time);
      log.write('warn', `note ${trick}`, { detail: trick, error: new Error(trick) });
      assert.doesNotMatch(text().replaceAll('\n', ''), /[\p{Cc}\p{Cf}\u2028\u2029]/u);
      if (isTerminal)
        return assert.ok(
          text()
            .split('\n')
            .every((each) => /^(\d\d:\d\d:\d\d | {4}|$)/.test(each)),
        );
      const [request, note] = text()
        .trim()
        .split('\n')
        .map((each): Record<string, unknown> => JSON.parse(each));
      assert.equal(request?.['path'], `/${trick}`);
      assert.deepEqual(
        [note?.['message'], note?.['detail'], note?.['error']],
        [`note ${trick}`, trick, trick],
      );
    });
  }
}

for (const [zone, local] of [
  ['UTC', '09:30:00 +00:00'],
  ['Europe/Berlin', '10:30:00 +01:00'],
  ['Asia/Kolkata', '15:00:00 +05:30'],
  ['America/St_Johns', '06:00:00 -03:30'],
  ['Pacific/Kiritimati', '23:30:00 +14:00'],
] as const) {
  test(`for people a line has the local time with its offset, for programs UTC (${zone})`, (t) => {
    inZone(t, zone);
    const [people, programs] = [logTo({ isTerminal: true }), logTo()];
    for (const { log } of [people, programs]) {
      log.write('warn', 'something');
      log.request(line, time);
    }
    const [message = '', request = ''] = people.text().split('\n');
    assert.ok(message.startsWith(`${local} warn `) && request.startsWith(`${local} info `), people.text());
    assert.equal(programs.text().match(/"time":"2026-03-01T09:30:00\.000Z"/g)?.length, 2);
  });
}

/** Sets the time zone until the test's end; Node reads it again when it is set. */
function inZone(t: TestContext, zone: string): void {
  const { TZ: before } = process.env;
  process.env['TZ'] = zone;
  t.after(() => {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  });
}

test('for people a line has the time, the level, the request and the principal', (t) => {
  inZone(t, 'UTC');
  const { log, text } = logTo({ isTerminal: true });
  log.request(line, time);
  log.write('warn', 'something', { why: 'a reason', count: 2 });
  assert.equal(
    text(),
    [
      '09:30:00 +00:00 info  200 GET    /orders 1.235 ms 203.0.113.7 user:7 r-1\n',
      '09:30:00 +00:00 warn  something why=a reason count=2\n',
    ].join(''),
  );
});

test('colours are used only if they are wanted', () => {
  for (const hasColor of [true, false]) {
    const { log, text } = logTo({ isTerminal: true, hasColor });
    log.write('error', 'x');
    assert.equal(text().includes('\x1b['), hasColor);
  }
});

test('a request that failed has the level error, one that may be sent again has warn', () => {
  for (const [status, level] of [
    [200, 'info'],
    [422, 'info'],
    [500, 'error'],
    [503, 'warn'],
    [505, 'info'],
  ] as const) {
    const { log, text } = logTo({ level: 'debug' });
    log.request({ ...line, status }, time);
    log.flush();
    assert.equal(JSON.parse(text()).level, level, `${status}`);
  }
});

test('a level hides what is below it, and off hides all', () => {
  for (const [level, seen] of [
    ['debug', 3],
    ['info', 3],
    ['warn', 2],
    ['error', 1],
    ['off', 0],
  ] as const) {
    const { log, text } = logTo({ level });
    log.request(line, time);
    log.write('warn', 'x');
    log.request({ ...line, status: 500 }, time);
    assert.equal(text().split('\n').length - 1, seen, level);
  }
});

test('durations are milliseconds to the microsecond', () => {
  const { log, text } = logTo();
  for (const milliseconds of [0, 0.0004, 0.0005, 0.9996, 12, 3.05, 61_234.5678])
    log.request({ ...line, milliseconds }, time);
  assert.deepEqual(
    text()
      .trim()
      .split('\n')
      .map((each): number => JSON.parse(each).durationMs),
    [0, 0, 0.001, 1, 12, 3.05, 61_234.568],
  );
});

test('every line arrives once and in order, in several pieces', () => {
  const { log, text, written } = logTo();
  const messages = Array.from({ length: 2_000 }, (_, index) =>
    index === 700 ? `/${'long'.repeat(20_000)}` : `/ö/${index}`,
  );
  for (const message of messages) log.write('info', message, line);
  const lines = text().trim().split('\n');
  assert.deepEqual(
    lines.map((each): string => JSON.parse(each).message),
    messages,
  );
  assert.ok(written.length > 4);
});

for (const isTerminal of [true, false])
  test(`dropped lines are counted with the next line, ${isTerminal ? 'on a terminal' : 'in JSON'}`, () => {
    const { log, sink, text } = logTo({ writableLength: 2 ** 30, isTerminal });
    for (let count = 0; count < 5; count += 1) log.request(line, time);
    assert.equal(text(), '');
    sink.writableLength = 0;
    log.request(line, time);
    assert.match(text(), /^[^\n]*r-1[^\n]*\n[^\n]*warn[^\n]*dropped 5 log lines:[^\n]*\n$/);
  });

test('dropped lines are counted at the end, too', () => {
  const { log, sink, text } = logTo({ writableLength: 2 ** 30 });
  log.request(line, time);
  sink.writableLength = 0;
  assert.match(text(), /dropped 1 log line:/);
});
