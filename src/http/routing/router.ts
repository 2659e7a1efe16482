// Finds the routes of a path, and its parameters.
import { nameParameter, type Method, type Route } from './route.ts';

/** A route, and the status for invalid data, which its group declares. */
export type MountedRoute = { readonly route: Route; readonly invalidStatus: 400 | 422 };

/** The routes of a path, by method, and the values of its parameters. */
export type Match = {
  readonly routes: ReadonlyMap<string, MountedRoute>;
  readonly params: Readonly<Record<string, number | string>>;
};

const allMethods: readonly (Method | 'HEAD' | 'OPTIONS')[] = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
];

export type RouteGroup = { readonly routes: readonly Route[]; readonly invalidStatus: 400 | 422 };

/** The routes of a path, and the names of its parameters. */
type MountedPath = { readonly routes: Map<string, MountedRoute>; readonly names: readonly string[] };

export class Router {
  /** The paths by their pattern: `{id}` stands for each id, and `{name}` for a name. */
  readonly #paths = new Map<string, MountedPath>();
  readonly #mounted: MountedRoute[] = [];

  get mounted(): readonly MountedRoute[] {
    return this.#mounted;
  }

  /** Throws if a route has no access rule. */
  mount({ routes, invalidStatus }: RouteGroup): void {
    for (const route of routes) this.#add({ route, invalidStatus });
  }

  /** Finds a path that is declared literally, else a path with ids, else a path that ends in a name. */
  find(path: string): Match | undefined {
    if (path.includes('{')) return undefined;
    const ids: number[] = [];
    const withIds = path.replace(idSegment, (segment) => {
      if (!Number.isSafeInteger(Number(segment))) return segment;
      ids.push(Number(segment));
      return '{id}';
    });
    const name = path.slice(path.lastIndexOf('/') + 1); // no pattern, which could take long for a long path
    const withName = `${withIds.slice(0, withIds.lastIndexOf('/'))}/{${nameParameter}}`;
    const named = name === '' ? undefined : this.#paths.get(withName); // a trailing slash names nothing
    const found = this.#paths.get(path) ?? this.#paths.get(withIds) ?? named;
    if (found === undefined) return undefined;
    const params: Record<string, number | string> = {};
    for (const [index, each] of found.names.entries())
      params[each] = (each === nameParameter ? name : ids[index]) ?? '';
    return { routes: found.routes, params };
  }

  #add(mounted: MountedRoute): void {
    const { method, path, access } = mounted.route;
    if (typeof access?.permits !== 'function') throw new TypeError(`${method} ${path} has no access rule`);
    const names = Array.from(path.matchAll(parameter), ([, name = '']) => name);
    const shape = path.replace(parameter, (each, name) => (name === nameParameter ? each : '{id}'));
    const { routes } = this.#paths.get(shape) ?? { routes: new Map<string, MountedRoute>() };
    this.#paths.set(shape, { routes, names });
    if (routes.has(method)) throw new TypeError(`${method} ${path} is declared twice`);
    routes.set(method, mounted);
    if (method === 'GET') routes.set('HEAD', mounted);
    this.#mounted.push(mounted);
  }
}

const parameter = /\{(\w+)\}/g;
/** An id from 1 to 2^53−1 without leading zeros, if it is a safe integer. */
const idSegment = /(?<=\/)[1-9]\d{0,15}(?=\/|$)/g;

export function allowedMethods(routes: ReadonlyMap<string, MountedRoute>): string[] {
  return allMethods.filter((method) => method === 'OPTIONS' || routes.has(method));
}
