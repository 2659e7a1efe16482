// The thread of deliveries: it works while the event loop is blocked, runs while there are some, and is
// replaced if it fails.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createAuthority, issueCertificate } from '../../../src/auth/certificate.ts';
import { WebhookTargets } from '../../../src/features/webhooks/webhook-targets.ts';
import { OutgoingPosts } from '../../../src/features/webhooks/outgoing-posts.ts';
import type { PostResult } from '../../../src/features/webhooks/post-thread.ts';
import { FrozenClock } from '../../support/frozen-clock.ts';
import { noAddress } from '../../support/receiver-names.ts';
import { Receiver } from './receiver.ts';

const second = 1_000;
const minute = 60 * second;

/** Posts to 127.0.0.1, and the threads that start for them. */
class Posting {
  readonly clock = new FrozenClock(0);
  readonly #threads: Worker[] = [];
  readonly #posts: OutgoingPosts;

  constructor(t: TestContext, options: { readonly authorities?: string[]; readonly lookup?: string } = {}) {
    const targets = new WebhookTargets(['127.0.0.1']);
    this.#posts = new OutgoingPosts({ targets, timers: this.clock, lookup: noAddress, ...options });
    const onWorker = (thread: Worker): number => this.#threads.push(thread);
    process.on('worker', onWorker);
    t.after(() => {
      process.off('worker', onWorker);
      this.close();
    });
  }

  to(url: string, signal = new AbortController().signal): Promise<PostResult> {
    return this.#posts.post({ url: new URL(url), headers: {}, body: '{}', signal });
  }

  /** The threads that have been started: the process reports each one a little later. */
  async threads(): Promise<readonly Worker[]> {
    await nextTurn();
    return this.#threads;
  }

  close(): void {
    this.#posts.close();
  }
}

test('the head of a response counts within about a second, however slowly its body arrives', async (t) => {
  const receiver = await Receiver.start(t);
  const sent = new Posting(t).to(receiver.url());
  const { response } = await receiver.next();
  const begin = performance.now();
  response.writeHead(200).write('x');
  const trickle = setInterval(() => response.write('x'), 50);
  t.after(() => clearInterval(trickle));
  assert.deepEqual(await sent, { kind: 'response', status: 200, retryAfter: undefined });
  const milliseconds = performance.now() - begin;
  assert.ok(milliseconds < 5_000, `${milliseconds} ms`);
});

test('a request over TLS is sent while the event loop is blocked', async (t) => {
  const now = Date.now();
  const authority = createAuthority(['127.0.0.1'], { now, owner: 'this machine' });
  const { certPem: cert, keyPem: key } = issueCertificate(['127.0.0.1'], authority, now);
  const received = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { cert, key, received };
  const receiver = new Worker(`(${receiveInThread.toString()})()`, { eval: true, workerData });
  t.after(() => receiver.terminate());
  const [port] = await once(receiver, 'message');
  const sent = new Posting(t, { authorities: [authority.certPem] }).to(`https://127.0.0.1:${port}/`);
  Atomics.wait(received, 0, 0, minute);
  assert.equal(received[0], 1);
  assert.deepEqual(await sent, { kind: 'response', status: 204, retryAfter: undefined });
});

describe('the thread of deliveries', () => {
  test('the thread of deliveries starts with the first delivery, and ends after a minute without any', async (t) => {
    const receiver = await Receiver.start(t);
    const posting = new Posting(t);
    const deliver = async (): Promise<void> => {
      const sent = posting.to(receiver.url());
      (await receiver.next()).answer(204);
      assert.equal((await sent).kind, 'response');
    };
    assert.equal((await posting.to('http://127.0.0.2/')).kind, 'blocked');
    assert.equal((await posting.threads()).length, 0);
    await deliver();
    posting.clock.advance(minute - 1);
    await deliver();
    assert.equal((await posting.threads()).length, 1);
    posting.clock.advance(minute - 1);
    const [thread] = await posting.threads();
    assert.ok(thread !== undefined);
    const ended = once(thread, 'exit');
    posting.clock.advance(1);
    await ended;
    await deliver();
    assert.equal((await posting.threads()).length, 2);
  });

  test('the thread of deliveries does not end during a delivery', async (t) => {
    const receiver = await Receiver.start(t);
    const posting = new Posting(t);
    const sent = [posting.to(receiver.url()), posting.to(receiver.url())];
    (await receiver.next()).answer(204);
    await Promise.race(sent);
    posting.clock.advance(2 * minute);
    (await receiver.next()).answer(204);
    assert.deepEqual(
      (await Promise.all(sent)).map(({ kind }) => kind),
      ['response', 'response'],
    );
  });

  test('a thread that hasn’t ended an aborted delivery in 10 seconds is replaced; its deliveries fail', async (t) => {
    const posting = new Posting(t, { lookup: '() => { for (;;); }' });
    const request = new AbortController();
    const sent = [posting.to('http://hooks.example/', request.signal), posting.to('http://hooks.example/')];
    request.abort();
    posting.clock.advance(10 * second - 1);
    const later = posting.to('http://hooks.example/');
    assert.equal((await posting.threads()).length, 1);
    posting.clock.advance(1);
    const failed = { kind: 'failed', code: 'other', cause: 'the thread did not respond' };
    assert.deepEqual(await Promise.all([...sent, later]), [failed, failed, failed]);
    void posting.to('http://hooks.example/');
    assert.equal((await posting.threads()).length, 2);
  });

  const ends: readonly (readonly [what: string, statement: string, cause: RegExp])[] = [
    [
      'throws',
      'setImmediate(() => { throw new Error("unforeseen"); })',
      /^the thread failed: Error: unforeseen$/,
    ],
    ['exits', 'process.exit()', /^the thread ended$/],
  ];
  for (const [what, statement, cause] of ends)
    test(`the thread of deliveries is replaced if it ${what}; its deliveries fail`, async (t) => {
      const posting = new Posting(t, { lookup: `() => ${statement}` });
      for (const threads of [1, 2]) {
        const sent = [posting.to('http://hooks.example/'), posting.to('http://hooks.example/')];
        for (const result of await Promise.all(sent)) {
          assert.equal(result.kind, 'failed');
          assert.match(result.cause, cause);
        }
        assert.equal((await posting.threads()).length, threads);
      }
    });

  test('running deliveries fail when their thread is closed', async (t) => {
    const receiver = await Receiver.start(t);
    const posting = new Posting(t);
    const sent = posting.to(receiver.url());
    const { response } = await receiver.next();
    const closed = once(response, 'close');
    posting.close();
    assert.deepEqual(await sent, { kind: 'failed', code: 'other', cause: 'the service is stopping' });
    await closed;
  });
});

/** A receiver on a thread: it reports its port, and a request by a shared integer. */
function receiveInThread(): void {
  const { createServer } = process.getBuiltinModule('node:https');
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { cert, key, received } = workerData;
  const server = createServer({ cert, key }, (_request, response) => {
    Atomics.store(received, 0, 1);
    Atomics.notify(received, 0);
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object') parentPort?.postMessage(address?.port);
  });
}
