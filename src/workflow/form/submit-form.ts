import { BadRequestError, didYouMean } from '#errors/index.ts';
import {
  firstOf,
  formatPointer,
  getMember,
  isObject,
  isSecretName,
  type JsonObject,
  type JsonValue,
  setMember,
} from '#json/index.ts';
import type { FormProperty } from '../engine/index.ts';
import { assign, type ExpressionScope, evaluate, toJson } from '../expression/index.ts';
import { fromForm } from './form-value.ts';

/** One reason for which a submission is refused. */
export interface FormViolation {
  /** JSON pointer into the submitted object. */
  readonly field: string;
  readonly problem: string;
  readonly hint?: string;
}

/**
 * Checks what was submitted against the form and gives the variables it becomes: under their variable
 * name, in their type, with defaults for what was left out. What the form does not know stays as it is.
 *
 * @throws BadRequestError `WORKFLOW_FORM` with all violations at once; ExpressionError of a default
 */
export async function submitForm(
  properties: readonly FormProperty[],
  submitted: JsonObject,
  scope: ExpressionScope,
): Promise<JsonObject> {
  const known = new Set(properties.map(({ id }) => id));
  const variables: JsonObject = {};
  for (const [name, value] of Object.entries(submitted)) {
    if (!known.has(name)) setMember(variables, name, value);
  }
  const violations: FormViolation[] = [];
  for (const property of properties) {
    const given = getMember(submitted, property.id) ?? null;
    const problem = refusal(property, given, submitted);
    if (problem !== undefined) {
      violations.push(problem);
    } else if (given !== null) {
      await store(property, convert(property, given, violations), variables, scope);
    } else if (property.default !== undefined && !Object.hasOwn(submitted, property.id)) {
      const value = toJson(await evaluate(property.default, scope));
      await store(property, convert(property, value, violations), variables, scope);
    } else if (Object.hasOwn(submitted, property.id)) {
      await store(property, null, variables, scope);
    }
  }
  if (violations.length > 0) throw refuse(violations);
  return variables;
}

function refusal(property: FormProperty, given: JsonValue, submitted: JsonObject): FormViolation | undefined {
  const field = fieldOf(property);
  if (!property.isWritable && Object.hasOwn(submitted, property.id)) {
    return { field, problem: `'${property.id}' cannot be written` };
  }
  const isMissing = given === null || given === '';
  const hasDefault = property.default !== undefined && !Object.hasOwn(submitted, property.id);
  if (!property.isRequired || !property.isWritable || !isMissing || hasDefault) return undefined;
  const others = Object.keys(submitted).filter((name) => name !== property.id);
  const hint = didYouMean(property.id, others);
  return { field, problem: `'${property.id}' is required`, ...(hint === undefined ? {} : { hint }) };
}

function convert(property: FormProperty, given: JsonValue, violations: FormViolation[]): JsonValue {
  if (given === null) return null;
  const conversion = fromForm(property, given);
  if ('value' in conversion) return conversion.value;
  const { problem, hint } = conversion;
  violations.push({
    field: fieldOf(property),
    problem: `'${property.id}' is ${shown(property, given)}, which ${problem}`,
    ...(hint === undefined ? {} : { hint }),
  });
  return null;
}

async function store(
  property: FormProperty,
  value: JsonValue,
  variables: JsonObject,
  scope: ExpressionScope,
): Promise<void> {
  if (property.variable === undefined && property.expression !== undefined) {
    const known: ExpressionScope = {
      find: (name) => getMember(variables, name) ?? scope.find(name),
      findVariable: (name) => getMember(variables, name) ?? scope.findVariable(name),
    };
    const assigned = await assign(property.expression, value, known);
    setMember(variables, assigned.name, assigned.value);
  } else {
    setMember(variables, property.variable ?? property.id, value);
  }
}

function refuse(violations: readonly FormViolation[]): BadRequestError {
  const first = firstOf(violations);
  const message = violations.map(({ problem }) => problem).join('; ');
  return new BadRequestError(`The form was not filled in right: ${message}`, {
    id: 'WORKFLOW_FORM',
    field: first.field,
    ...(first.hint === undefined ? {} : { hint: first.hint }),
    detail: { violations: violations.map((violation) => ({ ...violation })) },
  });
}

function fieldOf({ id }: FormProperty): string {
  return formatPointer([id]);
}

/** Whatever is in an object may be secret. */
function shown({ id }: FormProperty, value: JsonValue): string {
  if (isSecretName(id)) return 'what was given';
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
