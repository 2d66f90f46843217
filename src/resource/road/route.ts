import type { Context } from '../context.ts';
import type { ResourceDescription } from '../description.ts';
import type { Request } from '../request.ts';
import type { ResourcePath } from '../resource-path.ts';
import type { Response } from '../response.ts';

/** How a path met a route: what matched, what is left, and the values of the template's variables. */
export interface RouteMatch {
  readonly matched: ResourcePath;
  readonly remaining: ResourcePath;
  readonly variables: Readonly<Record<string, string>>;
}

export interface RouteHandler {
  handle(context: Context, request: Request, match: RouteMatch): Promise<Response>;
  /** Whether the request may run a script and so belongs in a script thread. Default: no. */
  runsScripts?(request: Request, match: RouteMatch): boolean;
  /**
   * What it does about the encrypted and hashed values of callers from outside: it takes the seals that it has shown; judges, besides,
   * what a write brings that was encrypted for a pair of keys; judges whatever comes in; or shows them as well. Default: none come in,
   * and nobody is shown more than a seal.
   */
  readonly envelopes?: 'seals' | 'sealsAndPairs' | 'judges' | 'shows';
  /** Whether it answers a write with whatever it wants to say, and not with a resource. Default: no. */
  readonly answersFreely?: boolean;
  /** Whether it makes requests of its own while it answers. Default: yes. */
  readonly asksOthers?: boolean;
  /** What can be asked of it, given the path it is mounted at. Default: nothing is said. */
  describe?(path: string): readonly ResourceDescription[];
}

interface Found {
  readonly handler: RouteHandler;
  readonly match: RouteMatch;
  /** The literals and variables of the route, as it was declared. */
  readonly names: readonly string[];
}

interface Route {
  /** The path as it was declared, without the star. */
  readonly path: string;
  readonly names: readonly string[];
  /** Literals in lower case. */
  readonly segments: readonly string[];
  /** Paths below the pattern belong to the route as well. */
  readonly prefix: boolean;
  readonly handler: RouteHandler;
}

/**
 * Patterns such as `info/ping` (exact), `scheduler/job*` (the path and all below it) and
 * `endpoint/order/{orderId}`. Literals match whatever their case. Of several matches the one with the most
 * literal segments wins, then an exact one over a prefix.
 */
export class RouteTable {
  #routes: readonly Route[] = [];
  /** Routes by the literal that a path begins with, in lower case: there are many routes, and few begin alike. */
  #byFirst: ReadonlyMap<string, readonly Route[]> = new Map();
  #others: readonly Route[] = [];
  /** Routes that were found, by path. The path stays the same object all the way, so that each is looked up once. */
  #found = new WeakMap<ResourcePath, Found>();

  /** @returns a function that takes the route away again */
  add(pattern: string, handler: RouteHandler): () => void {
    const prefix = pattern.endsWith('*');
    const declared = pattern
      .replace(/\/?\*$/, '')
      .split('/')
      .filter((segment) => segment !== '');
    const segments = declared.map((segment) => (isVariable(segment) ? segment : segment.toLowerCase()));
    const route = { path: declared.join('/'), names: declared, segments, prefix, handler };
    this.#replace([...this.#routes, route].sort((left, right) => rank(right) - rank(left)));
    return () => this.#replace(this.#routes.filter((other) => other !== route));
  }

  #replace(routes: readonly Route[]): void {
    const firsts = new Set(routes.flatMap((route) => firstLiteral(route) ?? []));
    const beginningWith = (first: string | undefined) =>
      routes.filter((route) => [undefined, first].includes(firstLiteral(route)));
    this.#byFirst = new Map([...firsts].map((first) => [first, beginningWith(first)]));
    this.#others = beginningWith(undefined);
    this.#routes = routes;
    this.#found = new WeakMap();
  }

  /** What can be asked of all routes, in the order of their paths. */
  describe(): ResourceDescription[] {
    return this.#routes
      .flatMap(({ path, handler }) => handler.describe?.(path) ?? [])
      .sort((left, right) => (left.path < right.path ? -1 : 1));
  }

  find(path: ResourcePath): Found | undefined {
    const known = this.#found.get(path);
    if (known !== undefined) return known;
    for (const route of this.#candidates(path)) {
      const match = matchRoute(route, path);
      if (match === undefined) continue;
      const found = { handler: route.handler, match, names: route.names };
      this.#found.set(path, found);
      return found;
    }
    return undefined;
  }

  /** The path with its literals as the route that it meets declares them; the very same path when it has them so. */
  named(path: ResourcePath): ResourcePath {
    const found = this.find(path);
    if (found === undefined) return path;
    const names = found.names.map((name, at) => (isVariable(name) ? path[at]! : name));
    return names.every((name, at) => name === path[at]) ? path : [...names, ...path.slice(names.length)];
  }

  #candidates(path: ResourcePath): readonly Route[] {
    return this.#byFirst.get(path[0]?.toLowerCase() ?? '') ?? this.#others;
  }
}

function isVariable(segment: string): boolean {
  return segment.startsWith('{');
}

function firstLiteral({ segments: [first] }: Route): string | undefined {
  return first === undefined || isVariable(first) ? undefined : first;
}

function rank(route: Route): number {
  const literals = route.segments.filter((segment) => !isVariable(segment)).length;
  return literals * 100 + route.segments.length * 2 + (route.prefix ? 0 : 1);
}

function matchRoute(route: Route, path: ResourcePath): RouteMatch | undefined {
  const { segments, prefix } = route;
  if (path.length < segments.length || (!prefix && path.length > segments.length)) return undefined;
  const variables: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const given = path[index]!;
    if (isVariable(segment)) variables[segment.slice(1, -1)] = given;
    else if (segment !== given && segment !== given.toLowerCase()) return undefined;
  }
  return { matched: path.slice(0, segments.length), remaining: path.slice(segments.length), variables };
}
