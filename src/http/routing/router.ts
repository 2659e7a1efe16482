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

type Node = { readonly literals: Branch[]; id?: Branch; named?: Branch; methods?: Map<string, MountedRoute> };
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
  readonly #root: Node = { literals: [] };
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

function findOrAddChild(node: Node, segment: string): Node {
  const name = /^\{(\w+)\}$/.exec(segment)?.[1];
  if (name === nameParameter) return (node.named ??= { name, node: { literals: [] } }).node;
  if (name !== undefined) return (node.id ??= { name, node: { literals: [] } }).node;
  const known = node.literals.find((literal) => literal.name === segment);
  if (known !== undefined) return known.node;
  const made: Node = { literals: [] };
  node.literals.push({ name: segment, node: made });
  return made;
}

/** Tries a literal, then an id, then a name for each segment. Never goes back to try another way. */
function find(root: Node, path: string): Match | undefined {
  let node = root;
  let params: Record<string, number | string> | undefined;
  let end = 0;
  while (end < path.length) {
    const start = end + 1; // after the slash
    const slash = path.indexOf('/', start);
    end = slash === -1 ? path.length : slash;
    if (start === end && path !== '/') return undefined; // a trailing slash names nothing
    const next = literalAt(node, path, start);
    if (next === undefined) {
      const id = node.id === undefined ? 0 : idAt(path, start, end);
      const branch = id > 0 ? node.id : node.named;
      if (branch === undefined) return undefined;
      (params ??= {})[branch.name] = id > 0 ? id : path.slice(start, end);
      node = branch.node;
    } else node = next;
  }
  return node.methods === undefined ? undefined : { methods: node.methods, params: params ?? {} };
}

/** Returns the node of the literal that equals the segment at `start`. */
function literalAt({ literals }: Node, path: string, start: number): Node | undefined {
  for (const { name, node } of literals)
    if (path.startsWith(name, start) && endsSegment(path, start + name.length)) return node;
  return undefined;
}

function endsSegment(path: string, index: number): boolean {
  return index === path.length || path[index] === '/';
}

/** Returns an id from 1 to 2^53−1 without leading zeros; 0 for any other segment. */
function idAt(path: string, start: number, end: number): number {
  if (end - start > 16) return 0;
  let id = 0;
  for (let index = start; index < end; index += 1) {
    const digit = path.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9 || (digit === 0 && id === 0)) return 0;
    id = id * 10 + digit;
  }
  return Number.isSafeInteger(id) ? id : 0;
}

export function allowedMethods(methods: ReadonlyMap<string, MountedRoute>): string[] {
  return allMethods.filter((method) => method === 'OPTIONS' || methods.has(method));
}
