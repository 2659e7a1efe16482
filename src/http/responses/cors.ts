// Cross-origin requests (the Fetch standard): header fields that let pages of other origins use the service.
import type { HeaderFields } from '../../base/header-fields.ts';
import { headerFieldsMax, type RequestHeaders } from '../connections/request-fields.ts';

/** The header fields of responses that clients read. */
export const responseFields = [
  'ETag',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
  'Idempotency-Replayed',
  'Content-Disposition',
  'Allow',
  'Accept',
  'Accept-Encoding',
  'Accept-Patch',
] as const;
export type ResponseField = (typeof responseFields)[number];
/**
 * All methods, for any path: only after a successful preflight can a page read the 404 or 405 of its wrong
 * request.
 */
const preflightMethods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const preflightSeconds = 600;

export type Cors = ReturnType<typeof createCors>;

export function createCors(origins: ReadonlySet<string>) {
  const exposedField = responseFields.join(', ');
  const preflightFields = [
    'Access-Control-Allow-Methods',
    preflightMethods,
    'Access-Control-Max-Age',
    String(preflightSeconds),
  ];

  function allows(origin: string | undefined): origin is string {
    return origin !== undefined && origins.has(origin);
  }

  /** Whether the request is a preflight from an origin that the settings allow. */
  function allowsPreflight(headers: RequestHeaders): boolean {
    return allows(headers.origin) && headers['access-control-request-method'] !== undefined;
  }

  return {
    allowsPreflight,
    isEnabled: origins.size > 0,

    /** Returns the header fields of every response. */
    fieldsFor({ origin }: RequestHeaders): HeaderFields {
      if (!allows(origin)) return [];
      return ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', exposedField];
    },

    /** Returns the further fields of a response to OPTIONS; none unless the request is a preflight. */
    preflightFieldsFor(headers: RequestHeaders): HeaderFields {
      return allowsPreflight(headers) ? [...preflightFields, ...allowedFieldsFor(headers)] : [];
    },
  };
}

/**
 * Allows the fields that the page asks for, whatever they are: tools such as Sentry and OpenTelemetry add
 * their own to each request, and a field that the service doesn't know changes nothing.
 */
function allowedFieldsFor({ 'access-control-request-headers': asked = '' }: RequestHeaders): HeaderFields {
  const names = asked.split(',', headerFieldsMax).map((name) => name.trim());
  const allowed = names.filter((name) => fieldNameForm.test(name));
  return allowed.length === 0 ? [] : ['Access-Control-Allow-Headers', allowed.join(', ')];
}

/** RFC 9110 section 5.6.2. */
const fieldNameForm = /^[\w!#$%&'*+.^`|~-]+$/;
