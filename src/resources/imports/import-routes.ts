// Imports over HTTP: POST /imports reads a line for each customer or order, and returns a line for each.
import { adminOnly, hasScope } from '../../auth/access.ts';
import type { HandlerImports, LineRules } from '../../http/line-imports.ts';
import { ndjson } from '../../http/media-types.ts';
import { streamIn } from '../../http/reply.ts';
import { route, type Route } from '../../http/route.ts';
import {
  importBytesMax,
  importBufferedBytesMax,
  importLineBytesMax,
  importLineMilliseconds,
  importsMax,
} from '../../limits.ts';
import type { Issue } from '../../schema/schema.ts';
import { customerBodies } from '../customers/customer-bodies.ts';
import { importLineSchema, parseImportLine, type ParsedLine } from './import-line.ts';
import { importKeys, importLine } from './import-store.ts';

type ImportServices = {
  readonly imports: HandlerImports;
  /** The country whose phone numbers may be sent in national form. */
  readonly defaultCountry: string | undefined;
};

export function importRoutes({ imports, defaultCountry }: ImportServices): Route[] {
  const bodies = customerBodies(defaultCountry);
  const schema = importLineSchema(bodies);
  const rules: LineRules<ParsedLine> = {
    parse: (value, now) => parseImportLine(schema, value, now),
    write(permit, parsed, now) {
      const { caller } = permit;
      if (parsed.ok && parsed.line.customer !== undefined && !hasScope(caller, 'customers:write'))
        return { status: 403, issues: [noCustomers] };
      return importLine(permit, parsed, { keys: importKeys, bodies, ownerId: caller.userId, now });
    },
  };
  return [
    route({
      method: 'POST',
      path: '/imports',
      tag: 'Service',
      summary: 'Import customers and orders',
      description,
      access: adminOnly,
      scope: 'orders:write',
      streamedBody: {
        mediaType: ndjson,
        bytesMax: importBytesMax,
        schema,
        description: 'Lines of JSON, each an ImportLine; blank ones are left out.',
        example: `${JSON.stringify(exampleOfCustomer)}\n${JSON.stringify(exampleOfOrder)}\n`,
      },
      reply: streamIn(ndjson),
      handle: (context) => imports.createResult(context, rules),
    }),
  ];
}

const noCustomers: Issue = {
  pointer: '/customer',
  code: 'insufficient-scope',
  detail: 'The API key lacks the scope customers:write.',
};

const exampleOfCustomer = { key: 'shop-7', customer: { name: 'Grace Hopper' } };
const exampleOfOrder = {
  key: 'shop-1042',
  order: {
    customerKey: 'shop-7',
    currency: 'EUR',
    status: 'delivered',
    createdAt: '2025-11-03T10:15:00Z',
    items: [{ name: 'Green tea, 250 g', quantity: 2, unitPrice: 749 }],
  },
};

const description =
  'Each line is checked like the body of a POST, written on its own, and answered in order once it is ' +
  'on disk: `{"line":1,"status":201,"id":7}`; with status 200 if that key came before with the same ' +
  'content; or `{"line":2,"status":422,"errors":[…]}`, with `errors` as in problems (400 for what is ' +
  'not JSON, 413 for a line that is too long). If the response is incomplete, simply send it again. ' +
  'An order names its customer by `customerId`, or by `customerKey` if that customer was also ' +
  'imported.\n\n' +
  'What ends the import early (withdrawn rights, a client that is too slow, a service that stops) is ' +
  'reported as a last line, after which the response ends without its last chunk. The response begins ' +
  'when everything was sent, when nothing has come for a second, or at ' +
  `${importBufferedBytesMax / 1024 ** 2} MiB; once it has begun, keep reading while you send.\n\n` +
  `There may be ${importBytesMax / 1024 ** 2} MiB of lines, ${importLineBytesMax / 1024} KiB each, at ` +
  `least one in ${importLineMilliseconds / 1000} seconds, and ${importsMax} imports at a time. An API key ` +
  'also needs the scope `customers:write` to import customers.';
