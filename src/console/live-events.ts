// What happens in the service, as it happens: one stream for all tabs, held by one of them.
import { type ApiClient, pause, Rejection } from './api-client.ts';
import type { ServiceEvent } from './api-types.ts';

type Message =
  | { readonly kind: 'event'; readonly event: ServiceEvent; readonly cursor: string }
  /** Something may have been missed: views load again what they show. */
  | { readonly kind: 'reset' };
type Watcher = (events: readonly ServiceEvent[]) => void;

const pauseMilliseconds = 2_000;
/** Events that come together are delivered together, and at most once a second. */
const batchMilliseconds = 60;
const intervalMilliseconds = 1_000;

export class LiveEvents {
  readonly #client: ApiClient;
  readonly #channel = new BroadcastChannel('orderly-events');
  readonly #watchers = new Set<Watcher>();
  #cursor: string | undefined;
  #batch: ServiceEvent[] = [];
  #isIncomplete = false;
  #isScheduled = false;
  #deliveredAt = 0;
  #ending = new AbortController();

  constructor(client: ApiClient) {
    this.#client = client;
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#receive(data);
    document.addEventListener('visibilitychange', () => this.#schedule());
  }

  /** Calls `watcher` until the signal is aborted; without events if some may have been missed. */
  watch(signal: AbortSignal, watcher: Watcher): void {
    this.#watchers.add(watcher);
    signal.addEventListener('abort', () => this.#watchers.delete(watcher));
  }

  /** Shows what may have been missed. Forms stay as they are. */
  catchUp(): void {
    this.#receive({ kind: 'reset' });
  }

  /** Waits until no other tab has the stream, then reads it. */
  async start(): Promise<void> {
    this.stop();
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    await navigator.locks
      .request('orderly-stream', { signal }, () => this.#follow(signal))
      .catch(() => undefined);
  }

  /** Drops what came for the user who was signed in: it isn't for the next one. */
  stop(): void {
    this.#ending.abort(new Error('signed out'));
    this.#batch = [];
    this.#cursor = undefined;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#stream(signal).catch((error: unknown) => {
        if (error instanceof Rejection && error.code === 'events-gone') this.#cursor = undefined;
      });
      await pause(pauseMilliseconds, signal).catch(() => undefined);
    }
  }

  async #stream(signal: AbortSignal): Promise<void> {
    const headers = this.#cursor === undefined ? {} : { 'Last-Event-ID': this.#cursor };
    const options = { accept: 'text/event-stream', headers, signal };
    const response = await this.#client.request('GET', '/events', options);
    if (this.#cursor === undefined) this.#send({ kind: 'reset' });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { value = '', done = true } = (await reader?.read()) ?? {};
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) this.#read(block);
      if (done) return;
    }
  }

  #read(block: string): void {
    const fields = new Map(
      block.split('\n').map((line) => [line.split(':', 1)[0], line.replace(/^\w+: ?/, '')]),
    );
    const cursor = fields.get('id');
    const data = fields.get('data');
    if (cursor === undefined) return;
    if (data === undefined) this.#cursor = cursor;
    else this.#send({ kind: 'event', event: JSON.parse(data), cursor });
  }

  #send(message: Message): void {
    this.#channel.postMessage(message);
    this.#receive(message);
  }

  #receive(message: Message): void {
    if (message.kind === 'event') {
      this.#cursor = message.cursor;
      this.#batch.push(message.event);
    } else this.#isIncomplete = true;
    this.#schedule();
  }

  /** Nobody looks at a tab that is hidden: it catches up when it is shown. */
  #schedule(): void {
    const isEmpty = this.#batch.length === 0 && !this.#isIncomplete;
    if (this.#isScheduled || isEmpty || document.hidden) return;
    this.#isScheduled = true;
    const quiet = this.#deliveredAt + intervalMilliseconds - Date.now();
    setTimeout(() => this.#deliver(), Math.max(batchMilliseconds, quiet));
  }

  #deliver(): void {
    const events = this.#isIncomplete ? [] : this.#batch;
    this.#batch = [];
    this.#isIncomplete = false;
    this.#isScheduled = false;
    this.#deliveredAt = Date.now();
    for (const watcher of this.#watchers) watcher(events);
  }
}
