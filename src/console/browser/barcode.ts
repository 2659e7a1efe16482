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
const startB = 104;
const stopSymbol = '2331112';

/**
 * Returns the bars and spaces of digits and capital letters, in code set B, each as its width in modules; bars come
 * first.
 */
export function barcodeWidths(code: number | string): readonly number[] {
  const values = [startB, ...[...String(code)].map((sign) => sign.charCodeAt(0) - 32)];
  const sum = values.reduce((total, value, index) => total + value * Math.max(index, 1), 0);
  const symbols = [...values, sum % 103].map((value) => widths?.[value] ?? '');
  return [...symbols.join(''), ...stopSymbol].map(Number);
}
