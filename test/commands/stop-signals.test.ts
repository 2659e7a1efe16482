// How signals end a service: the first gracefully, npm's repetition of it not at all, a later one
// immediately; also during the start.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';
import { startService } from '../../src/service/running-service.ts';
import { createStopper } from '../../src/commands/serve.ts';
import { readCommandLine } from '../../src/service/command-line.ts';
import { LineLogger } from '../../src/base/logger.ts';
import { executable } from '../support/service.ts';
import { until } from '../support/storage-support.ts';
import { dataFolder, newFolder, realProgram, serving } from '../support/command-support.ts';

const root = join(import.meta.dirname, '../..');

const series: readonly (readonly [outcome: string, ...atMilliseconds: number[]])[] = [
  ['stop', 0],
  ['stop', 0, 0],
  ['stop', 0, 5, 2_000],
  ['stop, at once', 0, 5, 2_001],
  ['stop, at once', 7_000, 9_001],
];
for (const [outcome, ...times] of series) {
  test(`signals at ${times.join(', ')} ms have the outcome: ${outcome}`, () => {
    const done: string[] = [];
    let now = 0;
    const signal = createStopper({
      stop: () => done.push('stop'),
      stopAtOnce: () => done.push('at once'),
      now: () => now,
    });
    for (now of times) signal('SIGTERM');
    assert.equal(done.join(', '), outcome);
  });
}

test(
  'npm start ends normally with the service, whether npm gets the signal or the whole process group',
  { skip: executable !== undefined && 'npm start runs the sources' },
  async (t) => {
    for (const [signal, target] of [
      ['SIGTERM', 'npm'],
      ['SIGTERM', 'group'],
      ['SIGINT', 'group'],
    ] as const) {
      const npm = await npmStart(t);
      const socket = await requestBegun(npm.port);
      process.kill(target === 'group' ? -npm.pid : npm.pid, signal);
      await npm.logged(new RegExp(`${signal}: finishing open requests`));
      socket.write('}');
      assert.match(await text(socket), /^HTTP\/1\.1 4\d\d .*\r\n(?:.*\r\n)*Connection: close\r\n/);
      assert.deepEqual(await npm.ended, [0, null], `${signal} to ${target}`);
      await npm.logged(/"stopped"/);
    }
  },
);

test('a signal repeated until the process has ended changes nothing about its status', async (t) => {
  const service = await serving(t, ['--tls=off', `--data=${await dataFolder(t)}`]);
  const { child, output } = service;
  child.stdout?.on('data', () => {
    if (output.stdout.includes('"stopped"')) repeatSignal(child);
  });
  assert.equal((await service.end()).status, 0);
});

describe('a start that is abandoned', { concurrency: true }, () => {
  test('a start abandoned while the first password is hashed ends with 0, without a user or a lock', async (t) => {
    const cwd = newFolder(t);
    const ended = await endedEarly(t, cwd, () => existsSync(join(cwd, 'data/tls/cert.pem')));
    assert.deepEqual(ended, [0, null]);
    assert.deepEqual(readdirSync(join(cwd, 'data')).sort(), ['lock.db', 'orderly.db', 'secret.key', 'tls']);
    const service = await serving(t, [], { cwd });
    assert.match(service.output.stdout, /Created an administrator/);
    assert.equal((await service.end()).status, 0);
  });

  test('a start that is abandoned before anything else is loaded ends with 0 as well', async (t) => {
    const cwd = newFolder(t);
    const started = spawn(
      process.execPath,
      [
        '--import',
        'data:text/javascript,setTimeout(() => process.kill(process.pid, "SIGTERM"))',
        join(root, 'src/start.js'),
        '--port=0',
      ],
      { cwd, env: {}, stdio: 'ignore' },
    );
    const [status, signal] = await once(started, 'exit');
    assert.deepEqual([status, signal], [0, null]);
  });

  test('an abandoned start unlocks the folder for the next one in the same process', async (t) => {
    const folder = await dataFolder(t);
    const { config } = readCommandLine(['--port=0', '--tls=off', `--data=${folder}`], {});
    const log = new LineLogger({
      level: 'off',
      sink: { write: () => {}, writableLength: 0 },
      isTerminal: false,
      hasColor: false,
      now: Date.now,
    });
    const starting = startService({ config, log, signal: AbortSignal.abort() });
    await assert.rejects(starting, { name: 'AbortError' });
    await (await startService({ config, log })).stop();
  });
});

/** Sends SIGTERM again and again until the process has ended, as npm may do once. */
function repeatSignal(child: ChildProcess): void {
  if (child.kill('SIGTERM')) setImmediate(repeatSignal, child);
}

/**
 * Runs `orderly serve` with the real cost of passwords, sends SIGTERM as soon as `isTime`, and waits for its
 * end.
 */
async function endedEarly(t: TestContext, cwd: string, isTime: () => boolean): Promise<unknown> {
  const [file = '', ...first] = realProgram;
  const child = spawn(file, [...first, '--port=0'], { cwd, env: {}, stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  await until(isTime);
  child.kill('SIGTERM');
  return await ended;
}

/** npm as the leader of a process group, as a shell starts it, and the service that it runs. */
async function npmStart(t: TestContext) {
  const flags = ['--port=0', '--tls=off', `--data=${await dataFolder(t)}`];
  const npm = spawn('npm', ['start', '--', ...flags], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const pid = npm.pid ?? assert.fail('npm was not started');
  t.after(() => npm.exitCode ?? process.kill(-pid, 'SIGKILL'));
  let output = '';
  npm.stdout.setEncoding('utf8').on('data', (more: string) => {
    output += more;
  });
  const ended = once(npm, 'close');
  async function logged(line: RegExp): Promise<string> {
    await until(() => line.test(output));
    return line.exec(output)?.[1] ?? '';
  }
  return { pid, ended, logged, port: Number(await logged(/"url":"http:[^"]*:(\d+)"/)) };
}

/** A request without the last byte of its body. */
async function requestBegun(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  const fields = 'Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 2';
  socket.write(
    `GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\nPOST /api/sessions HTTP/1.1\r\n${fields}\r\n\r\n{`,
  );
  await once(socket, 'data'); // the first is answered, so the second has arrived
  return socket;
}
