// The blocks of an event stream (WHATWG HTML, server-sent events).

export const eventStream = 'text/event-stream';

/** The values must not contain line breaks; JSON text has none. */
export function eventBlock(event: {
  readonly id: string;
  readonly type: string;
  readonly data: string;
}): string {
  return `id: ${event.id}\nevent: ${event.type}\ndata: ${event.data}\n\n`;
}

/**
 * A line that sets how long readers wait before they connect again. It belongs to the block of the first event,
 * since some readers take a block without data for an event.
 */
export function retryLine(milliseconds: number): string {
  return `retry: ${milliseconds}\n`;
}

/** A comment, which keeps proxies from closing a quiet connection. */
export const commentLine = ':\n';
