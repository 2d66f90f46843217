import type { TypeName } from '../syntax/ast.ts';

/** What the compiler knows about the values of an expression. */
export type StaticKind = 'int' | 'boolean' | 'string' | 'unknown';

export interface Local {
  /** Its name in the generated code. */
  readonly js: string;
  readonly type?: TypeName;
  readonly kind: StaticKind;
  readonly isFinal: boolean;
  /** Script methods see it. */
  readonly isField: boolean;
}

type ScopeKind = 'script' | 'method' | 'closure' | 'block';

/** The variables that a place in the script sees. Methods see nothing of what stands around them, closures all. */
export class Scope {
  readonly kind: ScopeKind;
  readonly parent: Scope | undefined;
  readonly #locals = new Map<string, Local>();

  constructor(kind: ScopeKind, parent?: Scope) {
    this.kind = kind;
    this.parent = parent;
  }

  find(name: string): Local | undefined {
    let hidesLocals = false;
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) {
      const local = scope.#locals.get(name);
      if (local !== undefined && (!hidesLocals || local.isField)) return local;
      if (scope.kind === 'method') hidesLocals = true;
    }
    return undefined;
  }

  /** Whether the name is taken for a declaration here. */
  isTaken(name: string): boolean {
    const found = this.find(name);
    return found !== undefined && (!found.isField || this.kind === 'script');
  }

  declare(name: string, local: Local): Local {
    this.#locals.set(name, local);
    return local;
  }
}

/** A name as part of a JavaScript identifier. */
export function mangle(name: string): string {
  return name.replace(/[^\w$]/gu, (char) => `$${char.codePointAt(0)!.toString(16)}$`);
}
