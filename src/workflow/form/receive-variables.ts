import { BadRequestError, didYouMean, PayloadTooLargeError } from '#errors/index.ts';
import { firstOf, formatPointer, type JsonObject } from '#json/index.ts';
import type {
  FormProperty,
  ProcessDefinition,
  StartEvent,
  UserTask,
  VariableWriter,
} from '../engine/index.ts';
import type { ExpressionScope } from '../expression/index.ts';
import { type FormViolation, submitForm } from './submit-form.ts';

/**
 * Who sends variables: the server itself, as for its scripts; somebody who may set what they like, because they may
 * change processes as well or because the process is said to accept anything; or any other caller.
 */
export type Sender = 'server' | 'trusted' | 'caller';

/** What anybody may hand over stands in lists that others read, many at once. */
const MOST_OF_CALLER = 65_536;
/** Names that a refusal tells of. */
const MOST_TOLD = 50;

export interface Reception {
  readonly process: ProcessDefinition;
  /** The start event or user task that takes the variables; undefined for a message, which has no form. */
  readonly step: StartEvent | UserTask | undefined;
  /** Variables that the process or a form has written. */
  readonly settled: ReadonlySet<string>;
  readonly sender: Sender;
  /** Whether scripts and expressions of the project know something else by that name. */
  readonly isBound: (name: string) => boolean;
  /** Where what is submitted must fit the form: what expressions of the form may see. */
  readonly checkedIn: ExpressionScope | undefined;
}

export interface Received {
  readonly variables: JsonObject;
  readonly writers: Readonly<Record<string, VariableWriter>>;
}

/**
 * What a caller hands over, as variables with who writes them. A step whose form declares fields takes those that can be
 * written, and no other; in a process with such forms a step without a form takes nothing. Where no form says what may be
 * written, anything may that neither the process nor a form has written before.
 *
 * @throws BadRequestError `WORKFLOW_NOT_WRITABLE` with the first 50 names at once; what `submitForm` throws
 * @throws PayloadTooLargeError `WORKFLOW_VARIABLES_TOO_LARGE` for more than a caller may hand over
 */
export async function receiveVariables(given: JsonObject, reception: Reception): Promise<Received> {
  const { step, checkedIn, sender } = reception;
  const properties = step?.formProperties ?? [];
  const free = undeclaredIn(given, properties, reception);
  if (sender === 'caller') {
    refuseMuch(given);
    refuseStrangers(free, reception);
  }
  const variables = checkedIn === undefined ? given : await submitForm(properties, given, checkedIn);
  const isFree = new Set(free);
  const writers = Object.keys(variables).flatMap((name): [string, VariableWriter][] => {
    if (!isFree.has(name)) return [[name, 'form']];
    return sender === 'server' ? [] : [[name, 'caller']];
  });
  return { variables, writers: Object.fromEntries(writers) };
}

function refuseMuch(given: JsonObject): void {
  const { length } = JSON.stringify(given);
  if (length <= MOST_OF_CALLER) return;
  throw new PayloadTooLargeError(
    `The variables have ${length} characters of JSON, and ${MOST_OF_CALLER} at most are taken`,
    {
      id: 'WORKFLOW_VARIABLES_TOO_LARGE',
      hint: 'Keep what is large in a managed object, and hand over its id',
    },
  );
}

/** Whether any step of the process says what may be written; then the others take nothing. */
export function declaresFields({ nodes }: ProcessDefinition): boolean {
  return [...nodes.values()].some((node) => 'formProperties' in node && node.formProperties.length > 0);
}

/** A start event or user task of which nobody has said what callers may write there. */
export function takesAnything(process: ProcessDefinition, step: StartEvent | UserTask): boolean {
  if (step.formProperties.length > 0) return false;
  return step.formKey !== undefined || !declaresFields(process);
}

/** Names that no writable field of the form stands for. */
function undeclaredIn(
  given: JsonObject,
  properties: readonly FormProperty[],
  { settled, checkedIn }: Reception,
): string[] {
  const writable = properties.filter(({ isWritable }) => isWritable);
  const targets = writable.flatMap(({ id, variable, expression }) =>
    variable === undefined && expression !== undefined ? [] : [variable ?? id],
  );
  const isField = (name: string) =>
    writable.some(({ id }) => id === name) &&
    // Unchecked, it becomes the variable of that name though another one is meant.
    (checkedIn !== undefined || !settled.has(name));
  return Object.keys(given).filter((name) => !targets.includes(name) && !isField(name));
}

function refuseStrangers(names: readonly string[], { process, step, settled, isBound }: Reception): void {
  const properties = step?.formProperties ?? [];
  const isOpen = step === undefined ? !declaresFields(process) : takesAnything(process, step);
  const isTaken = (name: string) => settled.has(name) || isOfProcess(process, name) || isBound(name);
  const refused = isOpen ? names.filter(isTaken) : names;
  if (refused.length === 0) return;
  const violations = refused.slice(0, MOST_TOLD).map((name) => ({
    field: formatPointer([name]),
    problem: problemOf(name, properties, isOpen),
    ...hintFor(name, properties),
  }));
  const more = refused.length - violations.length;
  const problems = [...violations.map(({ problem }) => problem), ...(more > 0 ? [`and ${more} more`] : [])];
  throw new BadRequestError(problems.join('; '), {
    id: 'WORKFLOW_NOT_WRITABLE',
    field: firstOf(violations).field,
    hint:
      firstOf(violations).hint ??
      'Only writable form properties of the step can be written; workflow.json, forms.acceptAny, names processes that take more',
    detail: { violations },
  });
}

/** Variables that the process brings along. */
function isOfProcess({ body }: ProcessDefinition, name: string): boolean {
  return body.dataObjects.some((object) => object.name === name);
}

function problemOf(name: string, properties: readonly FormProperty[], isOpen: boolean): string {
  if (isOpen) return `'${name}' belongs to the process and cannot be written`;
  const isKnown = properties.some(({ id, variable }) => id === name || variable === name);
  return isKnown ? `'${name}' cannot be written` : `'${name}' is no field of the form`;
}

function hintFor(name: string, properties: readonly FormProperty[]): Pick<FormViolation, 'hint'> {
  const hint = didYouMean(
    name,
    properties.filter(({ isWritable }) => isWritable).map(({ id }) => id),
  );
  return hint === undefined ? {} : { hint };
}
