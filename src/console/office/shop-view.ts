// The shop: what papers print as the sender, what new orders and addresses begin with, whose days are counted, and who
// may sign up. An administrator is asked for it at the first sign-in, on this page.
import type { Shop } from '../words/api-types.ts';
import { storage } from '../browser/browser-gaps.ts';
import type { Version } from '../service/api-client.ts';
import { notify } from '../forms/dialogs.ts';
import { type Child, fill, h } from '../browser/elements.ts';
import { fieldsOf, type Member } from '../forms/fields.ts';
import {
  countryChoices,
  countryName,
  currencies,
  deviceZone,
  homeCountry,
  isTimeZone,
} from '../words/formats.ts';
import { enterValue, form, throwIfInvalid } from '../forms/forms.ts';
import { objectForm } from '../page/object-form.ts';
import { Rejection } from '../service/request-errors.ts';
import { setShop, storedShopLater } from '../words/page-meta.ts';
import { goTo, type Page, reloadable, type Reload, setPageTitle, skeleton } from '../page/view.ts';
import { t } from '../words/texts.ts';

function shopMembers({ timeZone }: Shop): readonly Member[] {
  // old browsers have no list of time zones
  const zones = [timeZone ?? '', deviceZone(), 'UTC', ...(Intl.supportedValuesOf?.('timeZone') ?? [])];
  const known = [...new Set(zones)].filter(isTimeZone).map((zone) => [zone, zone] as const);
  return [
    { name: 'name', label: t('Name of the shop'), isWide: true },
    {
      name: 'address',
      label: t('Its address, in one line'),
      hint: t('Name and address are the sender on papers.'),
      isWide: true,
    },
    {
      name: 'country',
      label: t('Country'),
      kind: 'choice',
      values: [['', '—'], ...countryChoices()],
      hint: t('For new addresses, and for phone numbers without a country code.'),
    },
    {
      name: 'timeZone',
      label: t('Time zone'),
      kind: 'choice',
      values: [['', t('That of each device')], ...known],
      hint: t('Days and their money are counted from midnight to midnight there, on all devices.'),
    },
    { name: 'currency', label: t('Currency'), kind: 'currency' },
    {
      name: 'registration',
      label: t('Who can sign up?'),
      hint: t('Whoever has signed up can place orders.'),
      isWide: true,
      kind: 'choice',
      values: [
        ['closed', t('Nobody: administrators add people')],
        ['open', t('Anybody who reaches this service')],
      ],
    },
  ];
}

export function shopView(page: Page): void {
  const { main } = page;
  const content = h('div.narrow', skeleton(6));
  reloadable<Version<Shop>>(page, content, {
    load: ({ client, signal }) => client.read<Shop>('/shop', signal),
    draw: (shop, reload) => shopForm(page, shop, reload),
  });
  fill(main, setPageTitle(t('Shop')), content);
}

/** Who places orders and takes payments is named in histories: the first account is called Administrator. */
const ownName: Member = { name: 'name', label: t('Your own name'), isRequired: true, isWide: true };

function shopForm(page: Page, known: Version<Shop>, reload: Reload): Child {
  const { client, parameters, session, user } = page;
  const members = shopMembers(known.value);
  const isFirst = parameters.has('first');
  const { element, save } = isFirst ? questions() : objectForm(page, { members, path: '/shop', known });
  /** What is likely is filled in, and that nobody can sign up; nothing is set before it is saved. */
  function questions(): { element: HTMLElement; save: () => Promise<Shop> } {
    const timeZone = known.value.timeZone ?? deviceZone();
    const likely = { country: homeCountry(), timeZone, registration: 'closed' };
    const fields = fieldsOf(members, { values: { ...known.value, ...likely } });
    const own = fieldsOf([ownName], { pointer: '/user', values: { name: user.name } });
    const rename = (name: unknown): Promise<unknown> =>
      client.send('PATCH', `/api/users/${user.id}`, { body: { name } }).catch((error: unknown) => {
        if (!(error instanceof Rejection)) throw error;
        throwIfInvalid(error.issues.map((issue) => ({ ...issue, pointer: '/user/name' })));
        throw error;
      });
    async function save(): Promise<Shop> {
      const { name } = own.read();
      const isRenamed = name !== user.name;
      if (isRenamed) await rename(name);
      const { value } = await client.send<Shop>('PATCH', '/shop', { body: fields.read() });
      if (isRenamed) session.dispatchEvent(new Event('user')); // the frame shows the name
      return value;
    }
    followCountry(fields.element, known.value);
    queueMicrotask(() => fields.element.querySelector('input')?.focus());
    return { element: h('div', fields.element, own.element), save };
  }
  const lead = t('Some questions, once for all devices. All of it can be changed later, under Shop.');
  return form(h('section.card', isFirst && h('p', lead), element), {
    submit: t('Save'),
    others: isFirst && h('a.button', { href: '#/', onclick: putOff }, t('Later')),
    async run() {
      const shop = await save();
      setShop(shop);
      const wanted = element.querySelector<HTMLSelectElement>('[data-pointer="/registration"]')?.value;
      const detail = t('The service was started with “--registration closed”, which keeps it so.');
      throwIfInvalid(shop.registration === wanted ? [] : [{ pointer: '/registration', detail }]);
      notify(t('Saved.'));
      if (isFirst) goTo('/');
      else await reload();
    },
  });
}

/**
 * Until somebody has chosen a time zone, it is the country's, where it has one. The currency follows nothing: it may be
 * what the operator has said. Where one of them isn't the country's, that is said below it.
 */
function followCountry(element: HTMLElement, { timeZone }: Shop): void {
  const selectOf = (name: string): HTMLSelectElement | null =>
    element.querySelector(`select[data-pointer="/${name}"]`);
  const [country, zone, currency] = ['country', 'timeZone', 'currency'].map(selectOf);
  if (!country || !zone || !currency) return;
  let isZoneChosen = timeZone !== null;
  const [zoneHint, currencyHint] = [hintBelow(zone), hintBelow(currency)];
  const follow = (): void => {
    const zones = zonesOf(country.value);
    const likely = zones.length === 1 ? zones[0] : zones.find((each) => each === deviceZone());
    if (likely !== undefined && !isZoneChosen) enterValue(zone, likely);
    const names = { zone: zone.value, currency: currency.value, country: countryName(country.value) };
    const isForeignZone = zones.length > 0 && zone.value !== '' && !zones.includes(zone.value);
    const isForeignMoney = (currencyOf(country.value) ?? currency.value) !== currency.value;
    fill(zoneHint, isForeignZone && h('span.late', t('{zone} is no time zone of {country}.', names)));
    fill(
      currencyHint,
      isForeignMoney && h('span.late', t('{currency} is not the currency of {country}.', names)),
    );
  };
  zone.addEventListener('change', () => (isZoneChosen = true));
  for (const select of [country, zone, currency]) select.addEventListener('change', follow);
  follow();
}

function hintBelow(select: HTMLSelectElement): HTMLElement {
  const hint = h('p.hint', { role: 'status' });
  select.after(hint);
  return hint;
}

/** None in browsers that don't know them. */
function zonesOf(country: string): readonly string[] {
  if (country === '') return [];
  const locale: Partial<Intl.Locale> & { timeZones?: string[] } = new Intl.Locale('und', { region: country });
  return locale.getTimeZones?.() ?? locale.timeZones ?? [];
}

const withEuro = 'AD AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MC ME MT NL PT SI SK SM VA XK'.split(
  ' ',
);
/** Units of account, which nothing is paid in. */
const unitsOfAccount = ['CLF', 'UYI'];

/** Most codes of currencies begin with the code of their country. */
function currencyOf(country: string): string | undefined {
  if (withEuro.includes(country)) return 'EUR';
  return currencies().find((code) => code.slice(0, 2) === country && !unitsOfAccount.includes(code));
}

function putOff(): void {
  storage.write(storedShopLater, 'on');
}
