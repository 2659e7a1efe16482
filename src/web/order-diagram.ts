// The states of an order and the steps between them, drawn.
import { html, type Html } from './page-layout.ts';

/** Each state, with those that it leads to. */
export type Steps = Readonly<Record<string, readonly string[]>>;

/** The way from left to right, final states beneath it. Small enough for a phone. */
const corners: Readonly<Record<string, readonly [x: number, y: number]>> = {
  open: [0, 0],
  paid: [118, 0],
  shipped: [236, 0],
  delivered: [354, 0],
  cancelled: [0, 92],
  refunded: [236, 92],
};
const [width, height, centre, middle] = [92, 36, 46, 18];

export function orderDiagram(steps: Steps): Html {
  const says = Object.entries(steps)
    .map(([from, to]) => (to.length === 0 ? `${from} is final` : `${from} can become ${to.join(' or ')}`))
    .join('; ');
  return html`<figure><svg role="img" aria-label="States of an order: ${says}." viewBox="-1 -1 448 130" width="500">
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>
${Object.entries(steps).map(([from, to]) => to.map((each) => html`<path marker-end="url(#tip)" d="${arrow(cornerOf(from), cornerOf(each))}"/>`))}
${Object.entries(steps).map(([state, to]) => box(state, cornerOf(state), to.length === 0 ? 'final' : 'state'))}</svg></figure>`;
}

function cornerOf(state: string): readonly [number, number] {
  return corners[state] ?? [118, 92];
}

function box(state: string, [x, y]: readonly [number, number], kind: string): Html {
  return html`<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="18"/><text x="${x + centre}" y="${y + middle}">${state}</text>`;
}

/** Straight along the way, else in a bow down; where several end at one box they are spread a little. */
function arrow([x, y]: readonly [number, number], [toX, toY]: readonly [number, number]): string {
  if (y === toY) return `M${x + width} ${y + middle}H${toX}`;
  const [start, between, end] = [x + centre, (y + height + toY) / 2, toX + centre + (x - toX) * 0.2];
  return `M${start} ${y + height}C${start} ${between} ${end} ${between} ${end} ${toY}`;
}
