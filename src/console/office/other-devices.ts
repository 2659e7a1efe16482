// How a phone or another computer comes to trust the service's certificate: the page with the steps, as a QR code.
import { card } from '../parts/cards.ts';
import { h } from '../parts/elements.ts';
import { textOfPage } from '../parts/page-text.ts';
import { rich, t } from '../parts/texts.ts';
import { qrPicture } from './qr-picture.ts';

const namesOfThisMachine = ['localhost', '127.0.0.1', '[::1]'];

/** Returns nothing where the certificate is not the service's own. */
export function otherDevicesCard(): HTMLElement | undefined {
  const path = textOfPage('certificate');
  if (path === '') return undefined;
  const { href, host } = new URL(path, location.origin);
  const reachable = [
    h(
      'p',
      t('Scan this code with a phone, or open the address on another computer: the page has the steps.'),
    ),
    qrPicture(href),
    h('p.address', h('a', { href }, `${host}${path}`)),
  ];
  const content = namesOfThisMachine.includes(location.hostname) ? onlyHere() : reachable;
  return card(t('Phones and other devices'), content);
}

/** Another device doesn't reach the service by a name that each machine gives to itself. */
function onlyHere(): HTMLElement {
  return h(
    'p.soft',
    rich(
      'Started with {flag}, the service says which address other devices use: open the console there for a code.',
      {
        flag: h('code', '--host 0.0.0.0'),
      },
    ),
  );
}
