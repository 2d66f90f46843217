/** The tree of a script. Every node knows the offset in the source where it begins. */

export interface TypeName {
  /** The name as it is written, without type arguments. */
  readonly name: string;
  /** Pairs of brackets behind it. */
  readonly dimensions: number;
  readonly at: number;
}

export type Expression =
  | { readonly kind: 'constant'; readonly value: null | boolean | string; readonly at: number }
  | { readonly kind: 'number'; readonly text: string; readonly at: number }
  | {
      readonly kind: 'text';
      readonly strings: readonly string[];
      readonly values: readonly Expression[];
      readonly at: number;
    }
  | { readonly kind: 'name'; readonly name: string; readonly at: number }
  | { readonly kind: 'this' | 'super'; readonly at: number }
  | { readonly kind: 'list'; readonly items: readonly Expression[]; readonly at: number }
  | { readonly kind: 'map'; readonly entries: readonly MapEntry[]; readonly at: number }
  | { readonly kind: 'spread'; readonly value: Expression; readonly at: number }
  | ClosureExpression
  | PropertyExpression
  | IndexExpression
  | CallExpression
  | {
      readonly kind: 'new';
      readonly type: TypeName;
      readonly args: readonly Argument[];
      readonly body?: ClassDeclaration;
      readonly at: number;
    }
  | {
      readonly kind: 'newArray';
      readonly type: TypeName;
      readonly sizes: readonly Expression[];
      readonly items?: Expression;
      readonly at: number;
    }
  | {
      readonly kind: 'methodPointer';
      readonly object: Expression;
      readonly name: string | Expression;
      readonly at: number;
    }
  | { readonly kind: 'unary'; readonly operator: string; readonly value: Expression; readonly at: number }
  | {
      readonly kind: 'step';
      readonly operator: '++' | '--';
      readonly isPrefix: boolean;
      readonly target: Expression;
      readonly at: number;
    }
  | {
      readonly kind: 'binary';
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
      readonly at: number;
    }
  | {
      readonly kind: 'range';
      readonly from: Expression;
      readonly to: Expression;
      readonly opensLeft: boolean;
      readonly opensRight: boolean;
      readonly at: number;
    }
  | {
      readonly kind: 'choice';
      readonly test: Expression;
      /** Absent in `a ?: b`. */
      readonly then?: Expression;
      readonly otherwise: Expression;
      readonly at: number;
    }
  | {
      readonly kind: 'assign';
      readonly operator: string;
      readonly target: Expression;
      readonly value: Expression;
      readonly at: number;
    }
  | {
      readonly kind: 'assignMany';
      readonly targets: readonly Expression[];
      readonly value: Expression;
      readonly at: number;
    }
  | {
      readonly kind: 'cast' | 'as';
      readonly type: TypeName;
      readonly value: Expression;
      readonly at: number;
    }
  | {
      readonly kind: 'instanceof';
      readonly type: TypeName;
      readonly value: Expression;
      readonly isNegated: boolean;
      readonly at: number;
    }
  | { readonly kind: 'switchValue'; readonly statement: SwitchStatement; readonly at: number };

/** A key that is not a constant, `(k)` or a text with values, is computed; without a key the entry is `*:map`. */
export interface MapEntry {
  readonly key?: Expression;
  readonly value: Expression;
}

/** `name: value` in a call; named arguments become one map in front of the others. */
export interface Argument {
  readonly key?: Expression;
  readonly value: Expression;
}

export interface Parameter {
  readonly name: string;
  readonly type?: TypeName;
  readonly byDefault?: Expression;
  readonly isFinal?: boolean;
  readonly isRest: boolean;
  readonly at: number;
}

export interface ClosureExpression {
  readonly kind: 'closure';
  /** Absent: one parameter `it` that may be left out. */
  readonly parameters?: readonly Parameter[];
  readonly body: readonly Statement[];
  readonly at: number;
}

export interface PropertyExpression {
  readonly kind: 'property';
  readonly object: Expression;
  readonly name: string | Expression;
  readonly access: '.' | '?.' | '*.';
  /** `.@`: the field itself. */
  readonly isField: boolean;
  readonly at: number;
}

export interface IndexExpression {
  readonly kind: 'index';
  readonly object: Expression;
  readonly args: readonly Expression[];
  readonly isSafe: boolean;
  readonly at: number;
}

export interface CallExpression {
  readonly kind: 'call';
  /** A name, a property (a method call) or any value with a `call` method. */
  readonly callee: Expression;
  readonly args: readonly Argument[];
  readonly at: number;
}

export type Statement =
  | { readonly kind: 'expression'; readonly value: Expression; readonly at: number }
  | VariableStatement
  | { readonly kind: 'block'; readonly body: readonly Statement[]; readonly at: number }
  | {
      readonly kind: 'if';
      readonly test: Expression;
      readonly then: Statement;
      readonly otherwise?: Statement;
      readonly at: number;
    }
  | { readonly kind: 'while'; readonly test: Expression; readonly body: Statement; readonly at: number }
  | { readonly kind: 'doWhile'; readonly test: Expression; readonly body: Statement; readonly at: number }
  | {
      readonly kind: 'for';
      readonly start: readonly Statement[];
      readonly test?: Expression;
      readonly steps: readonly Expression[];
      readonly body: Statement;
      readonly at: number;
    }
  | {
      readonly kind: 'forIn';
      readonly variable: Parameter;
      readonly list: Expression;
      readonly body: Statement;
      readonly at: number;
    }
  | SwitchStatement
  | TryStatement
  | { readonly kind: 'return'; readonly value?: Expression; readonly at: number }
  | { readonly kind: 'throw'; readonly value: Expression; readonly at: number }
  | { readonly kind: 'break' | 'continue'; readonly label?: string; readonly at: number }
  | {
      readonly kind: 'assert';
      readonly test: Expression;
      readonly text: string;
      readonly message?: Expression;
      readonly at: number;
    }
  | { readonly kind: 'labeled'; readonly label: string; readonly body: Statement; readonly at: number }
  | { readonly kind: 'yield'; readonly value: Expression; readonly at: number }
  | ClassDeclaration
  | MethodDeclaration;

export interface VariableStatement {
  readonly kind: 'variable';
  readonly variables: readonly Variable[];
  /** `def (a, b) = value`. */
  readonly shared?: Expression;
  readonly isFinal: boolean;
  /** `@Field`: the variable belongs to the script, and its methods see it. */
  readonly isField: boolean;
  readonly at: number;
}

export interface Variable {
  readonly name: string;
  readonly type?: TypeName;
  readonly value?: Expression;
  readonly at: number;
}

export interface SwitchStatement {
  readonly kind: 'switch';
  readonly value: Expression;
  readonly cases: readonly SwitchCase[];
  readonly at: number;
}

export interface SwitchCase {
  /** Empty: `default`. */
  readonly tests: readonly Expression[];
  readonly isArrow: boolean;
  readonly body: readonly Statement[];
  readonly at: number;
}

export interface TryStatement {
  readonly kind: 'try';
  /** Declarations and values that are closed behind the body, the last first. */
  readonly resources: readonly Statement[];
  readonly body: readonly Statement[];
  readonly handlers: readonly Handler[];
  readonly finalizer?: readonly Statement[];
  readonly at: number;
}

export interface Handler {
  /** Empty: every Exception. */
  readonly types: readonly TypeName[];
  readonly name: string;
  readonly body: readonly Statement[];
  readonly at: number;
}

export interface MethodDeclaration {
  readonly kind: 'method';
  /** `<init>` for constructors. */
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly returns?: TypeName;
  /** Absent for abstract methods. */
  readonly body?: readonly Statement[];
  readonly modifiers: ReadonlySet<string>;
  readonly at: number;
}

export interface FieldDeclaration {
  readonly name: string;
  readonly type?: TypeName;
  readonly value?: Expression;
  readonly modifiers: ReadonlySet<string>;
  readonly at: number;
}

export interface EnumConstant {
  readonly name: string;
  readonly args: readonly Argument[];
  readonly body?: ClassDeclaration;
  readonly at: number;
}

export interface ClassDeclaration {
  readonly kind: 'class';
  readonly form: 'class' | 'interface' | 'enum';
  readonly name: string;
  readonly modifiers: ReadonlySet<string>;
  readonly parent?: TypeName;
  readonly interfaces: readonly TypeName[];
  readonly constants: readonly EnumConstant[];
  readonly fields: readonly FieldDeclaration[];
  readonly methods: readonly MethodDeclaration[];
  readonly classes: readonly ClassDeclaration[];
  readonly initializers: readonly { readonly isStatic: boolean; readonly body: readonly Statement[] }[];
  /** The only classes that may extend it, where it is sealed. */
  readonly permits?: readonly TypeName[];
  readonly at: number;
}

export interface Import {
  readonly name: string;
  readonly alias?: string;
  readonly isStatic: boolean;
  /** `import a.b.*`. */
  readonly isStar: boolean;
  readonly at: number;
}

export interface Script {
  readonly newified: ReadonlySet<string>;
  /** Groovy that annotations stand for; what it names is needed too. */
  readonly added: string;
  readonly imports: readonly Import[];
  /** The names that classes and methods declare between `<` and `>`; they stand for any class. */
  readonly typeVariables: ReadonlySet<string>;
  readonly body: readonly Statement[];
}
