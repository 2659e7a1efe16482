// The layers of the sources, and which file imports which.
import { dirname, join, matchesGlob, normalize } from 'node:path';
import { texts } from './source-text.ts';

/** From top to bottom: a layer imports only lower ones. Folders in one line don't import each other. */
export const layers: readonly (readonly string[])[] = [
  ['src/start.js'],
  ['src/main.ts'],
  ['src/commands/'],
  ['src/service/'],
  ['src/features/*/*-feature.ts'],
  ['src/features/*/'],
  ['src/features/feature.ts'],
  ['src/features/orders/', 'src/features/health/', 'src/features/idempotency/'],
  ['src/features/customers/', 'src/features/keys/', 'src/features/sessions/'],
  ['src/features/users/'],
  ['src/features/events/'],
  ['src/config/'],
  ['src/web/', 'src/openapi/'],
  ['src/http/'],
  ['src/rates/'],
  ['src/storage/'],
  ['src/auth/'],
  ['src/problem.ts'],
  ['src/schema/', 'src/security-event.ts'],
  ['src/base/'],
  ['src/console/'],
];

/** The values of features know the code of all of them; they lie beside it, and are a layer of their own. */
const values = 'src/features/*/*-feature.ts';
/** The features that may be left out: those that have no place above. */
const optional = 'src/features/*/';

export function isAt(path: string, place: string): boolean {
  if (matchesGlob(path, values)) return place === values;
  if (place === optional) return matchesGlob(path, `${optional}*`) && !isAtCore(path);
  return path.startsWith(place);
}

function isAtCore(path: string): boolean {
  return layers.flat().some((place) => path.startsWith(place));
}

export function layerOf(path: string): number {
  return layers.findIndex((layer) => layer.some((place) => isAt(path, place)));
}

/** Returns the project's files that a file loads: imports, and workers by their URL. */
export function importsOf(path: string, what: 'values' | 'all' = 'all'): string[] {
  const text = texts.get(path) ?? '';
  const ways = [
    /^(?:import|export)\s+(?<type>type\s)?(?:[^'";]*?\sfrom\s)?'(?<static>\.[^']+)'/,
    /import\('(?<dynamic>\.[^']+)'\)/,
    /new URL\('(?<worker>\.[^']+)', import\.meta\.url\)/,
  ];
  const found = text.matchAll(new RegExp(ways.map(({ source }) => source).join('|'), 'gm'));
  return [...found].flatMap(({ groups = {} }) => {
    const name = groups['static'] ?? groups['dynamic'] ?? groups['worker'];
    return name === undefined || (what === 'values' && groups['type'] !== undefined)
      ? []
      : [normalize(join(dirname(path), name))];
  });
}
