// The documentation page's script: signs in, and tries operations. Browsers are sent its source, so it refers
// to nothing outside itself.

/** As much of the DOM as it uses: tsc knows Node's globals only. */
type Element = Record<'id' | 'name' | 'value' | 'textContent' | 'className' | 'href' | 'type', string> &
  Record<'hidden' | 'open', boolean> &
  Record<'ariaCurrent' | 'ariaInvalid', string | null> &
  Record<'focus' | 'reset' | 'hidePopover', () => void> & {
    readonly dataset: Readonly<Record<string, string | undefined>>;
    querySelector(selector: string): Element | null;
    querySelectorAll(selector: string): Iterable<Element>;
    closest(selector: string): Element | null;
    append(...parts: (Element | string)[]): void;
    replaceChildren(...parts: Element[]): void;
    addEventListener(
      name: string,
      listener: (event: { readonly target: Element; preventDefault(): void }) => void,
    ): void;
    scrollIntoView(options: object): void;
  };
declare const document: Element & { createElement(tag: string): Element };
declare const navigator: { readonly clipboard?: { writeText(text: string): Promise<void> } };
type Seen = { readonly target: Element; readonly isIntersecting: boolean };
declare const IntersectionObserver: new (
  seen: (entries: readonly Seen[]) => void,
  options: object,
) => { observe(element: Element): void };

export function docsScript(): void {
  type Issue = {
    readonly pointer?: string;
    readonly parameter?: string;
    readonly header?: string;
    readonly detail: string;
  };
  /** What the service may say: by the status of the response, some of these. */
  type Body = Readonly<
    Record<'type' | 'detail' | 'accessToken' | 'refreshToken', string> & Record<'id' | 'expiresIn', number>
  > & { readonly errors?: readonly Issue[] };
  type Answer = {
    readonly response: Response;
    readonly milliseconds: number;
    readonly text: string;
    readonly body: Body | undefined;
  };
  type Session = Pick<Body, 'id' | 'accessToken' | 'refreshToken'> & {
    readonly email: string;
    readonly endsAt: number;
  };

  let session: Session | undefined; // in memory only: a reload forgets it

  document.addEventListener('submit', (event) => {
    event.preventDefault();
    void (event.target.id === 'sign-in-form' ? signIn(event.target) : send(event.target));
  });
  at('#sign-out').addEventListener('click', () => void signOut());
  at('#contents').addEventListener('click', ({ target }) => {
    if (target.closest('a') !== null) at('#contents').hidePopover();
  });
  for (const details of document.querySelectorAll('.sample'))
    addCopy(at('pre', details), at('code', details));
  markPlace([...document.querySelectorAll('main section, main article')]);

  async function signIn(form: Element): Promise<void> {
    const [email, password] = [at('#email').value, at('#password').value];
    const answer = await call('POST', '/api/sessions', JSON.stringify({ email, password }));
    enter(answer, email);
    if (session === undefined) return say(at('#sign-in-outcome'), answer?.body?.detail, 'bad');
    form.reset();
    say(at('#sign-in-outcome'), `Signed in as ${email}. What you try below is done in that name.`, 'good');
    at('#sign-in-outcome').focus();
  }

  async function signOut(): Promise<void> {
    const token = await bearer();
    if (session !== undefined) await call('DELETE', `/api/sessions/${session.id}`, undefined, token);
    enter(undefined);
    say(at('#sign-in-outcome'), 'Signed out.', 'good');
    at('#sign-in-link').focus();
  }

  /** With new tokens, or with none. */
  function enter(answer: Answer | undefined, email = ''): void {
    const { body, response } = answer ?? {};
    session =
      body === undefined || response?.status !== 201
        ? undefined
        : { ...body, email, endsAt: Date.now() + (body.expiresIn - 30) * 1000 };
    at('#who').textContent = session?.email ?? '';
    at('#sign-in-link').hidden = at('#sign-in-form').hidden = session !== undefined;
    at('#sign-out').hidden = session === undefined;
  }

  /** The access token, renewed when it is about to end. */
  async function bearer(): Promise<Record<string, string>> {
    const { id, email, refreshToken, endsAt = Infinity } = session ?? {};
    if (Date.now() > endsAt)
      enter(await call('POST', `/api/sessions/${id}/tokens`, JSON.stringify({ refreshToken })), email);
    return session === undefined ? {} : { Authorization: `Bearer ${session.accessToken}` };
  }

  async function send(form: Element): Promise<void> {
    const { method = 'GET', path = '' } = form.dataset;
    const headers: Record<string, string> = await bearer();
    const query = new URLSearchParams();
    let url = path;
    let sent: string | undefined;
    for (const {
      dataset: { place },
      name,
      value,
    } of form.querySelectorAll('[data-place]')) {
      if (place === 'body') [sent, headers['Content-Type']] = [value, name];
      else if (value === '') continue;
      else if (place === 'path') url = url.replace(`{${name}}`, encodeURIComponent(value));
      else if (place === 'query') query.append(name, value);
      else headers[name] = value;
    }
    show(form, await call(method, query.size === 0 ? url : `${url}?${query}`, sent, headers), sent);
  }

  async function call(
    method: string,
    url: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<Answer | undefined> {
    const before = performance.now();
    const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const options = {
      method,
      headers: { Accept: 'application/json, */*;q=0.5', ...type, ...headers },
      cache: 'no-store',
      credentials: 'omit',
    } as const;
    const response = await fetch(url, body === undefined ? options : { ...options, body }).catch(
      () => undefined,
    );
    const text = await response?.text().catch(() => undefined);
    if (response === undefined || text === undefined) return undefined;
    const milliseconds = Math.round(performance.now() - before);
    if (text === '' || !/json/.test(response.headers.get('content-type') ?? ''))
      return { response, milliseconds, text, body: undefined };
    return {
      response,
      milliseconds,
      text: JSON.stringify(JSON.parse(text), null, 2),
      body: JSON.parse(text),
    };
  }

  function show(form: Element, answer: Answer | undefined, sent = ''): void {
    if (answer === undefined) return say(at('.outcome', form), undefined, 'bad');
    const {
      response: { status, statusText, headers },
      milliseconds,
      text,
      body,
    } = answer;
    const problem = status < 400 ? undefined : body;
    const issues = problem?.errors ?? [];
    const detail = problem === undefined ? '' : `: ${problem.detail}`;
    say(
      at('.outcome', form),
      `${status} ${statusText}, in ${milliseconds} ms${detail}`,
      status < 400 ? 'good' : 'bad',
    );
    for (const input of form.querySelectorAll('[aria-describedby]')) mark(input, issues);
    const parts =
      problem === undefined
        ? []
        : [
            Object.assign(make('a', 'About this problem'), {
              href: problem.type.replace(/^.*(?=\/problems\/)/, ''),
            }),
          ];
    if (issues.some(({ pointer }) => pointer !== undefined))
      parts.push(folded('What you sent', true, annotated(sent, issues)));
    if (text !== '') parts.push(folded('Answer', true, make('pre', text)));
    parts.push(
      folded('Header fields', false, make('pre', [...headers].map((each) => each.join(': ')).join('\n'))),
    );
    at('.answer', form).replaceChildren(...parts);
  }

  /** Issues of parameters and header fields, beside their inputs. */
  function mark(input: Element, issues: readonly Issue[]): void {
    const own = issues.filter(
      ({ parameter, header }) => (parameter ?? header)?.toLowerCase() === input.name.toLowerCase(),
    );
    at(`#${input.id}-issue`).textContent = own.map(({ detail }) => detail).join(' ');
    input.ariaInvalid = own.length > 0 ? 'true' : null;
  }

  /**
   * The body as it was sent, each issue beneath the line of its member; one of a missing member goes to what
   * lacks it.
   */
  function annotated(sent: string, issues: readonly Issue[]): Element {
    const path: (string | number)[] = [];
    const lines = JSON.stringify(JSON.parse(sent), null, 2)
      .split('\n')
      .map((text) => {
        const depth = text.search(/\S/) / 2;
        if (/^\s*[\]}]/.test(text)) return { text, pointer: '-', own: [''] };
        const name = /^ *"((?:[^"\\]|\\.)*)":/.exec(text)?.[1]; // an array's element has none, but counts
        const last = path[depth - 1];
        path.length = depth;
        if (depth > 0)
          path[depth - 1] =
            name?.replaceAll('~', '~0').replaceAll('/', '~1') ?? (typeof last === 'number' ? last + 1 : 0);
        return { text, pointer: path.map((step) => `/${step}`).join(''), own: [''] };
      });
    for (const { pointer = '', detail } of issues) {
      let wanted = decodeURIComponent(pointer.slice(1));
      while (wanted !== '' && !lines.some((line) => line.pointer === wanted))
        wanted = wanted.slice(0, wanted.lastIndexOf('/'));
      lines.find((line) => line.pointer === wanted)?.own.push(detail);
    }
    const shown = make('pre');
    for (const {
      text,
      own: [, ...details],
    } of lines)
      shown.append(`${text}\n`, ...details.map((detail) => make('p', detail, 'issue')));
    return shown;
  }

  function folded(title: string, isOpen: boolean, content: Element): Element {
    const details = Object.assign(make('details', '', 'sample'), { open: isOpen });
    details.append(make('summary', title), content);
    return details;
  }

  function addCopy(pre: Element, code: Element): void {
    const button = make('button', 'Copy', 'copy');
    button.addEventListener(
      'click',
      () =>
        void navigator.clipboard?.writeText(code.textContent).then(() => {
          button.textContent = 'Copied';
        }),
    );
    pre.append(button);
  }

  /** What is being read is marked in the contents. */
  function markPlace(places: readonly Element[]): void {
    const seen = new Set<Element>();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries)
          isIntersecting ? seen.add(target) : seen.delete(target);
        const id = places.findLast((place) => seen.has(place))?.id;
        for (const link of document.querySelectorAll('#contents a'))
          link.ariaCurrent = link.href.endsWith(`#${id}`) ? 'true' : null;
        document.querySelector('#contents [aria-current]')?.scrollIntoView({ block: 'nearest' });
      },
      { rootMargin: '-80px 0px -75% 0px' },
    );
    for (const place of places) observer.observe(place);
  }

  function say(element: Element, text = 'The service can’t be reached.', className: string): void {
    element.textContent = text;
    element.className = `outcome ${className}`;
  }

  function make(tag: string, text = '', className = ''): Element {
    return Object.assign(document.createElement(tag), { textContent: text, className });
  }

  function at(selector: string, within: Element = document): Element {
    const found = within.querySelector(selector);
    if (found === null) throw new Error(`there is no ${selector}`);
    return found;
  }
}
