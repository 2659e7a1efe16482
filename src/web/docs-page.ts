// The documentation page.
import type { Router } from '../http/router.ts';

export function docsPage(router: Router, publicUrl: string): { html: string; policy: string } {
  return { html: `<!doctype html><title>orderly</title><p>${router.mounted.length} operations at ${publicUrl}</p>`, policy: "default-src 'none'; frame-ancestors 'none'" };
}
