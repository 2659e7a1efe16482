// Signing in on the documentation page, with a password or an API key. Tried operations and samples then use
// the credential.
import type { PageDocument } from './docs-dom.ts';
import type { PageTools, CallResult } from './page-tools.ts';

declare const document: PageDocument;
declare function addEventListener(name: string, listener: () => void): void;

export type Account = ReturnType<typeof accountScript>;
type Credential = { readonly name: string; readonly value: string };

/**
 * Tokens and an API key are only in the page's memory, so the session ends when the page is left. Ending it
 * needs a valid access token, which is therefore renewed before it expires.
 */
export function accountScript({ one, say, call }: PageTools) {
  type Session = Readonly<Record<'email' | 'accessToken', string> & Record<'id' | 'expiresAt', number>> & {
    readonly refreshToken: string;
  };
  const samples = [...document.querySelectorAll('.sample var')];
  const texts = samples.map((each) => each.textContent);
  let session: Session | undefined;
  let renewal: ReturnType<typeof setTimeout> | undefined;
  let apiKey: string | undefined;

  one('#sign-in-form').addEventListener('submit', (event) => {
    event.preventDefault();
    void signIn();
  });
  one('#key-form').addEventListener('submit', (event) => {
    event.preventDefault();
    useKey();
  });
  one('#sign-out').addEventListener('click', () => void signOut());
  addEventListener('pagehide', () => void leave());

  async function signIn(): Promise<void> {
    const [email, password, code] = [one('#email').value, one('#password').value, one('#code').value];
    const body = JSON.stringify(code === '' ? { email, password } : { email, password, code });
    const result = await call({ method: 'POST', url: '/api/sessions', body });
    if (result?.response.status !== 201) {
      if (result?.body?.code === 'code-required') askForCode();
      return say(one('#sign-in-outcome'), result?.body?.detail, 'bad');
    }
    enter(sessionOf(result, email));
    one('#sign-in-form').reset();
    one('#code-field').hidden = true;
    say(one('#sign-in-outcome'), `Signed in as ${email}. Requests below are made in that name.`, 'good');
    one('#sign-in-outcome').focus();
  }

  /** Shows the field for a one-time code. The request sent no code, a wrong code or a used one. */
  function askForCode(): void {
    one('#code-field').hidden = false;
    one('#code').value = '';
    one('#code').focus();
  }

  function useKey(): void {
    apiKey = one('#api-key').value;
    one('#key-form').reset();
    show('API key');
    say(one('#sign-in-outcome'), 'Requests below are made with the API key.', 'good');
    one('#sign-in-outcome').focus();
  }

  async function signOut(): Promise<void> {
    await leave();
    say(one('#sign-in-outcome'), 'Signed out.', 'good');
    one('#sign-in-link').focus();
  }

  /** Ends the session, even if the page is left meanwhile. The browser's cache may bring the page back. */
  async function leave(): Promise<void> {
    const headers = await credential();
    const ended = session;
    apiKey = undefined;
    enter(undefined);
    if (ended !== undefined)
      await call({ method: 'DELETE', url: `/api/sessions/${ended.id}`, headers, keepalive: true });
  }

  function sessionOf({ body }: CallResult, email: string): Session | undefined {
    if (body === undefined) return undefined;
    const { id, accessToken, refreshToken, expiresIn } = body;
    return { id, email, accessToken, refreshToken, expiresAt: Date.now() + (expiresIn - 30) * 1000 };
  }

  function enter(entered: Session | undefined): void {
    session = entered;
    clearTimeout(renewal);
    if (entered !== undefined)
      renewal = setTimeout(() => void renew(entered), entered.expiresAt - Date.now());
    show(session?.email);
  }

  function show(name: string | undefined): void {
    one('#who').textContent = name ?? '';
    const isIn = name !== undefined;
    one('#sign-in-link').hidden = one('#sign-in-forms').hidden = isIn;
    one('#sign-out').hidden = !isIn;
    fillSamples();
  }

  /** Each language has its own way to write a header field. */
  function fillSamples(): void {
    const sent = currentCredential();
    for (const [index, sample] of samples.entries()) {
      const language = sample.closest('pre')?.dataset['language'] ?? '';
      sample.textContent = sent === undefined ? (texts[index] ?? '') : written(sent, language);
    }
  }

  function written({ name, value }: Credential, language: string): string {
    if (language === 'curl') return `${name}: ${value}`;
    return language === 'Python' ? `"${name}": "${value}"` : `'${name}': '${value}'`;
  }

  function currentCredential(): Credential | undefined {
    if (apiKey !== undefined) return { name: 'X-API-Key', value: apiKey };
    if (session === undefined) return undefined;
    return { name: 'Authorization', value: `Bearer ${session.accessToken}` };
  }

  /** The header field to send; the access token is renewed when it is about to expire. */
  async function credential(): Promise<Record<string, string>> {
    if (apiKey === undefined && session !== undefined && Date.now() > session.expiresAt) await renew(session);
    const sent = currentCredential();
    return sent === undefined ? {} : { [sent.name]: sent.value };
  }

  async function renew({ id, email, refreshToken }: Session): Promise<void> {
    const body = JSON.stringify({ refreshToken });
    const result = await call({ method: 'POST', url: `/api/sessions/${id}/tokens`, body });
    if (result !== undefined) enter(result.response.status === 201 ? sessionOf(result, email) : undefined);
  }

  return { credential };
}
