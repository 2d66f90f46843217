import type { Expression } from '../syntax/ast.ts';
import { converted } from './class-references.ts';
import { mark } from './generated-text.ts';
import type { Generation } from './generation.ts';
import { kindOf } from './kinds.ts';
import { generateIndex } from './lists.ts';
import { generateName } from './names.ts';
import { INT_CODE, operandOf, operate } from './operators.ts';
import { ownField } from './properties.ts';
import type { StaticKind } from './scope.ts';

export function generateAssignment(g: Generation, node: Expression & { kind: 'assign' }): string {
  const { operator, target, value, at } = node;
  if (operator === '=') return assignTo(g, target, g.expression(value), at, kindOf(g, value));
  if (operator === '?=') {
    return generateUpdate(g, target, at, (old) => `$.truth(${old})?${old}:${g.expression(value)}`);
  }
  const binary = operator.slice(0, -1);
  const right = operandOf(g, value);
  const local = target.kind === 'name' ? g.scope.find(target.name) : undefined;
  const isInt = local?.kind === 'int';
  const kind = isInt && right.isInt && INT_CODE[binary] !== undefined ? 'int' : 'unknown';
  return generateUpdate(
    g,
    target,
    at,
    (old, isSimple) => operate(binary, { code: old, isInt, isSimple }, right, at),
    kind,
  );
}

function assignTo(
  g: Generation,
  target: Expression,
  value: string,
  at: number,
  kind: StaticKind = 'unknown',
): string {
  switch (target.kind) {
    case 'name': {
      const local = g.scope.find(target.name);
      if (local !== undefined) {
        if (local.isFinal) {
          throw g.source.errorAt(at, `The variable [${target.name}] is declared final but is reassigned`);
        }
        return `(${local.js}=${converted(g, value, local.type, kind)})`;
      }
      const own = ownField(g, target.name);
      if (own !== undefined) return `(${own}=${convertedField(g, target.name, value)})`;
      const { owner } = g.context;
      g.notes.assign(target.name);
      return `${mark(at)}$.setName(${owner},${g.free(target.name)},${value})`;
    }
    case 'property': {
      const { object, name, access, isField } = target;
      const key = typeof name === 'string' ? JSON.stringify(name) : `$.toText(${g.expression(name)})`;
      if (object.kind === 'this' && typeof name === 'string') {
        const own = ownField(g, name);
        if (own !== undefined) return `(${own}=${convertedField(g, name, value)})`;
      }
      const set = isField ? 'setField' : access === '?.' ? 'setPropertySafe' : 'setProperty';
      return `${mark(at)}$.${set}(${g.expression(object)},${key},${value})`;
    }
    case 'index': {
      const place = `${g.expression(target.object)},${generateIndex(g, target.args)}`;
      if (!target.args.some(({ kind }) => kind === 'call' || kind === 'step'))
        return `${mark(at)}$.setIndex(${place},${value})`;
      // The value comes before the place where it goes.
      const kept = g.variable();
      return `(${kept}=${value},${mark(at)}$.setIndex(${place},${kept}))`;
    }
    default:
      throw g.source.errorAt(target.at, 'Only a variable, a property or an index can be assigned to');
  }
}

function convertedField(g: Generation, name: string, value: string): string {
  return converted(g, value, g.context.declaration?.fields.find((field) => field.name === name)?.type);
}

/** Reads once, writes once. `compute` gets the JavaScript of the old value. */
function generateUpdate(
  g: Generation,
  target: Expression,
  at: number,
  compute: (old: string, isSimple: boolean) => string,
  kind: StaticKind = 'unknown',
): string {
  switch (target.kind) {
    case 'name':
      return assignTo(
        g,
        target,
        compute(generateName(g, target.name, target.at), g.scope.find(target.name) !== undefined),
        at,
        kind,
      );
    case 'property': {
      const { object, name } = target;
      const own = object.kind === 'this' && typeof name === 'string' ? ownField(g, name) : undefined;
      if (own !== undefined) return `(${own}=${convertedField(g, String(name), compute(own, false))})`;
      const key = typeof name === 'string' ? JSON.stringify(name) : `$.toText(${g.expression(name)})`;
      const old = g.temporary();
      const update = target.isField ? 'updateField' : 'updateProperty';
      return `${mark(at)}$.${update}(${g.expression(object)},${key},${old}=>${compute(old, true)})`;
    }
    case 'index': {
      const old = g.temporary();
      const receiver = g.expression(target.object);
      return `${mark(at)}$.updateIndex(${receiver},${generateIndex(g, target.args)},${old}=>${compute(old, true)})`;
    }
    default:
      throw g.source.errorAt(target.at, 'Only a variable, a property or an index can be assigned to');
  }
}

/** `++` and `--`; the old value is kept only when somebody wants it. */
export function generateStep(
  g: Generation,
  node: Expression & { kind: 'step' },
  isValueWanted: boolean,
): string {
  const { operator, isPrefix, target, at } = node;
  const step = operator === '++' ? 'next' : 'previous';
  const local = target.kind === 'name' ? g.scope.find(target.name) : undefined;
  if (local?.kind === 'int' && !local.isFinal) {
    g.notes.use(local);
    const [sign, back] = operator === '++' ? ['+', '-'] : ['-', '+'];
    const changed = `(${local.js}=${local.js}${sign}1|0)`;
    return isPrefix || !isValueWanted ? changed : `(${changed}${back}1|0)`;
  }
  const isAssignable = target.kind === 'name' || target.kind === 'property' || target.kind === 'index';
  if (!isAssignable) return `${mark(at)}$.${step}(${g.expression(target)})`;
  if (isPrefix || !isValueWanted) return generateUpdate(g, target, at, (old) => `$.${step}(${old})`);
  const kept = g.variable();
  const update = generateUpdate(g, target, at, (old) => `$.${step}(${kept}=${old})`);
  return `(${update},${kept})`;
}

export function assignMany(g: Generation, targets: readonly Expression[], value: string): string {
  const list = g.variable();
  const parts = targets.map((target, index) => assignTo(g, target, `$.itemOf(${list},${index})`, target.at));
  return `(${list}=${value},${parts.join(',')},${list})`;
}
