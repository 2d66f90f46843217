import type { Argument, PropertyExpression } from '../syntax/ast.ts';
import type { Local, Scope } from './scope.ts';

/** A name, and where it stands in the source, from 0. */
interface Mention {
  readonly name: string;
  readonly at: number;
}

interface FreeName extends Mention {
  /** It is called, so that a method of all scripts may be meant. */
  readonly isCalled: boolean;
}

/** Such as `svc.read(path)`: a member of a name that the script does not declare. */
interface MemberUse extends Mention {
  readonly object: string;
  /** How many arguments it is called with; undefined where that is not to be seen. */
  readonly given: number | undefined;
  /** How many of these arguments are closures written out in the call. */
  readonly functions: number;
}

/** What a script does with names, for whoever looks for mistakes. */
export interface NameUses {
  /** Names that it reads and does not declare; not those in classes, nor in closures, where somebody else may know them. */
  readonly free: readonly FreeName[];
  /** Names that it assigns and does not declare, which makes variables of them. */
  readonly assigned: ReadonlySet<string>;
  /** Variables that it declares and never reads. */
  readonly unused: readonly (Mention & { readonly isTop: boolean })[];
  readonly members: readonly MemberUse[];
}

/** Notes the uses of names while a script is generated. */
export class NoteUses {
  readonly #text: string;
  readonly #free: FreeName[] = [];
  readonly #assigned = new Set<string>();
  readonly #declared = new Map<Local, Mention & { readonly isTop: boolean }>();
  readonly #members: MemberUse[] = [];

  /** @param text of the script */
  constructor(text: string) {
    this.#text = text;
  }

  read(name: string, at: number): void {
    this.#free.push({ name, at, isCalled: false });
  }

  /** A call such as `greet(who)`; one whose name is a text may be meant for anything. */
  callFree(name: string, at: number): void {
    if (this.#text.startsWith(name, at)) this.#free.push({ name, at, isCalled: true });
  }

  assign(name: string): void {
    this.#assigned.add(name);
  }

  declare(local: Local, name: string, at: number, { kind }: Scope): void {
    this.#declared.set(local, { name, at, isTop: kind === 'script' });
  }

  use(local: Local): void {
    this.#declared.delete(local);
  }

  call({ object, name, at }: PropertyExpression, args: readonly Argument[]): void {
    if (object.kind !== 'name' || typeof name !== 'string') return;
    const isPlain = args.every(({ key, value }) => key === undefined && value.kind !== 'spread');
    this.#members.push({
      object: object.name,
      name,
      // The property begins at its dot.
      at: this.#text.indexOf(name, at),
      given: isPlain ? args.length : undefined,
      functions: args.filter(({ value }) => value.kind === 'closure').length,
    });
  }

  get uses(): NameUses {
    const unused = [...this.#declared.values()].filter(({ name }) => !name.startsWith('_'));
    return { free: this.#free, assigned: this.#assigned, unused, members: this.#members };
  }
}
