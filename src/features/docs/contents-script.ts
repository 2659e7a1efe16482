// The table of contents of the documentation page: marks the section being read and gives it the focus.
import type { PageDocument, PageElement } from './docs-dom.ts';
import type { PageTools } from './page-tools.ts';

declare const document: PageDocument;
type Intersection = { readonly target: PageElement; readonly isIntersecting: boolean };
declare const IntersectionObserver: new (
  seen: (entries: readonly Intersection[]) => void,
  options: object,
) => { observe(element: PageElement): void };

export function contentsScript({ one, go }: PageTools): void {
  const contents = one('#contents');
  const links = new Map<string, PageElement>();
  for (const link of contents.querySelectorAll('a')) links.set(link.href.replace(/^.*#/, ''), link);
  const places = [...document.querySelectorAll('main section, main article')];
  const seen = new Set<PageElement>();

  contents.addEventListener('click', (event) => {
    const link = event.target.closest('a');
    if (link === null) return;
    event.preventDefault();
    if (contents.matches(':popover-open')) contents.hidePopover();
    go(link.href.replace(/^.*#/, ''));
  });
  const observer = new IntersectionObserver(mark, { rootMargin: '-80px 0px -75% 0px' });
  for (const place of places) observer.observe(place);

  function mark(entries: readonly Intersection[]): void {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting) seen.add(target);
      else seen.delete(target);
    }
    const current = links.get(places.findLast((place) => seen.has(place))?.id ?? '');
    for (const link of links.values()) link.ariaCurrent = link === current ? 'true' : null;
    if (current !== undefined) reveal(current);
  }

  /** Scrolls the table of contents alone: scrollIntoView would move the point that Tab continues from. */
  function reveal({ offsetTop, offsetHeight }: PageElement): void {
    const { scrollTop, clientHeight } = contents;
    const isAbove = offsetTop < scrollTop;
    const isBelow = offsetTop + offsetHeight > scrollTop + clientHeight;
    if (isAbove || isBelow) contents.scrollTop = offsetTop - clientHeight / 3;
  }
}
