// Importing customers or products from a spreadsheet's file: its columns are matched, all rows are checked, and those
// without a fault are imported. Faulty rows can be saved, corrected, and imported again.
import { emptyState, type Page, setPageTitle, type View } from '../parts/view.ts';
import { card } from '../parts/cards.ts';
import { homeCountry, countryChoices } from '../parts/address-fields.ts';
import { button, type Child, fill, h } from '../parts/elements.ts';
import { count, countries, priceIssue, priceText, typedPrice } from '../parts/formats.ts';
import { action, choice, currencyChoice, field, form, messageOf } from '../parts/forms.ts';
import { encodingOf, type FileRow, rowsOf } from './import-file.ts';
import { guessColumns, type ImportKind, memberChoices, membersOf, missingMembers } from './import-columns.ts';
import { type Fault, type ImportPlan, type Outcome, runImport } from './import-run.ts';
import { sampleCard } from './import-samples.ts';
import { saveFile } from '../parts/saved-file.ts';
import { tableHead } from '../parts/tables.ts';
import { byteOrderMark, rowText, type Separator, withoutFormulas } from '../parts/table-text.ts';
import { numbered, t } from '../parts/texts.ts';

const bytesMax = 32 * 1024 * 1024;
const faultsShown = 100;
const samplesShown = 3;

export function importView(kind: ImportKind): View {
  return (page) => {
    const { main, user } = page;
    const content = h('div', { class: 'narrow' });
    fill(
      main,
      setPageTitle(
        kind === 'customers' ? t('Import customers') : t('Import products'),
        h('a', { class: 'button', href: `#/${kind}` }, t('Back')),
      ),
      content,
    );
    if (user.role === 'admin') chooseFile({ page, kind, content });
    else fill(content, emptyState(t('Not allowed'), t('Only an administrator can import.')));
  };
}

type Place = { readonly page: Page; readonly kind: ImportKind; readonly content: HTMLElement };

/** A file, and its first rows. */
type OpenFile = {
  readonly file: File;
  readonly encoding: ImportPlan['encoding'];
  readonly separator: Separator;
  readonly heading: readonly string[];
  readonly samples: readonly FileRow[];
};

function chooseFile(place: Place, problem = ''): void {
  const { content, kind } = place;
  const message = h('p', { class: 'issue', role: 'alert' }, problem);
  const input = h('input', { type: 'file', id: 'import-file', accept: '.csv,.tsv,.txt,text/csv' });
  const take = (file: File | undefined): void => {
    if (file === undefined) return;
    fill(message);
    openFile(file).then(
      (opened) => chooseColumns(place, opened),
      (error: unknown) => fill(message, messageOf(error)),
    );
  };
  input.addEventListener('change', () => take(input.files?.[0]));
  const zone = h(
    'div',
    { class: 'drop' },
    h('label', { for: input.id }, t('Drop a file here, or choose one')),
    input,
    h(
      'p',
      { class: 'hint' },
      t('As a spreadsheet saves it as CSV, or as text with tabs: {size} MB at most.', { size: count(32) }),
    ),
    message,
  );
  zone.addEventListener('dragover', (event) => {
    event.preventDefault();
    zone.classList.add('over');
  });
  zone.addEventListener('dragleave', () => zone.classList.remove('over'));
  zone.addEventListener('drop', (event) => {
    event.preventDefault();
    zone.classList.remove('over');
    take(event.dataTransfer?.files[0]);
  });
  const text = t(
    'The first row names the columns. Nothing is imported before you have seen what is in the file.',
  );
  const again =
    kind === 'customers'
      ? t('A customer who is known by number or e-mail is changed; what the file lacks stays.')
      : t('A product whose SKU is known is changed; what the file lacks stays.');
  fill(content, card(t('File'), zone, h('p', { class: 'soft' }, `${text} ${again}`)));
}

async function openFile(file: File): Promise<OpenFile> {
  if (file.size > bytesMax)
    throw new Error(t('The file is too large: it may have 32 MB. Divide it into several.'));
  if (file.name.toLowerCase().endsWith('.xlsx'))
    throw new Error(t('This is a workbook: save its sheet as CSV, and choose that file.'));
  const encoding = await encodingOf(file);
  for await (const { rows, separator } of rowsOf(file, encoding)) {
    const [first, ...others] = rows;
    if (first === undefined) continue;
    return { file, encoding, separator, heading: first.cells, samples: others.slice(0, samplesShown) };
  }
  throw new Error(t('The file is empty.'));
}

function chooseColumns(place: Place, opened: OpenFile): void {
  const { kind, content } = place;
  const { heading, samples, file } = opened;
  const guesses = guessColumns(kind, heading);
  const selects = heading.map((name, index) => {
    const select = choice([['', t('Leave out')], ...memberChoices(kind)], guesses[index]);
    select.dataset['pointer'] = `/columns/${index}`;
    select.ariaLabel = t('What “{name}” is', { name });
    return select;
  });
  const columns = (): string[] => selects.map(({ value }) => value);
  const samplesOf = (index: number): string => {
    const texts = samples.map(({ cells }) => cells[index]?.trim() ?? '');
    return texts.filter((text) => text !== '').join(' · ');
  };
  const rows = heading.map((name, index) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, h('bdi', {}, name)),
      h('td', { class: 'soft' }, h('bdi', {}, samplesOf(index))),
      h('td', {}, selects[index]),
    ),
  );
  const currency = field({
    label: t('Currency of the prices, where the file names none'),
    pointer: '/currency',
    control: currencyChoice(),
  });
  const country = field({
    label: t('Country of phone numbers and addresses, where the file names none'),
    hint: t('An address without a street goes to the note.'),
    pointer: '/country',
    control: choice(countryChoices(), countryOf(samples, guesses) ?? homeCountry()),
  });
  const given = kind === 'products' ? currency : country;
  const body = form(
    [
      h('div', { class: 'scroller' }, h('table', { class: 'plain match' }, h('tbody', {}, rows))),
      given.element,
    ],
    {
      submit: t('Check all rows'),
      others: button(t('Another file'), () => chooseFile(place)),
      async run() {
        const missing = missingMembers(kind, columns());
        if (missing.length > 0)
          throw new Error(t('No column is the {members}.', { members: missing.join(t(', or the ')) }));
        const plan = planOf(place, opened, { columns: columns(), given: given.control.value });
        await run({ ...place, opened, plan }, { isDryRun: true });
      },
    },
  );
  fill(content, card(file.name, h('p', { class: 'soft' }, t('What is in the columns?')), body));
}

/** The country that the first rows name: a German file is no other one for being read in an English browser. */
function countryOf(rows: readonly FileRow[], columns: readonly string[]): string | undefined {
  const codes = countryCodes();
  const names = rows.map(({ cells }) => membersOf(cells, columns).get('address.country') ?? '');
  return names.map((name) => codes.get(name.toLowerCase())).find((code) => code !== undefined);
}

type Choices = {
  readonly columns: readonly string[];
  /** The currency, or the country, of rows that name none. */
  readonly given: string;
};

function planOf(
  { kind }: Place,
  { file, encoding, heading }: OpenFile,
  { columns, given }: Choices,
): ImportPlan {
  const named = columns.filter((name) => name !== '');
  const codes = countryCodes();
  return {
    kind,
    file,
    encoding,
    members: [...new Set(kind === 'products' ? [...named, 'currency'] : named)],
    country: kind === 'customers' ? given : undefined,
    convert(cells) {
      if (cells.slice(heading.length).some((cell) => cell.trim() !== ''))
        return {
          problem: t('The row has {cells} cells, and the first row {columns}.', {
            cells: cells.length,
            columns: heading.length,
          }),
        };
      const values = membersOf(cells, columns);
      return kind === 'products' ? productOf(values, given) : customerOf(values, codes);
    },
  };
}

type Converted = ReturnType<ImportPlan['convert']>;

const flags: Readonly<Record<string, string>> = {
  yes: 'true',
  ja: 'true',
  x: 'true',
  no: 'false',
  nein: 'false',
};

function productOf(values: Map<string, string>, givenCurrency: string): Converted {
  const currency = values.get('currency')?.toUpperCase() ?? givenCurrency;
  values.set('currency', currency);
  const active = values.get('active')?.toLowerCase();
  if (active !== undefined) values.set('active', flags[active] ?? active);
  const price = values.get('unitPrice');
  if (price === undefined) return { values };
  const amount = typedPrice(price, currency);
  if (amount === undefined) return { problem: priceIssue(price, currency) };
  return { values: values.set('unitPrice', priceText(amount, currency)) };
}

function customerOf(values: Map<string, string>, codes: ReadonlyMap<string, string>): Converted {
  const country = values.get('address.country');
  if (country === undefined) return { values };
  const hasMore = [...values.keys()].some((name) => /^address\.(?!country$)/.test(name));
  // a country alone is no address
  if (hasMore) values.set('address.country', codes.get(country.toLowerCase()) ?? country);
  else values.delete('address.country');
  return { values };
}

/** The code of each country by its name, in the browser's language and in those of the guesses. */
function countryCodes(): ReadonlyMap<string, string> {
  const codes = new Map<string, string>();
  for (const language of ['de', 'en', navigator.language]) {
    const names = new Intl.DisplayNames(language, { type: 'region' });
    for (const code of countries) codes.set((names.of(code) ?? code).toLowerCase(), code);
  }
  for (const code of countries) codes.set(code.toLowerCase(), code);
  return codes;
}

type Planned = Place & { readonly opened: OpenFile; readonly plan: ImportPlan };

/** Shows how far it is. What stops it is shown with a button that does it again. */
async function run(planned: Planned, { isDryRun }: { readonly isDryRun: boolean }): Promise<void> {
  const { page, content, plan } = planned;
  const stopping = new AbortController();
  page.signal.addEventListener('abort', () => stopping.abort(page.signal.reason));
  const bar = h('progress', { max: 1, value: 0, 'aria-label': isDryRun ? t('Checked') : t('Imported') });
  const text = h('p', { role: 'status' });
  const stop = button(t('Stop'), () => stopping.abort(new Error('stopped')));
  fill(content, card(isDryRun ? t('Checking …') : t('Importing …'), bar, text, stop));
  try {
    const outcome = await runImport(plan, {
      client: page.client,
      signal: stopping.signal,
      isDryRun,
      onProgress(share, so) {
        bar.value = share;
        fill(text, progressText(so));
      },
    });
    if (isDryRun) await showCheck(planned, outcome);
    else showEnd(planned, outcome);
  } catch (error) {
    if (page.signal.aborted) return;
    if (stopping.signal.aborted && isDryRun) return chooseColumns(planned, planned.opened);
    const reason = stopping.signal.aborted ? t('You have stopped it.') : messageOf(error);
    const again = button(t('Go on'), () => void run(planned, { isDryRun }));
    const stays = t('What has been imported stays; to go on begins again, and makes nothing twice.');
    fill(
      content,
      card(
        t('Stopped'),
        h('p', { class: 'issue', role: 'alert' }, reason),
        !isDryRun && h('p', {}, stays),
        again,
      ),
    );
  }
}

function progressText({ created, changed, unchanged, faults }: Outcome): string {
  const rows = count(created + changed + unchanged + faults.length);
  if (faults.length === 0) return t('{count} rows', { count: rows });
  return t('{count} rows, {faults} with a fault', { count: rows, faults: count(faults.length) });
}

async function showCheck(planned: Planned, outcome: Outcome): Promise<void> {
  const { content, opened, kind, page, plan } = planned;
  const { created, changed, unchanged, doubles, faults, samples } = outcome;
  const good = created + changed;
  const again = button(t('Change the columns'), () => chooseColumns(planned, opened));
  const begin = action(
    t(numbered(good, 'Import 1 row', 'Import {count} rows'), { count: count(good) }),
    () => run(planned, { isDryRun: false }),
    { class: 'primary' },
  );
  const shown = await sampleCard(page, plan, samples);
  fill(
    content,
    card(
      t('{name} was checked', { name: opened.file.name }),
      h(
        'ul',
        {},
        created > 0 && h('li', {}, newText(created)),
        doubles > 0 && h('li', { class: 'issue' }, doublesText(doubles)),
        changed > 0 && h('li', {}, changedText(changed, kind)),
        unchanged > 0 && h('li', {}, unchangedText(unchanged)),
        faults.length > 0 && h('li', {}, faultsText(faults.length)),
      ),
      h('div', { class: 'buttons' }, good > 0 && begin, again),
    ),
    shown,
    faultCard(opened, faults),
  );
}

function newText(rows: number): string {
  return t(numbered(rows, '1 row is new.', '{count} rows are new.'), { count: count(rows) });
}

function doublesText(rows: number): string {
  const text = numbered(
    rows,
    '1 row has the e-mail address or phone number of a customer who is known, and makes another one.',
    '{count} rows have the e-mail address or phone number of a customer who is known, and make others.',
  );
  return t(text, { count: count(rows) });
}

function changedText(rows: number, kind: ImportKind): string {
  const text =
    kind === 'customers'
      ? numbered(rows, '1 row changes a known customer.', '{count} rows change known customers.')
      : numbered(rows, '1 row changes a known product.', '{count} rows change known products.');
  return t(text, { count: count(rows) });
}

function unchangedText(rows: number): string {
  const text = numbered(rows, '1 row changes nothing.', '{count} rows change nothing.');
  return t(text, { count: count(rows) });
}

function faultsText(rows: number): string {
  const text = numbered(rows, '1 row can’t be imported.', '{count} rows can’t be imported.');
  return t(text, { count: count(rows) });
}

function showEnd({ content, opened, kind, page }: Planned, outcome: Outcome): void {
  const { created, changed, unchanged, faults } = outcome;
  const place = { content, kind, page };
  const list = h(
    'a',
    { class: 'button primary', href: `#/${kind}` },
    kind === 'customers' ? t('To the customers') : t('To the products'),
  );
  const next = button(t('Another file'), () => chooseFile(place));
  const counts = [
    t('{count} new.', { count: count(created) }),
    changed > 0 && t('{count} changed.', { count: count(changed) }),
    unchanged > 0 && t('{count} unchanged.', { count: count(unchanged) }),
  ];
  fill(
    content,
    card(
      t('Imported'),
      h('p', { role: 'status' }, counts.filter((text) => text !== false).join(' ')),
      h('div', { class: 'buttons' }, list, next),
    ),
    faultCard(opened, faults),
  );
}

/** The faulty rows can be saved with their faults, to be corrected in a spreadsheet. */
function faultCard({ file, heading, separator }: OpenFile, faults: readonly Fault[]): Child {
  if (faults.length === 0) return undefined;
  const save = (): void => {
    const rows = faults.map(({ cells, problem }) =>
      rowText([...heading.map((_, index) => withoutFormulas(cells[index] ?? '')), problem], separator),
    );
    saveFile(`faulty-${file.name}`, [
      byteOrderMark,
      rowText([...heading.map(withoutFormulas), t('Fault')], separator),
      ...rows,
    ]);
  };
  const row = ({ number, cells, problem }: Fault): HTMLElement =>
    h(
      'tr',
      {},
      h('td', { class: 'number' }, count(number)),
      h(
        'td',
        {},
        h(
          'bdi',
          {},
          cells
            .filter((cell) => cell !== '')
            .slice(0, 2)
            .join(', '),
        ),
      ),
      h('td', { class: 'issue' }, problem),
    );
  const more = faults.length - faultsShown;
  return card(
    t('Rows with a fault'),
    h(
      'div',
      { class: 'scroller' },
      h(
        'table',
        { class: 'plain faults' },
        tableHead([[t('Row'), 'number'], [t('Begins with')], [t('Fault')]]),
        h('tbody', {}, faults.slice(0, faultsShown).map(row)),
      ),
    ),
    more > 0 && h('p', { class: 'soft' }, t('And {count} more.', { count: count(more) })),
    h('div', { class: 'buttons' }, button(t('Save these rows as a file'), save)),
  );
}
