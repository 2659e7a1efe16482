// A number as the picture of a barcode.
import { barcodeWidths } from './barcode.ts';
import { svg } from './elements.ts';

/** The empty space that scanners need on both sides, in modules: the widths of the finest bar. */
const quietModules = 10;
const moduleMillimetres = 0.4;

/** Draws the bars in their size on paper. */
export function barcodePicture(code: number | string): SVGElement {
  let x = quietModules;
  let bars = '';
  for (const [index, width] of barcodeWidths(code).entries()) {
    if (index % 2 === 0) bars += `M${x} 0h${width}v1h-${width}z`;
    x += width;
  }
  const attributes = {
    class: 'barcode',
    viewBox: `0 0 ${x + quietModules} 1`,
    width: `${(x + quietModules) * moduleMillimetres}mm`,
    height: '11mm',
    preserveAspectRatio: 'none',
    'shape-rendering': 'crispEdges',
  };
  return svg('svg', attributes, svg('path', { d: bars }));
}
