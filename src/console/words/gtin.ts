// Which digits may be a barcode.

/** Whether it has as many digits as a barcode. */
export function isBarcode(text: string): boolean {
  return /^\d{8,14}$/.test(text);
}

/** Whether it is a barcode with the right check digit (GS1 General Specifications 7.9). */
export function isGtin(text: string): boolean {
  const digits = [...text].reverse().map(Number);
  const sum = digits.reduce((total, digit, index) => total + digit * (index % 2 === 0 ? 1 : 3), 0);
  return isBarcode(text) && sum % 10 === 0;
}

/** Whether it can only be a barcode: hardly any price or phone number is as long and has a right check digit. */
export function isLongGtin(text: string): boolean {
  return text.length >= 12 && isGtin(text);
}
