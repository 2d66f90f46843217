import type { CallExpression, ClosureExpression, Expression, MapEntry, Parameter } from '../syntax/ast.ts';
import { GeneratorContext, isAnything } from './generator-context.ts';
import { numberLiteral } from './number-literal.ts';
import type { StaticKind } from './scope.ts';
import { TEXT_METHODS } from './text-methods.ts';

const COMPARISONS = new Set(['<', '<=', '>', '>=', '==', '!=', '===', '!==', 'in', '!in', '==~', '&&', '||']);
const INT_OPERATORS = new Set(['+', '-', '*', '&', '|', '^']);

/** Literals, closures and the little that is known of types. */
export abstract class ValueGenerator extends GeneratorContext {
  protected kindOf(node: Expression): StaticKind {
    switch (node.kind) {
      case 'number': {
        const literal = numberLiteral(node.text);
        return 'isInt' in literal && literal.isInt ? 'int' : 'unknown';
      }
      case 'constant':
        if (typeof node.value === 'boolean') return 'boolean';
        return typeof node.value === 'string' ? 'string' : 'unknown';
      case 'name':
        return this.scope.find(node.name)?.kind ?? 'unknown';
      case 'instanceof':
        return 'boolean';
      case 'unary':
        if (node.operator === '!') return 'boolean';
        return node.operator === '-' && this.kindOf(node.value) === 'int' ? 'int' : 'unknown';
      case 'binary':
        if (COMPARISONS.has(node.operator)) return 'boolean';
        if (node.operator === '<=>') return 'int';
        if (node.operator === '+' && this.kindOf(node.left) === 'string') return 'string';
        if (node.operator === '%') return this.#isIntRemainder(node) ? 'int' : 'unknown';
        if (!INT_OPERATORS.has(node.operator)) return 'unknown';
        return this.kindOf(node.left) === 'int' && this.kindOf(node.right) === 'int' ? 'int' : 'unknown';
      case 'call':
        return this.#kindOfCall(node);
      case 'choice': {
        const kind = this.kindOf(node.then ?? node.test);
        return kind === this.kindOf(node.otherwise) ? kind : 'unknown';
      }
      default:
        return 'unknown';
    }
  }

  /** Of the calls that the generator writes out itself. */
  #kindOfCall({ callee, args }: CallExpression): StaticKind {
    if (callee.kind !== 'property' || callee.access !== '.' || callee.isField || args.length > 0)
      return 'unknown';
    if (callee.object.kind === 'text' && callee.name === 'toString') return 'string';
    if (typeof callee.name !== 'string' || this.kindOf(callee.object) !== 'string') return 'unknown';
    return TEXT_METHODS[callee.name]?.kind ?? 'unknown';
  }

  #isIntRemainder({ left, right }: Expression & { kind: 'binary' }): boolean {
    return this.kindOf(left) === 'int' && right.kind === 'number' && /^[1-9]\d*$/.test(right.text);
  }

  /** As JavaScript's own truth. */
  protected truth(node: Expression): string {
    return this.truthOf(this.expression(node), this.kindOf(node));
  }

  protected truthOf(code: string, kind: StaticKind): string {
    switch (kind) {
      case 'boolean':
        return code;
      case 'int':
        return `((${code})!==0)`;
      case 'string':
        return `((${code})!=="")`;
      default:
        return `$.truth(${code})`;
    }
  }

  protected number(node: Expression & { kind: 'number' }): string {
    const literal = numberLiteral(node.text);
    if ('problem' in literal) throw this.source.errorAt(node.at, literal.problem);
    return literal.isShared ? this.constant(literal.code) : literal.code;
  }

  protected text(node: Expression & { kind: 'text' }): string {
    const values = node.values.map((value) => this.expression(value));
    return `new $.GString(${this.constant(JSON.stringify(node.strings))},[${values.join(',')}])`;
  }

  /** A text that is wanted as a String at once. */
  protected plainText({ strings, values }: Expression & { kind: 'text' }): string {
    const parts = values.map((value, index) => {
      const code =
        value.kind === 'closure'
          ? `$.toText(new $.GString(["",""],[${this.expression(value)}]))`
          : this.#partText(value);
      return `${code}+${JSON.stringify(strings[index + 1])}`;
    });
    return `(${[JSON.stringify(strings[0]), ...parts].join('+')})`;
  }

  /** A closure that a variable holds is asked for its text too. */
  #partText(node: Expression): string {
    const code = this.expression(node);
    return this.kindOf(node) === 'unknown' ? `$.partText(${code})` : code;
  }

  /** What is printed for a value. */
  protected asText(node: Expression): string {
    const code = this.expression(node);
    return this.kindOf(node) === 'unknown' ? `$.toText(${code})` : code;
  }

  protected items(nodes: readonly Expression[]): string {
    return nodes
      .map((node) =>
        node.kind === 'spread' ? `...$.spread(${this.expression(node.value)})` : this.expression(node),
      )
      .join(',');
  }

  protected map(entries: readonly MapEntry[]): string {
    if (entries.length === 0) return 'new $.JavaMap()';
    const names = entries.map(({ key }) => plainName(key));
    if (names.every((name) => name !== undefined) && new Set(names).size === names.length) {
      const members = entries.map(({ value }, at) => `${names[at]}:${this.expression(value)}`);
      return `new $.MapOfLiteral({${members.join(',')}})`;
    }
    if (entries.every(({ key }) => key !== undefined)) {
      const parts = entries.map(({ key, value }) => `${this.expression(key!)},${this.expression(value)}`);
      return `$.map([${parts.join(',')}])`;
    }
    const parts = entries.map(({ key, value }) => {
      if (key !== undefined) return `[${this.expression(key)},${this.expression(value)}]`;
      const spread = value.kind === 'spread' ? value.value : value;
      return `...$.spreadEntries(${this.expression(spread)})`;
    });
    return `$.map([${parts.join(',')}].flat())`;
  }

  protected closure({ parameters, body }: ClosureExpression): string {
    const { owner, self } = this.context;
    const { returns: _returns, yields: _yields, ...outer } = this.context;
    const code = this.inContext({ ...outer, owner: '$c' }, () =>
      this.inScope('closure', () => {
        if (parameters !== undefined)
          return this.parameterized(parameters, '$c', () => this.functionBody(body));
        this.scope.declare('it', { js: 'v$it', kind: 'unknown', isFinal: false, isField: false });
        return `($c,v$it)=>{${this.functionBody(body)}}`;
      }),
    );
    // A closure without parameters of its own may be given one, `it`.
    const shape = parameters === undefined ? '0,1' : this.shape(parameters);
    return `new $.Closure(${owner},${self},${code},${shape})`;
  }

  /** Least and most arguments, rest parameter, and the types when there are any. */
  protected shape(parameters: readonly Parameter[]): string {
    const least = parameters.filter(({ byDefault, isRest }) => byDefault === undefined && !isRest).length;
    const rest = parameters.at(-1);
    const isRest = rest !== undefined && (rest.isRest || (rest.type?.dimensions ?? 0) > 0);
    const isPlain = isTrailing(parameters.map(({ byDefault }) => byDefault !== undefined));
    const types =
      isPlain && parameters.some(({ type }) => type !== undefined && !isAnything(type))
        ? `,()=>[${parameters.map((parameter) => this.parameterType(parameter)).join(',')}]`
        : '';
    const needed = isRest && !rest.isRest && least === parameters.length ? least - 1 : least;
    return `${isRest ? needed : least},${parameters.length},${isRest}${types}`;
  }

  protected parameterType({ type, isRest }: Parameter): string {
    if (type === undefined || (isAnything(type) && !isRest)) return isRest ? this.objectArray() : 'null';
    return this.typeValue(isRest ? { ...type, dimensions: type.dimensions + 1 } : type);
  }

  protected objectArray(): string {
    return this.constant(`$.arrayType(${this.constant('$.type("java.lang.Object")')},1)`);
  }

  /** A JavaScript function; `first` is the parameter that the runtime itself fills. */
  protected parameterized(parameters: readonly Parameter[], first: string, body: () => string): string {
    const names: string[] = first === '' ? [] : [first];
    for (const { name, type, byDefault, isFinal = false, isRest, at } of parameters) {
      const value = byDefault === undefined ? undefined : this.expression(byDefault);
      const { js } = this.declareVariable(name, at, { type: isRest ? undefined : type, isFinal });
      names.push(value === undefined ? js : `${js}=${this.converted(value, type)}`);
    }
    const code = `(${names.join(',')})=>{${body()}}`;
    const defaults = parameters.map(({ byDefault }) => byDefault !== undefined);
    return isTrailing(defaults)
      ? code
      : `$.withDefaults([${defaults.join(',')}],${first === '' ? 0 : 1},${code})`;
  }
}

/** A key that is a member of an object as it is: objects put numbers first, and `__proto__` means something. */
function plainName(key: Expression | undefined): string | undefined {
  if (key?.kind !== 'constant' || typeof key.value !== 'string') return undefined;
  return /^[a-zA-Z_$]/.test(key.value) && key.value !== '__proto__' ? JSON.stringify(key.value) : undefined;
}

/** Whether all that can be left out come last. */
export function isTrailing(defaults: readonly boolean[]): boolean {
  const first = defaults.indexOf(true);
  return first < 0 || defaults.slice(first).every(Boolean);
}
