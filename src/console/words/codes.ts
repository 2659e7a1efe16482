// Which texts may be a scanned code: a barcode, a SKU, a customer's card.
import { isBarcode } from './gtin.ts';

/** Whether what was typed may be a code: a quantity, a name or a street is none. */
export function isLikeCode(text: string): boolean {
  return isBarcode(text) || /^(?=.*\d)(?=.*\D)\S{4,64}$/.test(text);
}

/** Returns the id on a customer's card. */
export function cardIdOf(code: string): number | undefined {
  const [, id] = /^c([1-9]\d{0,15})$/i.exec(code) ?? [];
  return id === undefined ? undefined : Number(id);
}
