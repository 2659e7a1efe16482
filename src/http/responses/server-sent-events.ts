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

/** A block without data is no event: readers only store its id, and send the id to resume. */
export function positionBlock(id: string): string {
  return `id: ${id}\n\n`;
}

/** A block that sets how long readers wait before they connect again. */
export function retryBlock(milliseconds: number): string {
  return `retry: ${milliseconds}\n\n`;
}

/** A comment, which keeps proxies from closing a quiet connection. */
export const commentBlock = ':\n\n';
