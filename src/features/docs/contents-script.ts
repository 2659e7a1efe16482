// The table of contents of the documentation page: gives the focus to the section that is chosen.
import type { PageTools } from './page-tools.ts';

export function contentsScript({ one, go }: PageTools): void {
  const contents = one('#contents');
  contents.addEventListener('click', (event) => {
    const link = event.target.closest('a');
    if (link === null) return;
    event.preventDefault();
    if (contents.matches(':popover-open')) contents.hidePopover();
    go(link.href.replace(/^.*#/, ''));
  });
}
