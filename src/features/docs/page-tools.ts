// Tools of the documentation page's scripts: they find and create elements, and call the service. Browsers
// receive the source of each script, so a script uses nothing from outside except its parameters.
import type { PageDocument, PageElement } from './docs-dom.ts';

declare const document: PageDocument;

export type Issue = {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
  readonly detail: string;
};
/** The members of response bodies. Which of them are present depends on the status. */
type ResponseBody = Readonly<
  Record<'type' | 'code' | 'detail' | 'accessToken' | 'refreshToken', string> &
    Record<'id' | 'expiresIn', number>
> & { readonly errors?: readonly Issue[] };
export type CallResult = {
  readonly response: Response;
  readonly milliseconds: number;
  readonly text: string;
  readonly body: ResponseBody | undefined;
};
export type Request = {
  readonly method: string;
  readonly url: string;
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the request continues if the page is left meanwhile. */
  readonly keepalive?: boolean;
};
export type PageTools = ReturnType<typeof pageTools>;

export function pageTools() {
  function one(selector: string, within: PageElement = document): PageElement {
    const found = within.querySelector(selector);
    if (found === null) throw new Error(`there is no ${selector}`);
    return found;
  }

  function make(tag: string, text = '', className = ''): PageElement {
    return Object.assign(document.createElement(tag), { textContent: text, className });
  }

  /** Shows a message, and announces it to screen readers. */
  function say(element: PageElement, text = 'The service can’t be reached.', className: string): void {
    element.textContent = text;
    element.className = `outcome ${className}`;
  }

  /** Scrolls to a place on the page and moves the focus there. */
  function go(id: string): void {
    location.hash = id;
    document.getElementById(id)?.focus({ preventScroll: true });
  }

  /** Returns undefined if the service can't be reached. */
  async function call(sent: Request): Promise<CallResult | undefined> {
    const { method, url, body, headers = {}, keepalive = false } = sent;
    const before = performance.now();
    const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const options = {
      method,
      headers: { Accept: 'application/json, */*;q=0.5', ...type, ...headers },
      cache: 'no-store',
      credentials: 'omit',
      keepalive,
    } as const;
    const request = fetch(url, body === undefined ? options : { ...options, body });
    const response = await request.catch(() => undefined);
    const text = await response?.text().catch(() => undefined);
    if (response === undefined || text === undefined) return undefined;
    const milliseconds = Math.round(performance.now() - before);
    const isJson = text !== '' && /json/.test(response.headers.get('content-type') ?? '');
    if (!isJson) return { response, milliseconds, text, body: undefined };
    const parsed = JSON.parse(text);
    return { response, milliseconds, text: JSON.stringify(parsed, null, 2), body: parsed };
  }

  return { one, make, say, go, call };
}

declare const location: { hash: string };
