// The documentation page.
import type { Mounted } from '../http/router.ts';

export function docsPage(mounted: readonly Mounted[], publicUrl: string): { html: string; policy: string } {
  return { html: `<!doctype html><title>orderly</title><p>${mounted.length} operations at ${publicUrl}</p>`, policy: "default-src 'none'; frame-ancestors 'none'" };
}
