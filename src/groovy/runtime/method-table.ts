/**
 * A method of ours: the receiver first (for static methods there is none), then the arguments, each declared as what a script
 * is supposed to give. Nobody checks that: what wants to be sure asks for `unknown`.
 */
export type Implementation = { run(...args: unknown[]): unknown }['run'];

export interface Method {
  readonly run: (...args: unknown[]) => unknown;
  readonly least: number;
  readonly most: number;
}

export type MethodTable = Record<string, Method>;

const instanceTables = new Map<string, MethodTable>();
const staticTables = new Map<string, MethodTable>();
const staticValues = new Map<string, Record<string, unknown>>();

/**
 * The methods that values of a class have beside those of its parent. Keys are `name/arguments`, where arguments
 * are a number, a span such as `0-2`, or `1+` for any number from one on.
 */
export function defineMethods(
  className: string,
  parent: string | null,
  methods: Readonly<Record<string, Implementation>>,
): void {
  let table = instanceTables.get(className);
  const isNew = table === undefined;
  if (table === undefined) {
    const above = parent === null ? null : instanceTables.get(parent);
    if (above === undefined) throw new Error(`The methods of ${parent} are not known yet`);
    table = tableBelow(above);
    instanceTables.set(className, table);
    tables.changed();
  }
  addMethods(table, methods);
  record?.push({ className, isNew, isStatic: false, names: Object.keys(methods).map(nameIn) });
}

/** The table of a class that may have none yet; `inherited` is what its values have so far. */
export function ownTable(className: string, inherited: MethodTable): MethodTable {
  const known = instanceTables.get(className);
  if (known !== undefined) return known;
  const table = tableBelow(inherited);
  instanceTables.set(className, table);
  tables.changed();
  return table;
}

/** A table without methods of its own; it has those of `above`. */
function tableBelow(above: MethodTable | null): MethodTable {
  return Object.create(above);
}

/** Filled in by the classes, which remember their tables. */
export const tables = { changed: () => {} };

/** What was defined, in order. */
export interface Definition {
  readonly className: string;
  /** The class had no methods before. */
  readonly isNew: boolean;
  readonly isStatic: boolean;
  readonly names: readonly string[];
}

let record: Definition[] | undefined;

/** What is defined from the last call on; for whoever has to know where a method comes from. */
export function takeDefinitions(): readonly Definition[] {
  const taken = record ?? [];
  record = [];
  return taken;
}

function nameIn(key: string): string {
  return key.slice(0, key.indexOf('/', 1));
}

/** Static methods; constructors are called `new`. */
export function defineStatics(
  className: string,
  methods: Readonly<Record<string, Implementation>>,
  values: Readonly<Record<string, unknown>> = {},
): void {
  const table = staticTables.get(className) ?? tableBelow(null);
  addMethods(table, methods);
  staticTables.set(className, table);
  staticValues.set(className, Object.assign(staticValues.get(className) ?? Object.create(null), values));
  record?.push({ className, isNew: true, isStatic: true, names: [] });
}

function addMethods(table: MethodTable, methods: Readonly<Record<string, Implementation>>): void {
  for (const key in methods) {
    const slash = key.indexOf('/', 1);
    const arity = key.slice(slash + 1);
    const dash = arity.indexOf('-');
    const least = Number.parseInt(arity, 10);
    const most = arity.endsWith('+') ? 255 : dash < 0 ? least : Number(arity.slice(dash + 1));
    table[nameIn(key)] = { run: methods[key]!, least, most };
  }
}

export function instanceMethods(className: string): MethodTable | undefined {
  return instanceTables.get(className);
}

export function staticMethods(className: string): MethodTable | undefined {
  return staticTables.get(className) ?? lateStatics.find(className);
}

/** Filled in by the exceptions, which are many and all alike. */
export const lateStatics = { find: (_className: string): MethodTable | undefined => undefined };

export function staticValue(className: string, name: string): unknown {
  return staticValues.get(className)?.[name];
}

export function staticValueNames(className: string): readonly string[] {
  return Object.keys(staticValues.get(className) ?? {});
}
