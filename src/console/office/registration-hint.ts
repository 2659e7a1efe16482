// What an administrator has to know while registration is open.
import { type Child, h } from '../parts/elements.ts';
import { rich, t } from '../parts/texts.ts';

export function registrationHint(): Child {
  return [
    h('strong', t('Anybody who reaches this service can sign up')),
    ' ',
    rich('and place orders. If only you are to add people, say so under {shop}.', {
      shop: h('a', { href: '#/shop' }, t('Shop')),
    }),
  ];
}
