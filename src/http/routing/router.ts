// Finds the route of a method and path in a tree of path segments.
import { withNullForAbsent } from '../../schema/schema.ts';
import type { IncomingMessage } from 'node:http';
import { splitTarget } from './request-target.ts';
import { nameParameter, type Method, type Route } from './route.ts';

/** A route, and the status for invalid data, which its group declares. */
export type MountedRoute = { readonly route: Route; readonly invalidStatus: 400 | 422 };

/** The methods and parameters of a path. */
export type Match = {
  readonly methods: ReadonlyMap<string, MountedRoute>;
  readonly params: Readonly<Record<string, number | string>>;
};

type Node = {
  readonly literals: Map<string, Node>;
  id?: Branch;
  named?: Branch;
  methods?: Map<string, MountedRoute>;
};
/** What follows a parameter of this name. */
type Branch = { readonly name: string; readonly node: Node };

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

export class Router {
  readonly #root = emptyNode();
  readonly #mounted: MountedRoute[] = [];
  readonly #streamedBytesMax = new Map<string, number>(); // by path

  get mounted(): readonly MountedRoute[] {
    return this.#mounted;
  }

  /** Throws if a route has no access rule. */
  mount({ routes, invalidStatus }: RouteGroup): void {
    for (const route of routes) {
      const { method, body } = route;
      const takesNulls = body !== undefined && method !== 'PATCH';
      this.#add({ route: takesNulls ? { ...route, body: withNullForAbsent(body) } : route, invalidStatus });
    }
  }

  find(path: string): Match | undefined {
    return find(this.#root, path);
  }

  /** Returns the limit of a body that its route reads as it arrives; undefined for other bodies. */
  streamedBytesMax({ method, url = '' }: IncomingMessage): number | undefined {
    return method === 'POST' ? this.#streamedBytesMax.get(splitTarget(url).path) : undefined;
  }

  #add(mounted: MountedRoute): void {
    const { method, path, access, streamedBody } = mounted.route;
    if (typeof access?.permits !== 'function') throw new TypeError(`${method} ${path} has no access rule`);
    if (streamedBody !== undefined && (method !== 'POST' || path.includes('{')))
      throw new TypeError(`${method} ${path} streams its body: only a POST without {id} can`);
    let node = this.#root;
    for (const segment of path.slice(1).split('/')) node = findOrAddChild(node, segment);
    node.methods ??= new Map();
    if (node.methods.has(method)) throw new TypeError(`${method} ${path} is declared twice`);
    node.methods.set(method, mounted);
    if (method === 'GET') node.methods.set('HEAD', mounted);
    if (streamedBody !== undefined) this.#streamedBytesMax.set(path, streamedBody.bytesMax);
    this.#mounted.push(mounted);
  }
}

function emptyNode(): Node {
  return { literals: new Map() };
}

function findOrAddChild(node: Node, segment: string): Node {
  const name = /^\{(\w+)\}$/.exec(segment)?.[1];
  if (name === nameParameter) return (node.named ??= { name, node: emptyNode() }).node;
  if (name !== undefined) return (node.id ??= { name, node: emptyNode() }).node;
  const child = node.literals.get(segment) ?? emptyNode();
  node.literals.set(segment, child);
  return child;
}

/** Tries a literal, then an id, then a name for each segment. Never goes back to try another way. */
function find(root: Node, path: string): Match | undefined {
  let node = root;
  const params: Record<string, number | string> = {};
  for (const segment of path.slice(1).split('/')) {
    const literal = node.literals.get(segment);
    const id = literal === undefined && node.id !== undefined ? idIn(segment) : undefined;
    const branch = id === undefined ? node.named : node.id;
    if (literal !== undefined) node = literal;
    else if (branch === undefined || segment === '')
      return undefined; // a trailing slash names nothing
    else {
      params[branch.name] = id ?? segment;
      node = branch.node;
    }
  }
  return node.methods === undefined ? undefined : { methods: node.methods, params };
}

/** Returns an id from 1 to 2^53−1 without leading zeros; undefined for any other segment. */
function idIn(segment: string): number | undefined {
  const id = Number(segment);
  return /^[1-9]\d{0,15}$/.test(segment) && Number.isSafeInteger(id) ? id : undefined;
}

export function allowedMethods(methods: ReadonlyMap<string, MountedRoute>): string[] {
  return allMethods.filter((method) => method === 'OPTIONS' || methods.has(method));
}
