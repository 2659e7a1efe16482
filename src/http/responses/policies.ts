// What browsers may do with a response that is no page.
import type { HeaderFields } from '../../base/header-fields.ts';

export const jsonPolicy = "default-src 'none'; frame-ancestors 'none'";
export const jsonPolicyFields: HeaderFields = ['Content-Security-Policy', jsonPolicy];
