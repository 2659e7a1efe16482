// Trying operations on the documentation page: sends the form's values, and explains the response.
import type { Account } from './account-script.ts';
import type { PageDocument, PageElement } from './docs-dom.ts';
import type { Issue, PageTools, Request, CallResult } from './page-tools.ts';

declare const document: PageDocument;

export function tryScript({ one, make, say, call }: PageTools, { credential }: Account): void {
  for (const details of document.querySelectorAll('.try'))
    details.addEventListener('toggle', () => {
      if (details.querySelector('form') === null) addForm(details);
    });

  function addForm(details: PageElement): void {
    details.append(one('template', details).content.cloneNode(true));
    const form = one('form', details);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void submit(form);
    });
  }

  async function submit(form: PageElement): Promise<void> {
    const request = requestOf(form, await credential());
    if (request.method === 'DELETE' && !(await confirmed(form, request))) return;
    show(form, await call(request), request.body);
  }

  function requestOf(form: PageElement, headers: Record<string, string>): Request {
    const { method = 'GET', path = '' } = form.dataset;
    const query = new URLSearchParams();
    let url = path;
    let body: string | undefined;
    for (const field of form.querySelectorAll('[data-place]')) {
      const { name } = field;
      const { place } = field.dataset;
      const value = valueOf(field);
      if (place === 'body') [body, headers['Content-Type']] = [value, name];
      else if (value === '') continue;
      else if (place === 'path') url = url.replace(`{${name}}`, encodeURIComponent(value));
      else if (place === 'query') query.append(name, value);
      else headers[name] = value;
    }
    return { method, url: query.size === 0 ? url : `${url}?${query}`, body, headers };
  }

  /** Joins several chosen values with commas. */
  function valueOf(field: PageElement): string {
    if (!field.multiple) return field.value;
    return [...(field.selectedOptions ?? [])].map(({ value }) => value).join(',');
  }

  /** Resolves to whether the user confirms; Escape means no. */
  function confirmed(form: PageElement, { method, url }: Request): Promise<boolean> {
    const dialog = one('#confirm');
    one('#confirm-title').textContent = `${form.dataset['summary']}?`;
    one('#confirm-request').textContent = `${method} ${url}`;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    let isYes = false;
    const yes = (): void => {
      isYes = true;
      dialog.close();
    };
    const closed = (): void => {
      one('#confirm-yes').removeEventListener('click', yes);
      dialog.removeEventListener('close', closed);
      resolve(isYes);
    };
    one('#confirm-yes').addEventListener('click', yes);
    dialog.addEventListener('close', closed);
    dialog.showModal();
    return promise;
  }

  one('#confirm-no').addEventListener('click', () => one('#confirm').close());

  function show(form: PageElement, result: CallResult | undefined, sent = ''): void {
    if (result === undefined) return say(one('.outcome', form), undefined, 'bad');
    const { response, milliseconds, text, body } = result;
    const { status, statusText, headers } = response;
    const problem = status < 400 ? undefined : body;
    const issues = problem?.errors ?? [];
    const detail = problem === undefined ? '' : `: ${problem.detail}`;
    const kind = status < 400 ? 'good' : 'bad';
    say(one('.outcome', form), `${status} ${statusText}, in ${milliseconds} ms${detail}`, kind);
    for (const field of form.querySelectorAll('[aria-describedby]')) mark(field, issues);
    const parts: PageElement[] = [];
    if (problem !== undefined) parts.push(aboutLink(problem.type));
    if (issues.some(({ pointer }) => pointer !== undefined))
      parts.push(folded('Request body', 'open', annotated(sent, issues)));
    if (text !== '') parts.push(folded('Response body', 'open', make('pre', text)));
    const fields = [...headers].map((each) => each.join(': ')).join('\n');
    parts.push(folded('Header fields', 'closed', make('pre', fields)));
    one('.response', form).replaceChildren(...parts);
  }

  function aboutLink(type: string): PageElement {
    const href = type.replace(/^.*(?=\/problems\/)/, '');
    return Object.assign(make('a', 'About this problem'), { href });
  }

  /** Shows issues of parameters and header fields beside their inputs. */
  function mark(field: PageElement, issues: readonly Issue[]): void {
    const own = issues.filter(
      ({ parameter, header }) => (parameter ?? header)?.toLowerCase() === field.name.toLowerCase(),
    );
    one(`#${field.id}-issue`).textContent = own.map(({ detail }) => detail).join(' ');
    field.ariaInvalid = own.length > 0 ? 'true' : null;
  }

  /**
   * Shows the body as it was sent, with each issue below the line of its member, or of the object that lacks
   * the member.
   */
  function annotated(sent: string, issues: readonly Issue[]): PageElement {
    const lines = linesOf(sent);
    for (const { pointer = '', detail } of issues) {
      let wanted = decodeURIComponent(pointer.slice(1));
      while (wanted !== '' && !lines.some((line) => line.pointer === wanted))
        wanted = wanted.slice(0, wanted.lastIndexOf('/'));
      lines.find((line) => line.pointer === wanted)?.details.push(detail);
    }
    const shown = make('pre');
    for (const { text, details } of lines)
      shown.append(`${text}\n`, ...details.map((detail) => make('p', detail, 'issue')));
    return shown;
  }

  type Line = { readonly text: string; readonly pointer: string; readonly details: string[] };

  /** Returns the body's lines, each with the pointer to its value. */
  function linesOf(sent: string): Line[] {
    const path: (string | number)[] = [];
    const lines = JSON.stringify(JSON.parse(sent), null, 2).split('\n');
    return lines.map((text) => {
      const depth = text.search(/\S/) / 2;
      if (/^\s*[\]}]/.test(text)) return { text, pointer: '-', details: [] };
      const name = /^ *"((?:[^"\\]|\\.)*)":/.exec(text)?.[1]; // an element of an array has an index instead
      const last = path[depth - 1];
      path.length = depth;
      const step = name?.replaceAll('~', '~0').replaceAll('/', '~1');
      if (depth > 0) path[depth - 1] = step ?? (typeof last === 'number' ? last + 1 : 0);
      return { text, pointer: path.map((each) => `/${each}`).join(''), details: [] };
    });
  }

  function folded(title: string, state: 'open' | 'closed', content: PageElement): PageElement {
    const details = Object.assign(make('details', '', 'sample'), { open: state === 'open' });
    details.append(make('summary', title), content);
    return details;
  }
}
