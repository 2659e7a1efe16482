// Imports over HTTP: POST /imports reads one line for each object, and returns one line for each.
import { adminOnly } from '../../auth/access.ts';
import { mediaTypeOf } from '../../http/requests/negotiate.ts';
import { csvType, ndjsonType } from '../../http/responses/media-types.ts';
import { route, type Route } from '../../http/routing/route.ts';
import {
  importable,
  importDryRunKeysMax,
  DryRun,
  type Importable,
} from '../../resource/imported-object-store.ts';
import { country } from '../../schema/members.ts';
import { boolean, optional, oneOf } from '../../schema/schema.ts';
import { customerRows, customersIn } from '../customers/customers.ts';
import type { FeatureServices } from '../feature.ts';
import { productResource } from '../products/products.ts';
import { csvReader, importLineBytesMax, lineForm, ndjsonReader, type ImportTable } from './import-lines.ts';
import { importableOrders } from './imported-orders.ts';
import { unsentCharsMax, importLineMilliseconds, importsMax, type Imports } from './line-imports.ts';

export const importBytesMax = 32 * 1024 * 1024;

type ImportServices = Pick<FeatureServices, 'now' | 'shop'> & {
  readonly imports: Imports;
  /** What is imported besides customers, orders and products. */
  readonly others: readonly Importable[];
};

export function importRoutes({ imports, now, shop, others }: ImportServices): Route[] {
  const known = [importableOrders(now), importable(productResource), ...others];
  const formFor = (countryOf: () => string | undefined, dryRun?: DryRun) => {
    const customers = { ...importable(customersIn(countryOf)), conversion: customerRows };
    return lineForm([customers, ...known], dryRun);
  };
  const form = formFor(() => shop.country);
  const names = tablesOf(form.kinds).map(({ plural }) => plural);
  return [
    route({
      method: 'POST',
      path: '/imports',
      tag: 'Service',
      summary: 'Import customers, orders and products',
      description: descriptionWith(names),
      access: adminOnly,
      scope: 'orders:write',
      query: { of: optional(oneOf(names), { description: ofDescription }), ...importQuery },
      streamedBody: {
        bytesMax: importBytesMax,
        contents: {
          [ndjsonType]: {
            description: 'Lines of JSON, each an ImportLine; blank ones are left out.',
            example: exampleOfLines,
            lineSchema: form.schema,
          },
          [csvType]: {
            description: `A table whose heading names columns of ${names.join(' or ')}, and \`key\`.`,
            example: 'key,name,email,address.line1\r\nshop-7,Grace Hopper,grace@example.com,\r\n',
          },
        },
      },
      reply: { kind: 'stream', mediaTypes: [ndjsonType] },
      handle(call) {
        const { of, country = shop.country, dryRun = false } = call.query;
        const form = formFor(() => country, dryRun ? new DryRun() : undefined);
        const isTable = mediaTypeOf(call.headers['content-type']) === csvType;
        const table = tablesOf(form.kinds).find(({ plural }) => plural === (of ?? (isTable && 'customers')));
        const read =
          isTable && table !== undefined ? csvReader(form, table, country) : ndjsonReader(form, table);
        return imports.createResult(call, { read, write: form.write, isDryRun: dryRun });
      },
    }),
  ];
}

function tablesOf(kinds: readonly Importable[]): ImportTable[] {
  return kinds.flatMap(({ conversion, ...kind }) => (conversion ? [{ ...kind, conversion }] : []));
}

const ofDescription =
  'What the rows of a table are, `customers` by default. With it, lines of JSON may be objects as exports have ' +
  'them; otherwise they name it themselves.';
const importQuery = {
  country: optional(country, {
    description:
      'Whose phone numbers may be in national form, and of addresses in a table that name none; by default ' +
      'that of the shop.',
  }),
  dryRun: optional(boolean(), {
    description: 'Whether to check the lines only. The result of a new object then has no id, but null.',
  }),
};

const exampleOfLines =
  '{"key":"shop-7","customer":{"name":"Grace Hopper"}}\n{"key":"shop-1042","order":{"customerKey":"shop-7",' +
  '"currency":"EUR","status":"delivered","createdAt":"2025-11-03T10:15:00Z",' +
  '"items":[{"name":"Green tea, 250 g","quantity":2,"unitPrice":749}]}}\n';

function descriptionWith(plurals: readonly string[]): string {
  const scopes = plurals.map((plural) => `\`${plural}:write\` to import ${plural}`);
  return `${description} An API key also needs the scope ${scopes.join(', and ')}.`;
}

const description =
  'Each line is checked like the body of a POST, written on its own, and answered in order once it is ' +
  'on disk: `{"line":1,"status":201,"id":7,"result":"created"}`; with status 200, `changed` or `unchanged`, if ' +
  'its object is known; or `{"line":2,"status":422,"errors":[…]}`, with `errors` as in problems (400 for what is ' +
  'not JSON, 413 for a line that is too long). If the response is incomplete, simply send it again. ' +
  'An order names its customer by `customerId`, or by `customerKey` if that customer was also ' +
  'imported.\n\n' +
  'A table (RFC 4180, UTF-8; commas, semicolons, tabs or bars between cells) has a row for each object. Its ' +
  'heading names members, in any case: `name,email,phone,address.line1,…`. An empty cell is an absent member. Without ' +
  'a `key` a row is known by its content, so equal rows create one object.\n\n' +
  'A customer is known by the `id` that an export has, or by the key; or, without a key, by the reference, or ' +
  'else by the e-mail address, or by the phone number together with the name, if exactly one customer has it, and no ' +
  'other reference; the customer keeps the owner. Another new customer with the same reference, address or number is ' +
  'created, and `sameAs` names the first (null for one of the same dry run). In a table an address without a street goes to the note.\n\n' +
  'A product whose SKU exists is changed; `sameAs` names one whose SKU differs only in zeros before its digits. Members that the line leaves out stay as they are. In a table ' +
  'prices are decimal, as exports write them. A new barcode that looks like a GTIN which has lost digits is ' +
  'kept as it is, and `warning` says so.\n\n' +
  'What ends the import early (withdrawn rights, a client that is too slow, a service that stops) is ' +
  'reported as a last line, after which the response ends without its last chunk. The response begins ' +
  `when everything was read, or at ${unsentCharsMax / 1024 ** 2} MiB of it; once it has begun, keep ` +
  'reading while you send.\n\n' +
  `There may be ${importBytesMax / 1024 ** 2} MiB of lines, ${importLineBytesMax / 1024} KiB each, at ` +
  `least one in ${importLineMilliseconds / 1000} seconds, and ${importsMax} imports at a time; a dry run ` +
  `may have ${importDryRunKeysMax} new objects.`;
