import type { FormProperty, ProcessDefinition, StartEvent, UserTask } from '../engine/index.ts';
import type { Expression } from '../expression/index.ts';
import { DATE_PATTERN } from './form-value.ts';

/**
 * Forms as clients of the process resources know them. The start form is a list, the form of a task
 * definition an object around such a list, and the two write the type differently.
 */

export interface PropertyFacts<Type> {
  readonly _id: string;
  readonly name: string | null;
  readonly type: Type;
  readonly readable: boolean;
  readonly required: boolean;
  readonly writable: boolean;
  readonly variableName: string | null;
  readonly variableExpression: ExpressionText | null;
  readonly defaultExpression: ExpressionText | null;
}

export interface ExpressionText {
  readonly expressionText: string;
}

/** Choices by id, in the order of the file. */
type Choices = Readonly<Record<string, string>>;

export type StartType =
  | { readonly name: string; readonly values: Choices | null; readonly datePattern: string | null }
  | Record<string, never>;

export type TaskType = {
  readonly name: string;
  readonly values?: Choices;
  readonly datePattern?: string;
  readonly mimeType?: string;
};

export interface TaskForm {
  readonly deploymentId: string;
  readonly formKey: ExpressionText | null;
  readonly formPropertyHandlers: readonly PropertyFacts<TaskType | null>[];
}

/** The form of the none start event; empty when there is none. */
export function describeStartForm(definition: ProcessDefinition): {
  readonly formKey: string | null;
  readonly formProperties: readonly PropertyFacts<StartType>[];
} {
  const start = noneStart(definition);
  return {
    formKey: start?.formKey ?? null,
    formProperties: (start?.formProperties ?? []).map((property) => describe(property, startType(property))),
  };
}

export function describeTaskForm(task: UserTask, deploymentId: string): TaskForm {
  return {
    deploymentId,
    formKey: expressionText(task.formKey),
    formPropertyHandlers: task.formProperties.map((property) => describe(property, taskType(property))),
  };
}

export function noneStart({ body, nodes }: ProcessDefinition): StartEvent | undefined {
  for (const id of body.starts) {
    const node = nodes.get(id);
    if (node?.kind === 'startEvent' && node.trigger === undefined) return node;
  }
  return undefined;
}

function describe<Type>(property: FormProperty, type: Type): PropertyFacts<Type> {
  return {
    _id: property.id,
    name: property.name ?? null,
    type,
    readable: property.isReadable,
    required: property.isRequired,
    writable: property.isWritable,
    variableName: property.variable ?? null,
    variableExpression: expressionText(property.expression),
    defaultExpression: expressionText(property.default),
  };
}

function startType(property: FormProperty): StartType {
  if (property.type === undefined) return {};
  return { name: property.type, values: choices(property), datePattern: datePattern(property) };
}

function taskType(property: FormProperty): TaskType | null {
  const { type: name } = property;
  if (name === undefined) return null;
  const values = choices(property);
  const pattern = datePattern(property);
  return {
    name,
    ...(values === null ? {} : { values }),
    ...(pattern === null ? {} : { datePattern: pattern }),
    // "plain/text" is a slip of the engine this is compatible with; clients have seen nothing else.
    ...(name === 'string'
      ? { mimeType: 'text/plain' }
      : name === 'boolean'
        ? { mimeType: 'plain/text' }
        : {}),
  };
}

function choices({ type, values }: FormProperty): Choices | null {
  return type === 'enum' ? Object.fromEntries(values.map(({ id, name }) => [id, name])) : null;
}

function datePattern(property: FormProperty): string | null {
  return property.type === 'date' ? (property.datePattern ?? DATE_PATTERN) : null;
}

function expressionText(expression: Expression | undefined): ExpressionText | null {
  return expression === undefined ? null : { expressionText: expression.text };
}
