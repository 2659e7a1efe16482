// The text of an event stream (WHATWG HTML, server-sent events).

export const eventStream = 'text/event-stream';

/** None of the three may contain a line break; JSON doesn't. */
export function eventBlock(event: {
  readonly id: string;
  readonly type: string;
  readonly data: string;
}): string {
  return `id: ${event.id}\nevent: ${event.type}\ndata: ${event.data}\n\n`;
}

/** A block without data is no event: a reader only stores the id, and sends it to resume. */
export function positionBlock(id: string): string {
  return `id: ${id}\n\n`;
}

/** How long a reader waits before it connects again. */
export function retryBlock(milliseconds: number): string {
  return `retry: ${milliseconds}\n\n`;
}

/** Keeps proxies from closing a quiet connection. */
export const commentBlock = ':\n\n';
