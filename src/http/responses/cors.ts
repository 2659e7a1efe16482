// Cross-origin requests (the Fetch standard): header fields that let pages of other origins use the service.
import { headerLine, headerLines, type HeaderLines } from '../../base/header-lines.ts';
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
  const exposedLine = headerLine('Access-Control-Expose-Headers', responseFields.join(', '));
  const preflightLines = headerLines([
    'Access-Control-Allow-Methods',
    preflightMethods,
    'Access-Control-Max-Age',
    String(preflightSeconds),
  ]);

  function allows(origin: string | undefined): origin is string {
    return origin !== undefined && origins.has(origin);
  }

  function allowsPreflight(headers: RequestHeaders): boolean {
    return allows(headers.origin) && headers['access-control-request-method'] !== undefined;
  }

  return {
    allowsPreflight,
    isEnabled: origins.size > 0,

    /** Returns the header lines of every response. */
    linesFor({ origin }: RequestHeaders): HeaderLines {
      return allows(origin) ? headerLine('Access-Control-Allow-Origin', origin) + exposedLine : '';
    },

    /** Returns the further lines of a response to OPTIONS; none unless the request is a preflight. */
    preflightLinesFor(headers: RequestHeaders): HeaderLines {
      return allowsPreflight(headers) ? preflightLines + allowedFieldsLine(headers) : '';
    },
  };
}

/**
 * Allows the fields that the page asks for, whatever they are: tools such as Sentry and OpenTelemetry add
 * their own to each request, and a field that the service doesn't know changes nothing.
 */
function allowedFieldsLine({ 'access-control-request-headers': asked = '' }: RequestHeaders): HeaderLines {
  const names = asked.split(',', headerFieldsMax).map((name) => name.trim());
  const allowed = names.filter((name) => fieldNameForm.test(name));
  return allowed.length === 0 ? '' : headerLine('Access-Control-Allow-Headers', allowed.join(', '));
}

/** RFC 9110 section 5.6.2. */
const fieldNameForm = /^[\w!#$%&'*+.^`|~-]+$/;
