import type { Expression } from '../syntax/ast.ts';
import { mark } from './generated-text.ts';
import { INT_CODE, OperatorGenerator } from './operator-generator.ts';
import type { StaticKind } from './scope.ts';

/** What changes a variable, a property or what stands at an index. */
export abstract class AssignmentGenerator extends OperatorGenerator {
  protected assign(node: Expression & { kind: 'assign' }): string {
    const { operator, target, value, at } = node;
    if (operator === '=') return this.assignTo(target, this.expression(value), at, this.kindOf(value));
    if (operator === '?=') {
      return this.#update(target, at, (old) => `$.truth(${old})?${old}:${this.expression(value)}`);
    }
    const binary = operator.slice(0, -1);
    const right = this.operand(value);
    const local = target.kind === 'name' ? this.scope.find(target.name) : undefined;
    const isInt = local?.kind === 'int';
    const kind = isInt && right.isInt && INT_CODE[binary] !== undefined ? 'int' : 'unknown';
    return this.#update(
      target,
      at,
      (old, isSimple) => this.operate(binary, { code: old, isInt, isSimple }, right, at),
      kind,
    );
  }

  protected assignTo(target: Expression, value: string, at: number, kind: StaticKind = 'unknown'): string {
    switch (target.kind) {
      case 'name': {
        const local = this.scope.find(target.name);
        if (local !== undefined) {
          if (local.isFinal) {
            throw this.source.errorAt(
              at,
              `The variable [${target.name}] is declared final but is reassigned`,
            );
          }
          return `(${local.js}=${this.converted(value, local.type, kind)})`;
        }
        const own = this.ownField(target.name);
        if (own !== undefined) return `(${own}=${this.#convertedField(target.name, value)})`;
        const { owner } = this.context;
        return `${mark(at)}$.setName(${owner},${this.free(target.name)},${value})`;
      }
      case 'property': {
        const { object, name, access, isField } = target;
        const key = typeof name === 'string' ? JSON.stringify(name) : `$.toText(${this.expression(name)})`;
        if (object.kind === 'this' && typeof name === 'string') {
          const own = this.ownField(name);
          if (own !== undefined) return `(${own}=${this.#convertedField(name, value)})`;
        }
        const set = isField ? 'setField' : access === '?.' ? 'setPropertySafe' : 'setProperty';
        return `${mark(at)}$.${set}(${this.expression(object)},${key},${value})`;
      }
      case 'index': {
        const place = `${this.expression(target.object)},${this.indexValue(target.args)}`;
        if (!target.args.some(({ kind }) => kind === 'call' || kind === 'step'))
          return `${mark(at)}$.setIndex(${place},${value})`;
        // The value comes before the place where it goes.
        const kept = this.variable();
        return `(${kept}=${value},${mark(at)}$.setIndex(${place},${kept}))`;
      }
      default:
        throw this.source.errorAt(target.at, 'Only a variable, a property or an index can be assigned to');
    }
  }

  #convertedField(name: string, value: string): string {
    return this.converted(value, this.context.declaration?.fields.find((field) => field.name === name)?.type);
  }

  /** Reads once, writes once. `compute` gets the JavaScript of the old value. */
  #update(
    target: Expression,
    at: number,
    compute: (old: string, isSimple: boolean) => string,
    kind: StaticKind = 'unknown',
  ): string {
    switch (target.kind) {
      case 'name':
        return this.assignTo(
          target,
          compute(this.name(target.name, target.at), this.scope.find(target.name) !== undefined),
          at,
          kind,
        );
      case 'property': {
        const { object, name } = target;
        const own = object.kind === 'this' && typeof name === 'string' ? this.ownField(name) : undefined;
        if (own !== undefined) return `(${own}=${this.#convertedField(String(name), compute(own, false))})`;
        const key = typeof name === 'string' ? JSON.stringify(name) : `$.toText(${this.expression(name)})`;
        const old = this.temporary();
        const update = target.isField ? 'updateField' : 'updateProperty';
        return `${mark(at)}$.${update}(${this.expression(object)},${key},${old}=>${compute(old, true)})`;
      }
      case 'index': {
        const old = this.temporary();
        const receiver = this.expression(target.object);
        return `${mark(at)}$.updateIndex(${receiver},${this.indexValue(target.args)},${old}=>${compute(old, true)})`;
      }
      default:
        throw this.source.errorAt(target.at, 'Only a variable, a property or an index can be assigned to');
    }
  }

  /** `++` and `--`; the old value is kept only when somebody wants it. */
  protected step(node: Expression & { kind: 'step' }, isValueWanted: boolean): string {
    const { operator, isPrefix, target, at } = node;
    const step = operator === '++' ? 'next' : 'previous';
    const local = target.kind === 'name' ? this.scope.find(target.name) : undefined;
    if (local?.kind === 'int' && !local.isFinal) {
      const [sign, back] = operator === '++' ? ['+', '-'] : ['-', '+'];
      const changed = `(${local.js}=${local.js}${sign}1|0)`;
      return isPrefix || !isValueWanted ? changed : `(${changed}${back}1|0)`;
    }
    const isAssignable = target.kind === 'name' || target.kind === 'property' || target.kind === 'index';
    if (!isAssignable) return `${mark(at)}$.${step}(${this.expression(target)})`;
    if (isPrefix || !isValueWanted) return this.#update(target, at, (old) => `$.${step}(${old})`);
    const kept = this.variable();
    const update = this.#update(target, at, (old) => `$.${step}(${kept}=${old})`);
    return `(${update},${kept})`;
  }

  protected assignMany(targets: readonly Expression[], value: string): string {
    const list = this.variable();
    const parts = targets.map((target, index) =>
      this.assignTo(target, `$.itemOf(${list},${index})`, target.at),
    );
    return `(${list}=${value},${parts.join(',')},${list})`;
  }

  protected indexValue(args: readonly Expression[]): string {
    const [first] = args;
    return args.length === 1 && first!.kind !== 'spread' ? this.expression(first!) : `[${this.items(args)}]`;
  }
}
