import { Closure, closureOf, DELEGATE_FIRST } from './closure.ts';
import { compiledText } from './compiled-text.ts';
import { hostCalls, missing } from './dispatch.ts';
import { classNamed, type JavaClass } from './java-class.ts';
import { JavaMap } from './java-map.ts';
import { defineMethods, defineStatics } from './method-table.ts';
import './methods/map-methods.ts';
import { copyClosure } from './methods/object-methods.ts';
import { Binding } from './script.ts';
import { textOf, toText } from './text.ts';
import { badArgument } from './throwable.ts';
import { JavaObject } from './values.ts';

/** Configurations as Groovy: `a.b = 1`, `a { b = 1 }`, `environments { test { … } }`. */

class ConfigSlurper extends JavaObject {
  readonly type: JavaClass = classNamed('groovy.util.ConfigSlurper');
  environment: string;
  variables: JavaMap | undefined;

  constructor(environment: string) {
    super();
    this.environment = environment;
  }
}

/** The parts of the configuration that are being read at the moment, the outermost first. */
let open: JavaMap[] = [];

/** A name that a configuration does not have is a part of it that is still empty. */
function newConfig(): JavaMap {
  const config = new JavaMap('ConfigObject');
  config.byDefault = closureOf(1, 1, (name) => {
    const around = open.at(-1) === config ? open.findLast((each) => each.has(name)) : undefined;
    return around === undefined ? newConfig() : around.get(name);
  });
  return config;
}

function inside<T>(config: JavaMap, run: () => T): T {
  open.push(config);
  try {
    return run();
  } finally {
    open.pop();
  }
}

function describe(config: JavaMap, closure: unknown): JavaMap {
  if (!(closure instanceof Closure)) throw badArgument();
  const bound = copyClosure(closure);
  bound.delegate = config;
  bound.strategy = DELEGATE_FIRST;
  inside(config, () => bound.call(bound.most === 0 ? [] : [config]));
  return config;
}

/** Inside `environments { … }` only the block of the environment counts. */
class Environments extends JavaObject {
  readonly type: JavaClass = classNamed('groovy.util.ConfigSlurper$Environments');
  readonly wanted: string;
  readonly config: JavaMap;

  constructor(wanted: string, config: JavaMap) {
    super();
    this.wanted = wanted;
    this.config = config;
  }
}

/** `name { … }` inside a configuration that is being read. */
function describePart(config: JavaMap, name: string, args: unknown[]): unknown {
  if (!(args[0] instanceof Closure)) throw missing(config, name, args);
  const known = config.find(name)?.value;
  const inner = known instanceof JavaMap ? known : newConfig();
  config.put(name, inner);
  return describe(inner, args[0]);
}

const others = hostCalls.find;
hostCalls.find = (receiver, name) => {
  if (receiver instanceof JavaMap && receiver.kind === 'ConfigObject' && open.includes(receiver))
    return (args) => describePart(receiver, name, args);
  if (!(receiver instanceof Environments)) return others(receiver, name);
  return (args) => {
    if (name === receiver.wanted) describe(receiver.config, args[0]);
    return null;
  };
};

function merge(target: JavaMap, source: JavaMap): JavaMap {
  for (const { key, value } of source.list()) {
    const known = target.find(key)?.value;
    if (known instanceof JavaMap && value instanceof JavaMap) merge(known, value);
    else target.put(key, value);
  }
  return target;
}

function parse(self: ConfigSlurper, source: unknown): JavaMap {
  if (source instanceof JavaMap) return ofProperties(source);
  const text = textOf(source);
  if (text === undefined) throw badArgument();
  const root = newConfig();
  const overrides = newConfig();
  const environments = new Environments(self.environment, overrides);
  const given = self.variables;
  const binding = new Binding({
    names: [],
    has: (name) => given?.has(name) === true,
    make: (name) => {
      if (name === 'environments') return describable(environments);
      return given?.has(name) === true ? given.get(name) : newConfig();
    },
  });
  // What is assigned and what is made on the way are the configuration itself.
  const variables = binding.variables;
  const outer = open;
  open = [variables];
  try {
    compiledText('groovy.config', text)(binding);
  } finally {
    open = outer;
  }
  for (const { key, value } of variables.list())
    if (key !== 'environments' && given?.has(key) !== true) root.put(key, value);
  return merge(root, overrides);
}

function describable(environments: Environments): Closure {
  return closureOf(1, 1, (closure) => {
    if (!(closure instanceof Closure)) throw badArgument();
    const bound = copyClosure(closure);
    bound.delegate = environments;
    bound.strategy = DELEGATE_FIRST;
    bound.call([]);
    return null;
  });
}

/** `a.b=1` as `a { b = '1' }`. */
function ofProperties(source: JavaMap): JavaMap {
  const root = newConfig();
  for (const { key, value } of source.list()) {
    const names = toText(key).split('.');
    let at = root;
    for (const name of names.slice(0, -1)) {
      const inner = at.find(name)?.value;
      const next = inner instanceof JavaMap ? inner : newConfig();
      if (next !== inner) at.put(name, next);
      at = next;
    }
    at.put(names.at(-1)!, value);
  }
  return root;
}

function flatten(config: JavaMap, prefix: string, target: JavaMap): JavaMap {
  for (const { key, value } of config.list()) {
    const name = prefix === '' ? toText(key) : `${prefix}.${toText(key)}`;
    if (value instanceof JavaMap && value.kind === 'ConfigObject') flatten(value, name, target);
    else target.put(name, value);
  }
  return target;
}

function asProperties(config: JavaMap, prefix: unknown): JavaMap {
  const made = new JavaMap('Properties');
  const flat = flatten(config, prefix === undefined ? '' : toText(prefix), new JavaMap());
  for (const { key, value } of flat.list()) if (value !== null) made.put(key, toText(value));
  return made;
}

defineStatics('groovy.util.ConfigSlurper', {
  'new/0-1': (environment: unknown = '') => new ConfigSlurper(toText(environment)),
});
defineMethods('groovy.util.ConfigSlurper', 'java.lang.Object', {
  'parse/1': parse,
  'getEnvironment/0': (self: ConfigSlurper) => self.environment,
  'setEnvironment/1': (self: ConfigSlurper, environment: unknown) => {
    self.environment = toText(environment);
    return null;
  },
  'setBinding/1': (self: ConfigSlurper, variables: unknown) => {
    if (!(variables instanceof JavaMap)) throw badArgument();
    self.variables = variables;
    return null;
  },
});
defineStatics('groovy.util.ConfigObject', { 'new/0': newConfig });
defineMethods('groovy.util.ConfigObject', 'java.util.Map', {
  'call/1': describe,
  'get/1': (self: JavaMap, name: unknown) => self.find(name)?.value ?? null,
  'merge/1': (self: JavaMap, other: unknown) => {
    if (!(other instanceof JavaMap)) throw badArgument();
    return merge(self, other);
  },
  'flatten/0': (self: JavaMap) => flatten(self, '', newConfig()),
  'toProperties/0-1': asProperties,
  'isSet/1': (self: JavaMap, name: unknown) => {
    const value = self.find(name)?.value;
    return value instanceof JavaMap ? value.size > 0 : value !== undefined;
  },
});
