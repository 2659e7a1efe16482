// Findings of the linters that are accepted, each with a reason.

/** `at` is a path into the document, such as `/paths/orders/{id}/get/parameters/0/schema`. */
export type Finding = {
  readonly tool: string;
  readonly rule: string;
  readonly at: string;
  readonly message: string;
};
type Accepted = { readonly rule: string; readonly at: RegExp; readonly because: string };

// Routes that anyone may call and that read no credential.
const openPaths = String.raw`openapi\.json|docs|problems(/\{name\})?`;
const unlimitedPaths = String.raw`health/(live|ready)|console(/\{name\})?`;
const open = new RegExp(`^/paths/(${openPaths}|${unlimitedPaths})?/?get/`);
const unlimited = new RegExp(`^/paths/(${unlimitedPaths})/get/`);

export const accepted: readonly Accepted[] = [
  {
    rule: 'owasp:api1:2023-no-numeric-ids',
    at: /\/parameters\/\d+\/schema$/,
    because:
      'Requirements section 4: {id} is an integer. Nothing rests on ids being hard to guess: ' +
      'every read is guarded by its owner.',
  },
  {
    rule: 'owasp:api2:2023-write-restricted',
    at: /^\/paths\/api\/sessions\/((\{id\}|current)\/tokens\/)?post\/security$/,
    because:
      'Signing in comes before there is a credential; the refresh token that POST …/tokens takes, ' +
      'in its body or in a cookie, is one.',
  },
  {
    rule: 'owasp:api2:2023-read-restricted',
    at: open,
    because: 'The service about itself is for anyone.',
  },
  {
    rule: 'owasp:api8:2023-define-error-responses-401',
    at: open,
    because: 'They look at no credential, so they never answer 401.',
  },
  {
    rule: 'owasp:api4:2023-rate-limit',
    at: unlimited,
    because:
      '/health/* is not limited: a balancer asks it all the time. Nor is /console: a page has some ' +
      'thirty files, which are in memory.',
  },
  {
    rule: 'owasp:api4:2023-rate-limit',
    at: /^\/components\/responses\/\w+Unlimited\/headers$/,
    because: 'The problems of these.',
  },
  { rule: 'owasp:api4:2023-rate-limit-responses-429', at: unlimited, because: 'The same.' },
  {
    rule: 'oas3-unused-component',
    at: /^\/components\/examples\/method-not-allowed$/,
    because:
      '405 is what methods get that no operation declares, so no operation can refer to it; ' +
      '/problems/method-not-allowed shows it.',
  },
  { rule: 'no-unused-components', at: /^\/components\/examples\/method-not-allowed$/, because: 'The same.' },
  {
    rule: 'no-unused-components',
    at: /^\/components\/schemas\/ImportLine$/,
    because: 'The lines of POST /imports: OpenAPI 3.1 can’t say so, but for an extension, `x-line-schema`.',
  },
];
