import { inOrder, type LinkedModule, ModuleLinker } from './link-modules.ts';
import './runtime/core-library.ts';
import { type Definition, takeDefinitions } from './runtime/method-table.ts';
import type { ScriptSource } from './script-source.ts';

const RUNTIME = new URL('./runtime/', import.meta.url);
const INSTALL = new URL('install.ts', RUNTIME);
const CORE = new URL('core-library.ts', RUNTIME);
const LIBRARY = new URL('library.ts', RUNTIME);

/** Methods that operators, texts and loops call, so that no script has to name them. */
const UNNAMED = new Set(
  `plus minus multiply div mod getAt putAt isCase compareTo next previous negative positive equals hashCode toString
   asBoolean asType iterator hasNext toList getClass call values`.split(/\s+/),
);
/** What operators do with numbers needs no methods. */
const NUMBERS = /^java\.math\./;

/** What the library does with the variable of a name goes into that library too. */
const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  request: ['RequestType'],
  context: ['Context'],
};

/** A part of the library that is loaded for the scripts that name something of it. */
interface Part {
  readonly modules: readonly LinkedModule[];
  readonly names: ReadonlySet<string>;
}

const linker = new ModuleLinker(RUNTIME);
const core = new Set([...linker.link(INSTALL), ...linker.link(CORE)]);
const parts: Part[] = [];
const byName = new Map<string, Set<Part>>();
const owners = new Map<LinkedModule, Part>();
/** The part that made each class. */
const homes = new Map<string, LinkedModule>();

/** The library as it is here, to find out what is where. */
async function load(): Promise<void> {
  takeDefinitions();
  const entries = linker
    .link(LIBRARY)
    .at(-1)!
    .imports.filter((module) => !core.has(module));
  for (const entry of entries) {
    const modules = inOrder([entry]).filter((module) => !core.has(module));
    const own = modules.filter((module) => !owners.has(module));
    await import(entry.url.href);
    const definitions = takeDefinitions();
    if (definitions.length === 0 && own.includes(entry))
      throw new Error(`${entry.name} was loaded before this module`);
    const names = new Set(definitions.flatMap((definition) => namesOf(entry, definition)));
    const needed = modules.flatMap((module) => owners.get(module)?.modules ?? [module]);
    const part = { modules: inOrder([...new Set(needed)]).filter((module) => !core.has(module)), names };
    for (const module of own) owners.set(module, part);
    for (const name of names) byName.set(name, (byName.get(name) ?? new Set()).add(part));
    parts.push(part);
  }
}

function namesOf(entry: LinkedModule, definition: Definition): string[] {
  const { className, isNew, names } = definition;
  if (isNew) homes.set(className, entry);
  // The part that has made a class has made all that it is; another one may add to it.
  if (isNew || homes.get(className) === entry)
    return [className.slice(Math.max(className.lastIndexOf('.'), className.lastIndexOf('$')) + 1)];
  const unnamed = NUMBERS.test(className) ? undefined : names.find((name) => UNNAMED.has(name));
  if (unnamed !== undefined) {
    throw new Error(`${entry.name} adds ${unnamed} to ${className}, which scripts use without naming it`);
  }
  return names.flatMap((name) => [name, ...propertyNames(name)]);
}

function propertyNames(method: string): string[] {
  const match = /^(?:get|is|set)(\p{Lu})(.*)$/u.exec(method);
  return match === null ? [] : [match[1]!.toLowerCase() + match[2], match[1]! + match[2]];
}

await load();

/** What every sandbox for Groovy begins with; `entry` may take the place of the module that installs it. */
export function coreLibrary(entry: URL = INSTALL): readonly ScriptSource[] {
  const modules = [...core, ...linker.link(entry).filter((module) => !core.has(module))];
  return [linker.start, ...inOrder(modules), linker.callOf(entry, 'install')];
}

const PREPARE = linker.callOf(new URL('java-class.ts', RUNTIME), 'prepareClasses');

/** What a script needs besides: everything that has a name which it mentions, or one of those that are given. */
export function librariesOf(source: string, more: Iterable<string> = []): readonly ScriptSource[] {
  const names = new Set(source.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu));
  // What all values have; a number with a radix is worth a look when it comes to that.
  names.delete('toString');
  const bound = Object.entries(VARIABLES).flatMap(([name, more]) => (names.has(name) ? more : []));
  const modules = modulesNamed([...names, ...bound, ...more]);
  return modules.length === 0 ? [] : [...modules, PREPARE];
}

/** For scripts that call methods whose names they put together: which one is meant depends on all there are. */
export function everyName(): Iterable<string> {
  return byName.keys();
}

/** What a script turns out to need while it runs, because it has put the name together itself. */
export function libraryNamed(name: string): readonly ScriptSource[] {
  return modulesNamed([name]);
}

function modulesNamed(names: readonly string[]): readonly LinkedModule[] {
  const wanted = new Set<Part>();
  for (const name of names) {
    // Most names that are no methods are those of variables.
    if (byName.has(name)) for (const part of byName.get(name)!) wanted.add(part);
  }
  const modules = new Set(parts.filter((part) => wanted.has(part)).flatMap((part) => part.modules));
  return inOrder([...modules]).filter((module) => !core.has(module));
}
