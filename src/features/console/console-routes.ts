// The console over HTTP: the page, its modules and its stylesheet.
import { isDeepStrictEqual } from 'node:util';
import { anyone } from '../../auth/access.ts';
import { once } from '../../base/once.ts';
import { htmlType, htmlUtf8Type } from '../../http/responses/media-types.ts';
import { type SharedDocument, sharedText } from '../../http/responses/shared-document.ts';
import { route, type Route } from '../../http/routing/route.ts';
import { notFound } from '../../problem.ts';
import { string } from '../../schema/schema.ts';
import type { Shop } from '../shop/shop.ts';
import { consoleFiles, type ConsoleFile } from './console-files.ts';
import { consolePage, type ConsoleSettings, otherResources } from './console-page.ts';

/** The page and its files. No rate limits them, since a browser requests all files again with each page. */
export function consoleRoutes(services: ConsoleServices): Route[] {
  return [pageRoute(services), fileRoute()];
}

type ConsoleServices = ConsoleSettings & {
  /** Returns the shop as it is in effect. */
  readonly shopNow: () => Shop;
  /** Returns the OpenAPI document; undefined where it isn't served. */
  readonly describe: (() => Promise<object>) | undefined;
};

/** The page is made again when the shop has changed. */
function pageRoute({ shopNow, describe, ...settings }: ConsoleServices): Route {
  const resources = once(async () => (describe === undefined ? [] : otherResources(await describe())));
  let last: { readonly shop: Shop; readonly page: Promise<SharedDocument<never>> } | undefined;
  async function pageOf(shop: Shop): Promise<SharedDocument<never>> {
    const { html: text, csp } = consolePage(settings, { shop, resources: await resources() });
    const fields = ['Content-Security-Policy', csp, ...pageFields];
    return sharedText(text, { mediaType: htmlUtf8Type, fields });
  }
  return route({
    method: 'GET',
    path: '/console',
    tag: 'Service',
    summary: 'The console, for people in the shop',
    access: anyone,
    isUnlimited: true,
    reply: { kind: 'shared document', mediaTypes: [htmlType], cacheControl: 'no-cache' },
    handle() {
      const shop = shopNow();
      if (last === undefined || !isDeepStrictEqual(last.shop, shop)) last = { shop, page: pageOf(shop) };
      return last.page;
    },
  });
}

const pageFields = ['Cross-Origin-Opener-Policy', 'same-origin', 'Referrer-Policy', 'no-referrer'];

const fileTypes = ['text/javascript', 'text/css', 'application/manifest+json', 'image/png'];

function fileRoute(): Route {
  const made = once(async () => new Map(await Promise.all((await consoleFiles()).map(entryOf))));
  return route({
    method: 'GET',
    path: '/console/{name}',
    operationId: 'getConsoleFile',
    nameSchema: string({ maxLength: 100, pattern: '^[a-z.-]+$', description: 'The name of a file.' }),
    tag: 'Service',
    summary: 'A module, the stylesheet or the icon of the console',
    access: anyone,
    isUnlimited: true,
    reply: { kind: 'shared document', mediaTypes: fileTypes, cacheControl: 'no-cache' },
    problems: ['not-found'],
    async handle({ params: { name } }) {
      const file = (await made()).get(name);
      if (file === undefined) throw notFound('file of the console', name);
      return file;
    },
  });
}

async function entryOf({
  name,
  mediaType,
  content,
}: ConsoleFile): Promise<[name: string, file: SharedDocument<never>]> {
  return [name, await sharedText(content, { mediaType })];
}
