// A text as the picture of a QR code.
import { type Child, svg } from '../browser/elements.ts';
import { t } from '../words/texts.ts';
import { qrModules } from './qr-code.ts';

/** The light space that readers need around a code, in modules. */
const quiet = 4;

/** Returns nothing for a text that is too long. */
export function qrPicture(text: string): Child {
  const rows = qrModules(text);
  if (rows === undefined) return undefined;
  const size = rows.length + 2 * quiet;
  const dark = rows.flatMap((row, y) =>
    row.map((isDark, x) => (isDark ? `M${x + quiet} ${y + quiet}h1v1h-1z` : '')),
  );
  const attributes = { class: 'qr', viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': t('QR code') };
  return svg(
    'svg',
    { ...attributes, 'shape-rendering': 'crispEdges' },
    svg('path', { class: 'light', d: `M0 0h${size}v${size}h-${size}z` }),
    svg('path', { d: dark.join('') }),
  );
}
