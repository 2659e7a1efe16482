// Plots as SVG, each with its figures as a table for screen readers.
import { type Child, h, svg } from './elements.ts';

type Bar = { readonly label: string; readonly value: number; readonly text: string };

const height = 200;
const left = 44;
const bottom = 24;
const topSpace = 10;
/** A bar of the first month fills no page. */
const stepMax = 90;

/** Draws bars over a scale that begins at 0; `axis` formats its values. */
export function barPlot(title: string, bars: readonly Bar[], axis: (value: number) => string): HTMLElement {
  const isNarrow = innerWidth < 600;
  const width = isNarrow ? 340 : 720;
  const max = niceMax(Math.max(...bars.map(({ value }) => value), 0));
  const step = Math.min((width - left) / Math.max(bars.length, 1), stepMax);
  const y = (value: number): number => height - bottom - (value / max) * (height - bottom - topSpace);
  const grid = [0, 0.5, 1].map((share) => [
    svg('path', { d: `M${left} ${y(max * share)}H${width}`, class: 'grid' }),
    svg('text', { x: left - 8, y: y(max * share) + 4, 'text-anchor': 'end' }, axis(max * share)),
  ]);
  const every = Math.ceil(bars.length / (isNarrow ? 4 : 8));
  const columns = bars.map(({ label, value, text }, index) => {
    const x = left + index * step;
    const bar = { x: x + step * 0.16, y: y(value) };
    return svg(
      'g',
      { class: 'column' },
      svg('title', {}, `${label}: ${text}`),
      svg('rect', { x, y: topSpace, width: step, height: height - bottom - topSpace, class: 'touch' }),
      svg('rect', { ...bar, width: step * 0.68, height: y(0) - y(value), rx: 2, class: 'data' }),
      index % every === 0 && svg('text', { x: x + step / 2, y: height - 6, 'text-anchor': 'middle' }, label),
    );
  });
  const picture = svg(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, class: 'plot', 'aria-hidden': 'true' },
    grid,
    columns,
  );
  return h('figure', picture, figuresTable(title, bars));
}

function figuresTable(title: string, bars: readonly Bar[]): Child {
  const rows = bars
    .filter(({ value }) => value > 0)
    .map(({ label, text }) => h('tr', h('th', { scope: 'row' }, label), h('td', text)));
  return h('div.hidden', h('table', h('caption', title), h('tbody', rows)));
}

/** Returns 1, 2 or 5 times a power of ten, at least the value. */
function niceMax(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5, 10].find((each) => each * power >= value) ?? 10;
  return factor * power;
}
