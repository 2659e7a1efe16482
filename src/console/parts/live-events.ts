// Live events: one tab reads the stream for all tabs. While the service rejects the stream, views load again whenever
// that tab has tried.
import { type ApiClient, pause, query } from './api-client.ts';
import type { List, ServiceEvent } from './api-types.ts';
import { withLock } from './browser-gaps.ts';
import { Rejection, retryPause } from './request-errors.ts';

type Message =
  | { readonly kind: 'event'; readonly events: readonly ServiceEvent[]; readonly cursor: string }
  /** Events may have been missed: views have to load again. */
  | { readonly kind: 'reset' }
  /** The reason why changes come late; null while they come immediately. */
  | { readonly kind: 'delay'; readonly reason: string | null }
  | { readonly kind: 'ended' }
  /** Sent by a tab that has just been opened. */
  | { readonly kind: 'hello' };
type Watcher = (events: readonly ServiceEvent[]) => void;

const streamPauseMilliseconds = 2_000;
/** The service sends at least a comment every 15 s: a connection that is silent for so long is dead. */
const silentMilliseconds = 40_000;
/** The pause after the first rejection; each further one doubles it, up to the maximum. */
const rejectedPauseMilliseconds = 5_000;
const rejectedPauseMillisecondsMax = 30_000;
/** If more come while the page is hidden, it is loaded as a whole when it is shown. */
const batchMax = 2_000;
/** Events within this time are shown together, and many events at most once a second. */
const batchMilliseconds = 60;
const intervalMilliseconds = 1_000;

/** Dispatches `delay` when `delayReason` changes, and `ended` after a stream: rights may have changed. */
export class LiveEvents extends EventTarget {
  readonly #client: ApiClient;
  readonly #channel = new BroadcastChannel('orderly-events');
  readonly #watchers = new Set<Watcher>();
  #cursor: string | undefined;
  /** What the watchers get next: nothing while undefined, and an empty list if events may have been missed. */
  #news: readonly ServiceEvent[] | undefined;
  #isScheduled = false;
  /** By a clock that nobody sets: otherwise one that was set back would hold all that follows. */
  #deliveredAt = -Infinity;
  #delayReason: string | null = null;
  #ending = new AbortController();

  constructor(client: ApiClient) {
    super();
    this.#client = client;
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#receive(data);
    document.addEventListener('visibilitychange', () => this.#schedule());
  }

  /** The reason why changes come late; null while they come immediately. */
  get delayReason(): string | null {
    return this.#delayReason;
  }

  /** Calls the watcher until the signal is aborted. An empty list means that events may have been missed. */
  watch(signal: AbortSignal, watcher: Watcher): void {
    this.#watchers.add(watcher);
    signal.addEventListener('abort', () => this.#watchers.delete(watcher));
  }

  /** Lets views load again, as events may have been missed. Forms stay unchanged. */
  catchUp(): void {
    this.#receive({ kind: 'reset' });
  }

  /**
   * Returns the cursor after the latest event; undefined if the service rejects the request. What is loaded
   * later is at least as new.
   */
  async latest(): Promise<string | undefined> {
    const page = this.#client.get<List<ServiceEvent>>(`/events?${query({ from: 'latest', limit: 1 })}`);
    return page.then(
      ({ next }) => new URL(next ?? '', location.origin).searchParams.get('cursor') ?? undefined,
      () => undefined,
    );
  }

  /** Waits until no other tab has the stream, then reads it from the cursor, or from the latest event. */
  async start(cursor: string | undefined): Promise<void> {
    this.stop();
    this.#cursor = cursor;
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    this.#channel.postMessage({ kind: 'hello' } satisfies Message);
    await withLock('orderly-stream', { signal }, () => this.#follow(signal)).catch(() => undefined);
  }

  /** Drops the events of the user who was signed in: the next one may not see them. */
  stop(): void {
    this.#ending.abort(new Error('signed out'));
    this.#news = undefined;
    this.#cursor = undefined;
    this.#delayReason = null;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    let rejections = 0;
    while (!signal.aborted) {
      const rejection = await this.#stream(signal);
      if (signal.aborted) return;
      if (rejection?.status === 401 || rejection?.status === 403) return this.#send({ kind: 'ended' });
      rejections = rejection === undefined ? 0 : rejections + 1;
      if (rejection !== undefined) {
        this.#send({ kind: 'delay', reason: rejection.message });
        this.#send({ kind: 'reset' });
      }
      const milliseconds =
        rejection === undefined ? streamPauseMilliseconds : rejectedPause(rejection, rejections);
      await pause(milliseconds, signal).catch(() => undefined);
    }
  }

  /** Resolves when the stream ends, or to the rejection if the service doesn't open it. */
  async #stream(signal: AbortSignal): Promise<Rejection | undefined> {
    const headers = this.#cursor === undefined ? {} : { 'Last-Event-ID': this.#cursor };
    const options = { accept: 'text/event-stream', headers, signal };
    try {
      const response = await this.#client.request('GET', '/events', options);
      await this.#readStream(response, signal);
    } catch (error) {
      if (error instanceof Rejection && error.code === 'events-gone') this.#cursor = undefined;
      else if (error instanceof Rejection) return error;
    }
    return undefined;
  }

  async #readStream({ body }: Response, signal: AbortSignal): Promise<void> {
    this.#send({ kind: 'delay', reason: null });
    if (this.#cursor === undefined) this.#send({ kind: 'reset' });
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    let heardAt = Date.now();
    const endIfSilent = (): void => {
      const silent = Date.now() - heardAt; // less than 0 where the clock was set back
      if (silent < 0 || silent > silentMilliseconds) void reader?.cancel();
    };
    const timer = setInterval(endIfSilent, silentMilliseconds / 8);
    document.addEventListener('visibilitychange', endIfSilent, { signal });
    try {
      for (;;) {
        const { value = '', done = true } = (await reader?.read()) ?? {};
        heardAt = Date.now();
        const blocks = (rest + value).split('\n\n');
        rest = blocks.pop() ?? '';
        this.#read(blocks);
        if (done) return;
      }
    } finally {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', endIfSilent);
      if (!signal.aborted) this.#send({ kind: 'ended' });
    }
  }

  /** Passes on the events of blocks such as `id: 7` and `data: {…}`; other blocks are comments. */
  #read(blocks: readonly string[]): void {
    const cursor = fieldsOfBlocks(blocks, 'id').at(-1);
    const events = fieldsOfBlocks(blocks, 'data').map((text) => JSON.parse(text));
    if (cursor !== undefined && events.length > 0) this.#send({ kind: 'event', events, cursor });
  }

  #send(message: Message): void {
    this.#channel.postMessage(message);
    this.#receive(message);
  }

  #receive(message: Message): void {
    if (message.kind === 'hello') return this.#greet();
    if (message.kind === 'ended') return void this.dispatchEvent(new Event('ended'));
    if (message.kind === 'delay') return this.#changeDelay(message.reason);
    if (message.kind === 'event') this.#cursor = message.cursor;
    this.#news = message.kind === 'event' ? joinNews(this.#news, message.events) : [];
    this.#schedule();
  }

  #greet(): void {
    const reason = this.#delayReason;
    if (reason !== null) this.#channel.postMessage({ kind: 'delay', reason } satisfies Message);
  }

  #changeDelay(reason: string | null): void {
    if (reason === this.#delayReason) return;
    this.#delayReason = reason;
    this.dispatchEvent(new Event('delay'));
  }

  /** Delivers the news soon, or once a hidden tab is shown. */
  #schedule(): void {
    if (this.#isScheduled || this.#news === undefined || document.hidden) return;
    this.#isScheduled = true;
    const quiet = this.#deliveredAt + intervalMilliseconds - performance.now();
    setTimeout(() => this.#deliver(), Math.max(batchMilliseconds, quiet));
  }

  #deliver(): void {
    this.#isScheduled = false;
    const events = this.#news;
    if (events === undefined || document.hidden) return; // stopped or hidden meanwhile
    this.#news = undefined;
    this.#deliveredAt = performance.now();
    for (const watcher of this.#watchers) watcher(events);
  }
}

function joinNews(before: readonly ServiceEvent[] | undefined, events: readonly ServiceEvent[]) {
  if (before?.length === 0) return before;
  const all = [...(before ?? []), ...events];
  return all.length > batchMax ? [] : all;
}

function fieldsOfBlocks(blocks: readonly string[], name: string): readonly string[] {
  const field = new RegExp(`^${name}: ?(.*)`, 'm');
  return blocks.map((block) => field.exec(block)?.[1]).filter((text) => text !== undefined);
}

function rejectedPause(rejection: Rejection, rejections: number): number {
  const growing = rejectedPauseMilliseconds * 2 ** (rejections - 1);
  return retryPause(rejection, Math.min(growing, rejectedPauseMillisecondsMax));
}
