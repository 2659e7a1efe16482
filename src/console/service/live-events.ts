// Live events: one tab reads the stream for all tabs. While the service rejects the stream, views load again whenever
// that tab has tried.
import { type ApiClient, pause, query } from './api-client.ts';
import type { List, ServiceEvent } from '../words/api-types.ts';
import { withLock } from '../browser/browser-gaps.ts';
import { Rejection, retryPause } from './request-errors.ts';

type Events = readonly ServiceEvent[];
/** What the tab with the stream sends to all tabs; `hello` comes from a tab that has just been opened. */
type Message =
  /** No events means that some may have been missed: views have to load again. */
  | { readonly events: Events; readonly cursor?: string | undefined }
  | { readonly delayReason: string | null }
  | 'ended'
  | 'hello';

const streamPauseMilliseconds = 2_000;
/** The service sends at least a comment every 15 s: a connection that is silent for so long is dead. */
const silentMilliseconds = 40_000;
/** The pause after the first rejection; each further one doubles it, up to the maximum. */
const rejectedPauseMilliseconds = 5_000;
const rejectedPauseMillisecondsMax = 30_000;
/** If more events come while the page is hidden, its views load again when it is shown. */
const batchMax = 2_000;
/** Events within this time are shown together, and many events at most once a second. */
const batchMilliseconds = 60;
const intervalMilliseconds = 1_000;

/** Dispatches `delay` when `delayReason` changes, and `ended` after a stream: rights may have changed. */
export class LiveEvents extends EventTarget {
  readonly #client: ApiClient;
  /** Tabs with the console of a version before 1.1 have other messages, on a channel of their own. */
  readonly #channel = new BroadcastChannel('orderly-events-2');
  readonly #watchers = new Set<(events: Events) => void>();
  #cursor: string | undefined;
  /** The events that the watchers get next; undefined if there is no news. */
  #news: Events | undefined;
  #isScheduled = false;
  /** By `performance.now()`: a clock that is set back would delay all events after it. */
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
  watch(signal: AbortSignal, watcher: (events: Events) => void): void {
    this.#watchers.add(watcher);
    signal.addEventListener('abort', () => this.#watchers.delete(watcher));
  }

  /** Lets views load again, as events may have been missed. Forms stay unchanged. */
  catchUp(): void {
    this.#receive({ events: [] });
  }

  /**
   * Returns the cursor after the latest event; undefined if the service rejects the request. What is loaded
   * later is at least as new.
   */
  async latest(): Promise<string | undefined> {
    const path = `/events?${query({ from: 'latest', limit: 1 })}`;
    const page = await this.#client.get<List<ServiceEvent>>(path).catch(() => undefined);
    return new URL(page?.next ?? '', location.origin).searchParams.get('cursor') ?? undefined;
  }

  /** Waits until no other tab has the stream, then reads it from the cursor, or from the latest event. */
  async start(cursor: string | undefined): Promise<void> {
    this.stop();
    this.#cursor = cursor;
    this.#ending = new AbortController();
    const { signal } = this.#ending;
    this.#post('hello');
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
    let growing = rejectedPauseMilliseconds;
    while (!signal.aborted) {
      const rejection = await this.#stream(signal);
      if (signal.aborted) return;
      if (rejection?.status === 401 || rejection?.status === 403) return this.#send('ended');
      let milliseconds = streamPauseMilliseconds;
      if (rejection === undefined) growing = rejectedPauseMilliseconds;
      else {
        this.#send({ delayReason: rejection.message });
        this.#send({ events: [] });
        milliseconds = retryPause(rejection, growing);
        growing = Math.min(growing * 2, rejectedPauseMillisecondsMax);
      }
      await pause(milliseconds, signal).catch(() => undefined);
    }
  }

  /** Resolves when the stream ends, or to the rejection if the service doesn't open it. */
  async #stream(signal: AbortSignal): Promise<Rejection | undefined> {
    const headers = this.#cursor === undefined ? {} : { 'Last-Event-ID': this.#cursor };
    try {
      const options = { accept: 'text/event-stream', headers, signal };
      const { body } = await this.#client.request('GET', '/events', options);
      this.#send({ delayReason: null });
      if (this.#cursor === undefined) this.#send({ events: [] });
      await this.#read(body?.pipeThrough(new TextDecoderStream()).getReader(), signal);
    } catch (error) {
      if (error instanceof Rejection && error.code === 'events-gone') this.#cursor = undefined;
      else if (error instanceof Rejection) return error;
    }
    return undefined;
  }

  async #read(reader: ReadableStreamDefaultReader<string> | undefined, signal: AbortSignal): Promise<void> {
    let rest = '';
    let heardAt = Date.now();
    const timer = setInterval(() => {
      const silent = Date.now() - heardAt; // less than 0 where the clock was set back
      if (silent < 0 || silent > silentMilliseconds) void reader?.cancel();
    }, silentMilliseconds / 8);
    try {
      for (let isDone = false; !isDone;) {
        const { value = '', done = true } = (await reader?.read()) ?? {};
        isDone = done;
        heardAt = Date.now();
        const blocks = (rest + value).split('\n\n');
        rest = blocks.pop() ?? '';
        // blocks such as `id: 7` and `data: {…}`; the others are comments
        const events = fieldsOfBlocks(blocks, 'data').map((text) => JSON.parse(text));
        if (events.length > 0) this.#send({ events, cursor: fieldsOfBlocks(blocks, 'id').at(-1) });
      }
    } finally {
      clearInterval(timer);
      if (!signal.aborted) this.#send('ended');
    }
  }

  #post(message: Message): void {
    this.#channel.postMessage(message);
  }

  #send(message: Message): void {
    this.#post(message);
    this.#receive(message);
  }

  #receive(message: Message): void {
    if (message === 'hello') {
      if (this.#delayReason !== null) this.#post({ delayReason: this.#delayReason });
    } else if (message === 'ended') this.dispatchEvent(new Event('ended'));
    else if ('delayReason' in message) {
      const isOther = this.#delayReason !== message.delayReason;
      this.#delayReason = message.delayReason;
      if (isOther) this.dispatchEvent(new Event('delay'));
    } else {
      this.#cursor = message.cursor ?? this.#cursor;
      this.#news = joinNews(this.#news, message.events);
      this.#schedule();
    }
  }

  /** Delivers the news soon, or once a hidden tab is shown. */
  #schedule(): void {
    if (this.#isScheduled || this.#news === undefined || document.hidden) return;
    this.#isScheduled = true;
    const quiet = this.#deliveredAt + intervalMilliseconds - performance.now();
    const deliver = (): void => {
      this.#isScheduled = false;
      const events = this.#news;
      if (events === undefined || document.hidden) return; // stopped or hidden meanwhile
      this.#news = undefined;
      this.#deliveredAt = performance.now();
      for (const watcher of this.#watchers) watcher(events);
    };
    setTimeout(deliver, Math.max(batchMilliseconds, quiet));
  }
}

/** Joins events that wait. An empty list means that some may have been missed, so which there are doesn't matter. */
function joinNews(before: Events | undefined, events: Events): Events {
  const all = [...(before ?? []), ...events];
  return before?.length === 0 || events.length === 0 || all.length > batchMax ? [] : all;
}

function fieldsOfBlocks(blocks: readonly string[], name: string): readonly string[] {
  const field = new RegExp(`^${name}: ?(.*)`, 'm');
  return blocks.map((block) => field.exec(block)?.[1]).filter((text) => text !== undefined);
}
