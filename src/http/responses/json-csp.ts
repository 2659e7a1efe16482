// The Content-Security-Policy of responses that are no pages.
import type { HeaderFields } from '../../base/header-fields.ts';

export const jsonCsp = "default-src 'none'; frame-ancestors 'none'";
export const jsonCspFields: HeaderFields = ['Content-Security-Policy', jsonCsp];
