// A thread: calls and their replies, its start and its ends.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { Thread, ThreadError, type Handler } from '../../src/base/thread.ts';
import { FrozenClock } from '../support/frozen-clock.ts';

type Message = 'add' | 'fail' | 'throw outside' | 'exit' | 'wait' | 'go on';

/** Adds to what it was given, and fails in the ways that a program can. */
function program(
  start: { readonly sum: number },
  add: (a: number, b: number) => number,
): Handler<Message, number> {
  let { sum } = start;
  const { promise, resolve } = Promise.withResolvers<void>();
  return async (message) => {
    if (message === 'fail') throw new Error('it failed');
    if (message === 'throw outside')
      setImmediate(() => {
        throw new Error('unforeseen');
      });
    if (message === 'exit') process.exit();
    if (message === 'go on') resolve();
    else if (message !== 'add') await promise;
    sum = add(sum, 1);
    return sum;
  };
}

function threadFor(t: TestContext, options: { idleMilliseconds?: number; timers?: FrozenClock } = {}) {
  const helpers = ['(a, b) => a + b'] as const;
  const thread = new Thread({ program, data: { sum: 1 }, helpers, ...options });
  t.after(() => thread.end());
  return thread;
}

/** The threads that the process starts from now on. */
function startsIn(t: TestContext): Worker[] {
  const workers: Worker[] = [];
  const onWorker = (worker: Worker): number => workers.push(worker);
  process.on('worker', onWorker);
  t.after(() => process.off('worker', onWorker));
  return workers;
}

test('a thread replies to calls with what its handler returns or throws', async (t) => {
  const thread = threadFor(t);
  assert.deepEqual(await Promise.all([thread.call('add'), thread.call('add')]), [2, 3]);
  await assert.rejects(thread.call('fail'), new Error('it failed'));
  assert.equal(await thread.call('add'), 4);
});

for (const [message, cause] of [
  ['throw outside', /^the thread failed: .*unforeseen/],
  ['exit', /^the thread ended$/],
] as const)
  test(`a thread that ends early (${message}) rejects its calls, and the next call starts another`, async (t) => {
    const thread = threadFor(t);
    const calls = [thread.call('wait'), thread.call(message)];
    for (const result of await Promise.allSettled(calls)) {
      assert.ok(result.status === 'rejected' && result.reason instanceof ThreadError);
      assert.match(result.reason.message, cause);
    }
    assert.equal(await thread.call('add'), 2);
  });

test('a thread that is ended rejects its calls with the reason', async (t) => {
  const thread = threadFor(t);
  const waiting = thread.call('wait');
  const ended = thread.end('the service is stopping');
  await assert.rejects(waiting, new ThreadError('the service is stopping'));
  await ended;
  await thread.end();
});

test('a thread starts with its first call, and ends after a while without any', async (t) => {
  const workers = startsIn(t);
  const timers = new FrozenClock(0);
  const thread = threadFor(t, { idleMilliseconds: 1_000, timers });
  await thread.call('add');
  timers.advance(999);
  assert.equal(await thread.call('add'), 3);
  timers.advance(999);
  await turn();
  const [worker] = workers;
  assert.ok(worker !== undefined && workers.length === 1);
  const ended = once(worker, 'exit');
  timers.advance(1);
  await ended;
  assert.equal(await thread.call('add'), 2);
});

test('a thread doesn’t end while a call runs, however long it takes', async (t) => {
  const timers = new FrozenClock(0);
  const thread = threadFor(t, { idleMilliseconds: 1_000, timers });
  await thread.call('add');
  const waiting = thread.call('wait');
  timers.advance(1_000);
  await turn();
  assert.equal(await thread.call('go on'), 3);
  assert.equal(await waiting, 4);
});

test('a thread without a running call doesn’t keep the process alive', async () => {
  const script =
    `import { Thread } from '${import.meta.resolve('../../src/base/thread.ts')}';` +
    "const thread = new Thread({ program: () => () => 'replied', data: {}, helpers: [] });" +
    'console.log(await thread.call());';
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 20_000 });
  assert.equal(stdout, 'replied\n');
});
