import { classNamed, JavaClass } from './java-class.ts';
import { JavaMap } from './java-map.ts';
import type { ScriptMethod } from './script-class.ts';
import { JavaObject } from './values.ts';

const BINDING = classNamed('groovy.lang.Binding');
/** Groovy names the class of a script after its file; the original's messages say so. */
const SCRIPT = new JavaClass('Script1', 'class');
SCRIPT.parent = classNamed('groovy.lang.Script');

/** What the caller gave a script. */
export interface Given {
  readonly names: readonly string[];
  has(name: string): boolean;
  /** Undefined when there is nothing of the name. */
  make(name: string): unknown;
}

/** The variables of a script that are not declared in it: those of the caller, and what it assigns itself. */
export class Binding extends JavaObject {
  readonly type: JavaClass;
  readonly variables: JavaMap;
  readonly #given: Given;
  /** The caller's values as they were made, when they were first read. */
  readonly #made: Record<string, unknown>;

  constructor(given: Given) {
    super();
    this.type = BINDING;
    this.variables = new JavaMap();
    this.#given = given;
    this.#made = Object.create(null);
  }

  has(name: string): boolean {
    return this.variables.has(name) || this.#given.has(name);
  }

  get(name: string): unknown {
    const entry = this.variables.find(name);
    if (entry !== undefined) return entry.value;
    const value = this.#given.make(name);
    if (value === undefined) return undefined;
    this.#made[name] = value;
    this.variables.put(name, value);
    return value;
  }

  set(name: string, value: unknown): void {
    this.variables.put(name, value);
  }

  /** What the caller gave, whatever the script has put in its place. */
  initial(name: string): unknown {
    return this.#made[name] ?? this.#given.make(name) ?? null;
  }

  /** All variables, in a map that the script may change. */
  all(): JavaMap {
    for (const name of this.#given.names) this.get(name);
    return this.variables;
  }
}

/** The script itself: `this` at its top. */
export class Script extends JavaObject {
  readonly type: JavaClass;
  readonly methods: Map<string, ScriptMethod[]>;
  readonly binding: Binding;

  constructor(binding: Binding) {
    super();
    this.type = SCRIPT;
    this.methods = new Map();
    this.binding = binding;
  }

  override toText(): string {
    return 'Script1@1';
  }
}
