// A list as a file for a spreadsheet: what the page shows, with its filters and its search. Programs read the API.
import { columnName, valueText } from '../words/column-names.ts';
import { writtenPhone } from '../words/phone-numbers.ts';
import { notify } from '../forms/dialogs.ts';
import { h } from '../browser/elements.ts';
import { decimalSign, shopDays } from '../words/formats.ts';
import { action } from '../forms/forms.ts';
import { bodyOf } from '../service/request-errors.ts';
import { asText, byteOrderMark, rowsOf, rowText, type Separator } from './table-text.ts';
import type { Page } from '../page/view.ts';
import { t } from '../words/texts.ts';
import { inPieces } from '../browser/pieces.ts';

/** A button, not a link: links send no access token. `list` returns the path of the page that is shown. */
export function csvButton({ client, signal }: Page, list: () => string, name: string): HTMLElement {
  return action(t('CSV'), async () => {
    const response = await client.request('GET', wholeList(list()), { accept: 'text/csv', signal });
    const rows: string[][] = [];
    let columns: readonly string[] | undefined;
    await inPieces(rowsOf(await bodyOf(response), ','), ({ cells }) => {
      const known = columns;
      rows.push(
        cells.map((cell, at) => (known === undefined ? headingOf(cell) : readableCell(known[at], cell))),
      );
      columns ??= cells;
    });
    saveTable(name, rows);
  });
}

/** Excel splits cells where the region's list separator is. */
const separator: Separator = decimalSign === ',' ? ';' : ',';

/** Saves the rows as a file for a spreadsheet. */
export function saveTable(name: string, rows: readonly (readonly string[])[]): void {
  saveFile(name, [byteOrderMark, ...rows.map((cells) => rowText(cells, separator))]);
  notify(t('{name} was saved.', { name }));
}

export function saveFile(name: string, parts: readonly BlobPart[]): void {
  const address = URL.createObjectURL(new Blob([...parts]));
  h('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** The path of the list without what concerns its pages; orders have the names of their customers. */
function wholeList(list: string): string {
  const [path = '', parameters] = list.split('?', 2);
  const query = new URLSearchParams(parameters);
  for (const name of ['limit', 'cursor', 'total']) query.delete(name);
  if (path === '/orders') query.set('include', 'customer');
  return `${path}?${query}`;
}

/** The cell of this column as people read it. */
function readableCell(name: string | undefined = '', cell: string): string {
  if (name === 'phone') return readablePhone(cell);
  if (isAmount(name)) return cell.replace('.', decimalSign);
  if (name === 'status' || name === 'payment') return valueText(cell);
  if (name === 'active') return cell === 'true' ? t('Yes') : t('No');
  if (isTime(name)) return cell === '' ? '' : localTime(cell);
  return isText(name) ? asText(cell) : cell;
}

function headingOf(name: string): string {
  return isTime(name) ? `${columnName(name)} (${shopDays().zone})` : columnName(name);
}

/** Removes the apostrophe that the service puts before the + of a phone number, as before a formula. */
function readablePhone(cell: string): string {
  return writtenPhone(cell.replace(/^'(?=\+\d+$)/, ''), null);
}

function isAmount(name: string): boolean {
  return /^(items\.)?(total|unitPrice)$/.test(name);
}

/** Whether people have entered the cells: names and codes, of which some look like numbers. */
function isText(name: string): boolean {
  return /^(name|email|note|reference|sku|barcode|customer\.name|items\.(sku|name)|(shippingA|a)ddress\..*)$/.test(
    name,
  );
}

function isTime(name: string): boolean {
  return name === 'createdAt' || name === 'updatedAt';
}

/** `2026-03-01 09:30:00` of UTC, in the shop's time zone. */
function localTime(cell: string): string {
  const time = new Date(`${cell.replace(' ', 'T')}Z`);
  return `${shopDays().dayName(time)} ${shopDays().timeOfDay(time)}`;
}
