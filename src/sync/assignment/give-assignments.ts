import { BadRequestError, NotFoundError } from '#errors/index.ts';
import { cloneJson, equalJson, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { parseScriptReference, type ScriptReference } from '#script/index.ts';
import type { Provenance, Sides } from '../map-properties.ts';
import { runScript } from '../mapping-scripts.ts';
import type { Scope } from '../stage.ts';
import {
  type Assignment,
  type Attribute,
  assign,
  assignmentsFor,
  attributesOf,
  type Targets,
  unassign,
  unassignments,
} from './assign.ts';

/** The scripts with which mappings of the field give assignments and remember them, and prepare a reconciliation, which the server does itself. */
const SHIPPED =
  /^(?:bin\/defaults\/script\/)?(roles\/(?:defaultMapping(?:\.js)?|(?:defaultPostMapping|onRecon)(?:\.groovy)?))$/;

const EFFECTIVE = 'effectiveAssignments';

/** Whether a reference means what the server does itself: a project may have a script of its own under that name. */
export async function isShipped(
  { platform }: Pick<Scope, 'platform'>,
  reference: ScriptReference,
): Promise<boolean> {
  const name = SHIPPED.exec(reference.file ?? '')?.[1];
  if (name === undefined) return false;
  try {
    await platform.scriptFiles.get(name);
    return false;
  } catch (error) {
    if (error instanceof NotFoundError) return true;
    throw error;
  }
}

/** What assignments have done. */
export interface Given {
  /** The assignments in effect, to be remembered. */
  readonly assignments: readonly Assignment[];
  readonly provenance: Provenance;
}

/**
 * Has the target follow the assignments of the source: takes back what is not in effect any more or has changed, and gives what is.
 *
 * @param remembered those that were in effect when the target was written last
 */
export async function giveAssignments(scope: Scope, sides: Sides, remembered: JsonValue): Promise<Given> {
  const { mapping, qualifier } = scope;
  const { source, oldTarget } = sides;
  const now = assignmentsFor(effectiveOf(scope, source), mapping.name, qualifier);
  const before = assignmentsFor(remembered, mapping.name, qualifier);
  const targets: Targets = { target: sides.target, existing: cloneJson(oldTarget ?? {}) };
  const provenance: Provenance = {};
  const note = (assignment: Assignment, names: readonly string[]) => {
    for (const name of names) provenance[`/${name}`] = { rule: `assignment ${nameOf(assignment)}` };
  };
  for (const { assignment, attributes, isGone } of unassignments(before, now)) {
    note(assignment, unassign(targets, attributes));
    if (isGone)
      await runOwn(scope, sides, targets, assignment, attributes, ['onUnassignment', 'unAssignment']);
  }
  const given = new Set<string>();
  for (const assignment of now) {
    const attributes = attributesOf(assignment);
    assign(targets, attributes, given);
    note(
      assignment,
      attributes.map(({ name }) => name),
    );
    await runOwn(scope, sides, targets, assignment, attributes, ['onAssignment']);
  }
  return { assignments: now, provenance };
}

/**
 * The assignments in effect, only where the type of the source calculates them: else whoever may write a source would
 * write its target with the rights of the server.
 */
function effectiveOf({ platform, mapping }: Scope, source: JsonObject): JsonValue | undefined {
  return platform.mappings.calculates(mapping.source, EFFECTIVE) ? source[EFFECTIVE] : undefined;
}

async function runOwn(
  scope: Scope,
  { source }: Sides,
  { target, existing }: Targets,
  assignment: Assignment,
  attributes: readonly Attribute[],
  names: readonly string[],
): Promise<void> {
  const name = names.find((one) => (assignment[one] ?? null) !== null);
  if (name === undefined) return;
  const { bindings } = await runScript(
    scope,
    {
      use: 'assignment',
      reference: ownScript(assignment, name),
      what: `assignment ${nameOf(assignment)} ${name}`,
      bindings: {
        sourceObject: source,
        targetObject: target,
        existingTargetObject: existing,
        linkQualifier: scope.qualifier,
        attributes: attributes.map((attribute) => ({ ...attribute })),
      },
    },
    ['targetObject'],
  );
  replaceIn(target, bindings['targetObject']);
}

/** Whoever may write an assignment must not have the server run a text of theirs, nor set variables of a script of the project. */
function ownScript(assignment: Assignment, name: string): ScriptReference {
  const reference = assignment[name];
  const { file, type = null }: JsonObject = isObject(reference) ? reference : {};
  if (file !== undefined) return parseScriptReference({ file, type }, `/${name}`);
  throw new BadRequestError(`'${name}' of the assignment '${nameOf(assignment)}' names no file`, {
    id: 'SYNC_SCRIPT_IN_OBJECT',
    hint: 'Put the script into the project and name it: {"type": "text/javascript", "file": "onAssignment.js"}',
  });
}

/** What a script has left of an object, in place of what it was given. */
export function replaceIn(object: JsonObject, left: JsonValue | undefined): void {
  if (!isObject(left) || equalJson(left, object)) return;
  for (const name of Object.keys(object)) if (!Object.hasOwn(left, name)) delete object[name];
  Object.assign(object, left);
}

function nameOf({ name, _id }: Assignment): string {
  return String(name ?? _id ?? '');
}
