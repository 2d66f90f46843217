import { decapitalize, hasCapitalBehind, hostCalls } from './dispatch.ts';
import { contexts, toGroovy } from './host-values.ts';
import { JavaClass } from './java-class.ts';
import { JavaMap } from './java-map.ts';
import { JsonValue } from './json-value.ts';
import { defineMethods } from './method-table.ts';
import './methods/object-methods.ts';
import { toText } from './text.ts';
import { illegalArgument } from './throwable.ts';

/** What `bindings/context.js` makes of a link of the chain, and of the chain itself. */
export interface HostContext {
  readonly name: string;
  readonly id: string;
  readonly class?: string;
  readonly parent: HostContext | null;
  /** The innermost link; only the chain itself has it. */
  readonly current?: HostContext;
  containsContext(name: string): boolean;
  getContext(name: string): HostContext;
}

/** Stands where a map keeps what makes missing values, so that `map.name` asks `get`. */
const ASK: unknown = Object.freeze({});

/** A link is a map of what it says, and can be asked for those outside of it. */
export class ContextMap extends JavaMap {
  readonly host: HostContext;

  constructor(host: HostContext) {
    super();
    this.host = host;
    this.byDefault = ASK;
  }

  override get(key: unknown): unknown {
    const entry = this.find(key);
    return entry === undefined ? this.#beside(toText(key)) : entry.value;
  }

  #beside(name: string): unknown {
    switch (name) {
      case 'parent':
      case 'current':
      case 'id':
        return toGroovy(this.host[name]);
      case 'contextName':
        return this.host.name;
      default:
        return null;
    }
  }

  outer(wanted: unknown): ContextMap {
    const name = nameOf(wanted);
    const found = this.host.containsContext(name) ? toGroovy(this.host.getContext(name)) : undefined;
    if (found instanceof ContextMap) return found;
    throw illegalArgument(
      wanted instanceof JavaClass
        ? `No context of type ${wanted.name} found`
        : `There is no context named '${name}'`,
    );
  }
}

/** Names of headers are in lower case, and are found in any. */
class HeaderMap extends JavaMap {
  constructor(headers: JavaMap) {
    super();
    this.byDefault = ASK;
    for (const { key, value } of headers.list()) this.put(key, value);
  }

  override find(key: unknown) {
    return super.find(key) ?? super.find(toText(key).toLowerCase());
  }

  override has(key: unknown): boolean {
    return this.find(key) !== undefined;
  }

  override get(key: unknown): unknown {
    return this.find(key)?.value ?? null;
  }
}

/** `'security'`, or what `SecurityContext` is called. */
function nameOf(wanted: unknown): string {
  if (!(wanted instanceof JavaClass)) return toText(wanted);
  const simple = wanted.name.slice(wanted.name.lastIndexOf('.') + 1).replace(/Context$/, '');
  return simple === 'UriRouter' ? 'router' : decapitalize(simple);
}

/** The link with those outside of it, each in the one before. */
function chainOf(host: HostContext): JavaMap {
  const chain = new JavaMap();
  chain.put('id', host.id);
  chain.put('class', host.class ?? null);
  for (const [name, value] of Object.entries(host)) chain.put(name, toGroovy(value));
  if (host.parent !== null) chain.put('parent', chainOf(host.parent));
  return chain;
}

/** A map that a link of the HTTP request always has. */
function mapIn(context: ContextMap, name: string): JavaMap {
  const map = context.get(name);
  if (map instanceof JavaMap) return map;
  throw illegalArgument(`The context has no ${name}`);
}

type Call = (context: ContextMap, ...args: unknown[]) => unknown;

const CALLS: Readonly<Record<string, Call>> = {
  getContext: (context, name) => context.outer(name),
  asContext: (context, type) => context.outer(type),
  containsContext: (context, wanted) => context.host.containsContext(nameOf(wanted)),
  isRootContext: (context) => context.host.parent === null,
  toJsonValue: ({ host }) => new JsonValue(chainOf(host.current ?? host)),
};

/** Methods of the link that stands for the HTTP request. */
const OF_HTTP: Readonly<Record<string, Call>> = {
  getHeader: (context, name) => {
    const value = mapIn(context, 'headers').get(name);
    return value === null ? [] : [value];
  },
  getHeaderAsString: (context, name) => mapIn(context, 'headers').get(name),
  getParameter: (context, name) => mapIn(context, 'parameters').get(name),
};

const { find } = hostCalls;
hostCalls.find = (receiver, name) => {
  if (!(receiver instanceof ContextMap)) return find(receiver, name);
  const call = CALLS[name] ?? (receiver.has('headers') ? OF_HTTP[name] : undefined);
  if (call !== undefined) return (args) => call(receiver, ...args);
  const property = hasCapitalBehind(name, 'get') ? decapitalize(name.slice(3)) : undefined;
  const value = property === undefined ? null : receiver.get(property);
  return value === null ? undefined : () => value;
};

contexts.make = (link) => {
  const context = new ContextMap(link as HostContext);
  for (const [name, value] of Object.entries(link)) {
    const members = toGroovy(value);
    context.put(name, name === 'headers' && members instanceof JavaMap ? new HeaderMap(members) : members);
  }
  return context;
};

// The name by which scripts that have a variable `context` get this file.
defineMethods('org.forgerock.services.context.Context', 'java.lang.Object', {});
