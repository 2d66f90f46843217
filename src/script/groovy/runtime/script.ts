import { classNamed, JavaClass } from './java-class.ts';
import { JavaMap } from './java-map.ts';
import type { ScriptMethod } from './script-class.ts';
import { JavaObject } from './values.ts';

/** Groovy names the class of a script after its file; the original's messages say so. */
const SCRIPT = new JavaClass('Script1', 'class');
SCRIPT.parent = classNamed('groovy.lang.Script');

/** The variables of a script that are not declared in it: those of the caller, and what it assigns itself. */
export class Binding extends JavaObject {
  readonly type: JavaClass = classNamed('groovy.lang.Binding');
  readonly #given: ReadonlyMap<string, () => unknown>;
  readonly variables = new JavaMap();
  readonly #made = new Map<string, unknown>();

  /** The caller's values are made when they are first read. */
  constructor(given: ReadonlyMap<string, () => unknown>) {
    super();
    this.#given = given;
  }

  has(name: string): boolean {
    return this.variables.has(name) || this.#given.has(name);
  }

  get(name: string): unknown {
    const entry = this.variables.find(name);
    if (entry !== undefined) return entry.value;
    const make = this.#given.get(name);
    if (make === undefined) return undefined;
    const value = make();
    this.#made.set(name, value);
    this.variables.put(name, value);
    return value;
  }

  set(name: string, value: unknown): void {
    this.variables.put(name, value);
  }

  /** What the caller gave, whatever the script has put in its place. */
  initial(name: string): unknown {
    const value = this.#made.get(name);
    return value === undefined ? (this.#given.get(name)?.() ?? null) : value;
  }

  /** All of them, in a map that the script may change. */
  all(): JavaMap {
    for (const name of this.#given.keys()) this.get(name);
    return this.variables;
  }
}

/** The script itself: `this` at its top. */
export class Script extends JavaObject {
  readonly type: JavaClass = SCRIPT;
  readonly methods = new Map<string, ScriptMethod[]>();
  readonly binding: Binding;

  constructor(binding: Binding) {
    super();
    this.binding = binding;
  }

  override toText(): string {
    return 'Script1@1';
  }
}
