// A diagram of the states of an order and the steps between them.
import { html, type Html } from '../../web/page-layout.ts';

/** Each state, with the states that can follow it. */
export type Steps = Readonly<Record<string, readonly string[]>>;

type Corner = readonly [x: number, y: number];

const [width, height, centre, middle] = [92, 36, 46, 18];
const [columnWidth, rowHeight] = [118, 92];

/** Draws the usual steps from left to right and final states below, small enough for a phone. */
export function orderDiagram(steps: Steps): Html {
  const entries = Object.entries(steps);
  const usual = entries.filter(([, to]) => to.length > 0).map(([state]) => state);
  const cornerOf = (state: string): Corner => cornerIn(steps, usual, state);
  const sentences = entries.map(([from, to]) =>
    to.length === 0 ? `${from} is final` : `${from} can become ${to.join(' or ')}`,
  );
  const label = `States of an order: ${sentences.join('; ')}.`;
  const arrows = entries.flatMap(([from, to]) => to.map((each) => arrow(cornerOf(from), cornerOf(each))));
  const boxes = entries.map(([state, to]) =>
    box(state, cornerOf(state), to.length === 0 ? 'final' : 'state'),
  );
  const pictureWidth = (usual.length - 1) * columnWidth + width + 2;
  return html`<figure><svg role="img" aria-label="${label}" viewBox="-1 -1 ${pictureWidth} 130" width="500">
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>
${arrows.map((path) => html`<path marker-end="url(#tip)" d="${path}"/>`)}
${boxes}</svg></figure>`;
}

/** A final state is below the middle one of those that lead to it. */
function cornerIn(steps: Steps, usual: readonly string[], state: string): Corner {
  const column = usual.indexOf(state);
  if (column >= 0) return [column * columnWidth, 0];
  const before = usual.filter((each) => steps[each]?.includes(state));
  const middleOne = before[Math.floor((before.length - 1) / 2)] ?? '';
  return [usual.indexOf(middleOne) * columnWidth, rowHeight];
}

function box(state: string, [x, y]: Corner, kind: 'final' | 'state'): Html {
  return html`<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}" rx="18"/>
<text x="${x + centre}" y="${y + middle}">${state}</text>`;
}

/**
 * Draws usual steps as straight lines, other steps as arcs below. Arcs with the same end are spread a little.
 */
function arrow([x, y]: Corner, [toX, toY]: Corner): string {
  if (y === toY) return `M${x + width} ${y + middle}H${toX}`;
  const [start, between, end] = [x + centre, (y + height + toY) / 2, toX + centre + (x - toX) * 0.2];
  return `M${start} ${y + height}C${start} ${between} ${end} ${between} ${end} ${toY}`;
}
