import { findRow } from './class-table.ts';
import { instanceMethods, type MethodTable, tables } from './method-table.ts';

const PRIMITIVE_BOXES: Readonly<Record<string, string>> = {
  int: 'Integer',
  long: 'Long',
  double: 'Double',
  float: 'Float',
  short: 'Short',
  byte: 'Byte',
  char: 'Character',
  boolean: 'Boolean',
  void: 'Void',
};

export type ClassForm = 'class' | 'interface' | 'enum' | 'primitive' | 'array';

/** A class as scripts see it. Classes that scripts declare are a subclass of this one. */
export class JavaClass {
  readonly name: string;
  readonly form: ClassForm;
  parent: JavaClass | null = null;
  interfaces: JavaClass[] = [];
  /** The class of the elements of an array; null for all other classes. */
  readonly element: JavaClass | null;
  /** True for those that scripts declare. */
  readonly isDeclared: boolean = false;
  /** It belongs to one object that a script has changed alone, and stands before the class that the object seems to have. */
  isSingle = false;
  /** `methods` once somebody has asked; read directly where every call of a script passes. */
  table: MethodTable | undefined;
  #ancestors: Set<JavaClass> | undefined;

  constructor(name: string, form: ClassForm, element: JavaClass | null = null) {
    this.name = name;
    this.form = form;
    this.element = element;
  }

  get simpleName(): string {
    if (this.element !== null) return `${this.element.simpleName}[]`;
    return this.name.slice(Math.max(this.name.lastIndexOf('.'), this.name.lastIndexOf('$')) + 1);
  }

  /** The methods of its values, those of the nearest ancestor that has a table. */
  get methods(): MethodTable {
    this.table ??= instanceMethods(this.name) ?? this.#inherited();
    return this.table;
  }

  #inherited(): MethodTable {
    const ofArrays = this.element === null ? undefined : instanceMethods('array');
    if (ofArrays !== undefined) return ofArrays;
    for (const type of this.interfaces) {
      const methods = instanceMethods(type.name);
      if (methods !== undefined) return methods;
    }
    return (this.parent ?? objectClass()).methods;
  }

  isSubclassOf(other: JavaClass): boolean {
    if (this === other || other.name === 'java.lang.Object') return true;
    return this.ancestors.has(other);
  }

  get ancestors(): ReadonlySet<JavaClass> {
    if (this.#ancestors === undefined) {
      this.#ancestors = new Set();
      for (const type of [this.parent, ...this.interfaces]) {
        if (type === null) continue;
        this.#ancestors.add(type);
        for (const above of type.ancestors) this.#ancestors.add(above);
      }
    }
    return this.#ancestors;
  }
}

const classes = new Map<string, JavaClass>();
const arrays = new Map<JavaClass, JavaClass>();

for (const name in PRIMITIVE_BOXES) classes.set(name, new JavaClass(name, 'primitive'));

/** The class with a full name or, for primitives, their only one. The compiler lets no other names through. */
export function classNamed(name: string): JavaClass {
  const type = findClass(name);
  if (type === undefined) throw new Error(`There is no class ${name}`);
  return type;
}

/** Looks up what classes find out at their first use, so that it is known before the first script. */
export function prepareClasses(): void {
  for (const type of classes.values()) {
    void type.methods;
    void type.ancestors;
  }
}

export function findClass(name: string): JavaClass | undefined {
  const known = classes.get(name);
  if (known !== undefined) return known;
  const row = findRow(name);
  if (row === undefined) return undefined;
  const type = new JavaClass(name, row.form);
  classes.set(name, type);
  const above = row.parents.map(classNamed);
  type.parent = row.form === 'interface' ? null : (above.shift() ?? null);
  type.interfaces = above;
  return type;
}

tables.changed = () => {
  for (const type of classes.values()) type.table = undefined;
};

function objectClass(): JavaClass {
  return classNamed('java.lang.Object');
}

/** `Integer` for `int`; other classes are their own box. */
export function boxOf(type: JavaClass): JavaClass {
  return type.form === 'primitive' ? classNamed(`java.lang.${PRIMITIVE_BOXES[type.name]}`) : type;
}

const ARRAY_LETTERS: Readonly<Record<string, string>> = {
  int: 'I',
  long: 'J',
  double: 'D',
  float: 'F',
  short: 'S',
  byte: 'B',
  char: 'C',
  boolean: 'Z',
};

/** What an array of the class holds. @throws for a class that is none of an array */
export function elementOf(type: JavaClass): JavaClass {
  if (type.element === null) throw new TypeError(`${type.name} is no class of arrays`);
  return type.element;
}

export function arrayType(element: JavaClass, dimensions = 1): JavaClass {
  let type = arrays.get(element);
  if (type === undefined) {
    const letter = ARRAY_LETTERS[element.name];
    const name =
      element.form === 'array'
        ? `[${element.name}`
        : letter === undefined
          ? `[L${element.name};`
          : `[${letter}`;
    type = new JavaClass(name, 'array', element);
    type.parent = objectClass();
    arrays.set(element, type);
  }
  return dimensions > 1 ? arrayType(type, dimensions - 1) : type;
}
