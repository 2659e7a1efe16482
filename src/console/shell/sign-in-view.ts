// Signing in, and asking for the password again before sensitive actions.
import { deferred, storage } from '../browser/browser-gaps.ts';
import { type BrowserSession, keepsNothing } from '../service/browser-session.ts';
import { ask } from '../forms/dialogs.ts';
import { button, type Child, fill, h } from '../browser/elements.ts';
import { field, type Field, form } from '../forms/forms.ts';
import { documentationLink, shopOfPage } from '../words/page-meta.ts';
import { Rejection, problemText } from '../service/request-errors.ts';
import { rich, t } from '../words/texts.ts';

/** Resolves once somebody has signed in. `again` is the e-mail address of one whose session has expired. */
export function signInView(container: HTMLElement, session: BrowserSession, again?: string): Promise<void> {
  document.title = `${t('Sign in')} · orderly`;
  const { promise, resolve } = deferred<void>();
  const email = field({
    label: t('E-mail'),
    pointer: '/email',
    value: again ?? null,
    attributes: { type: 'email', autocomplete: 'username', inputmode: 'email', autocapitalize: 'none' },
  });
  const { rows, run } = credentials(session, () => email.control.value.trim());
  const reason =
    again !== undefined &&
    h('p', { role: 'status' }, t('You have been signed out. Sign in to go on where you were.'));
  const body = form([reason, email.element, rows], {
    submit: t('Sign in'),
    run: () => run().then(resolve),
  });
  const firstPassword: Child = rich(
    'The service created an administrator at its first start: the e-mail address and the password are in {file}.',
    { file: h('code', 'data/initial-admin.json') },
  );
  const lostPassword: Child = rich(
    'An administrator can set a new password for you under People. On the machine itself, {command} prints one; with npm it is {npm}.',
    {
      command: h('code', 'orderly admin reset --email …'),
      npm: h('code', 'npm start -- admin reset --email …'),
    },
  );
  const question = h('summary', t('First time here, or password lost?'));
  fill(
    container,
    h(
      'main.sign-in',
      h('h1', h('span.mark', { 'aria-hidden': 'true' }), shopOfPage().name ?? 'orderly'),
      body,
      h('details', question, h('p', firstPassword), h('p', lostPassword)),
      !storage.isThere && h('p.banner', keepsNothing),
      h('p', documentationLink(t('API documentation'))),
    ),
  );
  (again === undefined ? email.control : body.querySelector<HTMLElement>('[type="password"]'))?.focus();
  return promise;
}

/** The fields for the password, and for the code if the account needs one. */
function credentials(
  session: BrowserSession,
  email: () => string,
): { rows: Child; run: () => Promise<void> } {
  const password = field({
    label: t('Password'),
    pointer: '/password',
    attributes: { type: 'password', autocomplete: 'current-password' },
  });
  const code: Field = field({
    label: t('One-time code'),
    pointer: '/code',
    hint: t('From your authenticator app.'),
    attributes: { autocomplete: 'one-time-code', inputmode: 'numeric', autocapitalize: 'none' },
  });
  // a recovery code has letters, which the keyboard for digits lacks
  const useRecovery = button(t('Use a recovery code'), () => {
    code.control.inputMode = 'text';
    code.control.setAttribute('autocomplete', 'off');
    code.control.focus();
    useRecovery.remove();
  });
  code.element.append(useRecovery);
  code.element.hidden = true;
  async function run(): Promise<void> {
    const wasAsked = !code.element.hidden;
    const given = { email: email(), password: password.control.value };
    const all = wasAsked ? { ...given, code: code.control.value.trim() } : given;
    const problem = await session.signIn(all);
    if (problem === undefined) return;
    if (problem.code === 'invalid-credentials')
      throw new Rejection({ ...problem, detail: t('Wrong e-mail address or password.') });
    if (problem.code !== 'code-required') throw new Rejection({ ...problem, detail: problemText(problem) });
    code.element.hidden = false;
    const detail = wasAsked ? t('This code is wrong, or was used already.') : t('Also enter the code.');
    throw new Rejection({ ...problem, errors: [{ pointer: '#/code', detail }] });
  }
  return { rows: [password.element, code.element], run };
}

/** Asks for the password before an action that needs a sign-in within the last ten minutes. */
export async function confirmIdentity(session: BrowserSession, email: string): Promise<boolean> {
  const { rows, run } = credentials(session, () => email);
  const user = h('input', { type: 'email', autocomplete: 'username', value: email, hidden: true }); // for password managers
  const content = [h('p', t('This needs your password again, {email}.', { email })), user, rows];
  const isConfirmed = await ask({
    title: t('Is it you?'),
    content,
    submit: t('Continue'),
    async run() {
      await run();
      return true;
    },
  });
  return isConfirmed === true;
}
