// One-time codes of the user's own account: setting them up with an app, and the recovery codes to keep.
import type { Totp } from '../words/api-types.ts';
import { secret } from '../page/cards.ts';
import { ask, show } from '../forms/dialogs.ts';
import { button, type Child, h } from '../browser/elements.ts';
import { action, field } from '../forms/forms.ts';
import { remove } from './access.ts';
import { qrPicture } from './qr-picture.ts';
import { saveFile } from '../lists/list-file.ts';
import { type Page, printButton, type Reload } from '../page/view.ts';
import { rich, t } from '../words/texts.ts';

export function totpPart(page: Page, totp: Totp | undefined, reload: Reload): Child {
  const off = (): Promise<void> =>
    remove(page, `/api/users/${page.user.id}/totp`, { said: t('One-time codes are off.'), reload });
  if (totp?.isOn === true)
    return [
      h('p', t('On. {count} recovery codes are left.', { count: totp.recoveryCodesLeft })),
      action(t('Turn off'), off),
    ];
  return [
    h('p', t('A second factor beside the password: six digits that an authenticator app shows.')),
    action(t('Set up …'), () => setUpTotp(page, reload)),
  ];
}

async function setUpTotp(page: Page, reload: Reload): Promise<void> {
  const { client, user } = page;
  const path = `/api/users/${user.id}/totp`;
  const { value } = await client.send<{ secret: string; uri: string }>('POST', path);
  const picture = qrPicture(value.uri);
  const code = field({
    label: t('Code that the app shows now'),
    pointer: '/code',
    attributes: { inputmode: 'numeric', autocomplete: 'one-time-code' },
  });
  const recoveryCodes = await ask({
    title: t('Set up one-time codes'),
    content: [
      picture && h('p', t('Point the camera of your authenticator app at this picture.')),
      picture,
      h(
        'p',
        rich('Is the app on this device? {open}. Or type this into it:', {
          open: h('a', { href: value.uri }, t('Open it')),
        }),
      ),
      secret(t('Secret'), value.secret.replaceAll(/(.{4})(?=.)/g, '$1 ')),
      code.element,
    ],
    submit: t('Turn on'),
    async run() {
      const { value: confirmed } = await client.send<{ recoveryCodes: readonly string[] }>('PUT', path, {
        body: { code: code.control.value.trim() },
      });
      return confirmed.recoveryCodes;
    },
  });
  if (recoveryCodes === undefined) return;
  await showRecoveryCodes(page, recoveryCodes);
  await reload();
}

/** Whoever loses these and the app needs an administrator, so they can be kept in three ways. */
async function showRecoveryCodes({ main, user }: Page, codes: readonly string[]): Promise<void> {
  const title = t('Recovery codes of {email}', { email: user.email });
  const explanation = t('Each replaces one code of the app, once.');
  const list = codes.map((code) => h('li', h('code', code)));
  const paper = [h('h1', title), h('p', explanation), h('ol.codes', list)];
  const sheet = h('div', h('section.sheet', { 'aria-hidden': 'true' }, paper));
  const text = [title, explanation, '', ...codes, ''].join('\r\n');
  main.append(sheet); // printed in place of the page
  await show(t('One-time codes are on'), [
    h(
      'p',
      t('{explanation} Keep them for the day when the app is lost: they are shown only now.', {
        explanation,
      }),
    ),
    secret(t('Recovery codes'), codes.join('\n')),
    h(
      'div.buttons',
      printButton(t('Print')),
      button(t('Save'), () => saveFile('recovery-codes.txt', [text])),
    ),
  ]);
  sheet.remove();
}
