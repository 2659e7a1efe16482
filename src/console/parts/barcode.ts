// A number as a barcode: Code 128 (ISO/IEC 15417), which every scanner reads.

/** The widths of the bars and spaces of each symbol, in modules, by its value; the last one stops the code. */
const widths = (
  '212222222122222221121223121322131222122213122312132212221213221312231212112232122132122231113222' +
  '123122123221223211221132221231213212223112312131311222321122321221312212322112322211212123212321' +
  '232121111323131123131321112313132113132311211313231113231311112133112331132131113123113321133121' +
  '313121211331231131213113213311213131311123311321331121312113312311332111314111221411431111111224' +
  '111422121124121421141122141221112214112412122114122411142112142211241211221114413111241112134111' +
  '111242121142121241114212124112124211411212421112421211212141214121412121111143111341131141114113' +
  '114311411113411311113141114131311141411131211412211214211232'
).match(/.{6}/g);
const [toCodeB, startB, startC] = [100, 104, 105];
const stopSymbol = '2331112';

/** Returns the bars and spaces of a number, or of a letter and a number, each as its width in modules; bars come first. */
export function barcodeWidths(code: number | string): readonly number[] {
  const [, letter = '', digits = ''] = /^([A-Z]?)(\d+)$/.exec(String(code)) ?? [];
  const values =
    letter === '' ? symbolsOf(digits) : [startB, symbolValue(letter), ...[...digits].map(symbolValue)];
  const sum = values.reduce((total, value, index) => total + value * Math.max(index, 1), 0);
  const symbols = [...values, sum % 103].map((value) => widths?.[value] ?? '');
  return [...symbols.join(''), ...stopSymbol].map(Number);
}

/** The value of a letter or a digit in code set B. */
function symbolValue(letter: string): number {
  return letter.charCodeAt(0) - 32;
}

/** Two digits are one symbol of code set C; an odd one is a symbol of its own, of code set B. */
function symbolsOf(digits: string): readonly number[] {
  const pairs = (digits.match(/\d\d/g) ?? []).map(Number);
  const odd = digits.length % 2 === 1 ? Number(digits.at(-1)) + 16 : undefined;
  if (odd === undefined) return [startC, ...pairs];
  return pairs.length === 0 ? [startB, odd] : [startC, ...pairs, toCodeB, odd];
}
