import type { ModdleElement } from 'bpmn-moddle';
import { type Expression, isLiteral } from '../../expression/index.ts';
import type { UserTask } from '../definition.ts';
import { isPriority } from '../priority.ts';
import { checkDueDate } from '../timer.ts';
import type { Findings } from './findings.ts';
import { attribute, child, children, tagOf, textOf, vendorAttribute } from './model-element.ts';
import { refuseCalendar } from './read-event.ts';
import { readFormProperties } from './read-form.ts';
import { readTaskListeners } from './read-listener.ts';
import type { NodeDraft } from './read-node.ts';

export function readUserTask(element: ModdleElement, node: NodeDraft, findings: Findings): UserTask {
  const { id } = node;
  const expression = (...names: string[]) =>
    findings.optionalExpression(id, vendorAttribute(element, ...names));
  const standard = readResources(element, id, findings);
  const list = (name: string) =>
    splitList(vendorAttribute(element, name) ?? '').map((entry) => findings.expression(id, entry));
  const given = {
    taskName: findings.optionalExpression(id, node.name),
    description: findings.optionalExpression(id, node.documentation),
    assignee: expression('assignee') ?? standard.assignee,
    owner: expression('owner'),
    dueDate: expression('dueDate'),
    priority: expression('priority'),
    category: expression('category'),
    formKey: expression('formKey'),
    taskIdVariable: vendorAttribute(element, 'taskIdVariableName'),
    completerVariable: vendorAttribute(element, 'taskCompleterVariableName'),
  };
  refuseCalendar(element, id, findings);
  const { priority, dueDate } = given;
  if (priority !== undefined && isLiteral(priority) && !isPriority(priority.text)) {
    findings.refuse('BAD_TASK', id, `has the priority '${priority.text}'`, 'Use a whole number');
  }
  const mistake = dueDate !== undefined && isLiteral(dueDate) ? checkDueDate(dueDate.text) : undefined;
  if (mistake !== undefined)
    findings.refuse('BAD_TASK', id, `has a due date that cannot be read: ${mistake}`);
  return {
    ...node,
    kind: 'userTask',
    ...withoutAbsent(given),
    candidateUsers: [...list('candidateUsers'), ...standard.users],
    candidateGroups: [...list('candidateGroups'), ...standard.groups],
    formProperties: readFormProperties(element, id, findings),
    taskListeners: readTaskListeners(element, id, findings),
  };
}

/** Splits at commas that are not inside an expression. */
export function splitList(text: string): string[] {
  const entries: string[] = [];
  let depth = 0;
  let entry = '';
  for (const character of text) {
    if (character === '{') depth++;
    else if (character === '}') depth--;
    if (character === ',' && depth === 0) {
      entries.push(entry);
      entry = '';
    } else {
      entry += character;
    }
  }
  return [...entries, entry].map((piece) => piece.trim()).filter((piece) => piece !== '');
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

export function withoutAbsent<T extends object>(given: T): Present<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Present<T>;
}

/** The standard form of assignments: `user(a), group(b)`; a bare name is a group. */
function readResources(element: ModdleElement, owner: string, findings: Findings) {
  const users: Expression[] = [];
  const groups: Expression[] = [];
  let assignee: Expression | undefined;
  for (const resource of children(element, 'resources')) {
    const assignment = child(resource, 'resourceAssignmentExpression');
    const text = assignment && textOf(child(assignment, 'expression'));
    if (text === undefined) continue;
    if (tagOf(resource) === 'humanPerformer') {
      assignee = findings.expression(owner, text);
      continue;
    }
    for (const entry of splitList(text)) {
      const [, kind, name] = /^(user|group)\s*\((.*)\)$/.exec(entry) ?? [];
      (kind === 'user' ? users : groups).push(findings.expression(owner, (name ?? entry).trim()));
    }
  }
  return { assignee, users, groups };
}

/** The form key of a start event is a literal: no variable exists yet when it is asked for. */
export function readStartForm(element: ModdleElement, owner: string, findings: Findings) {
  const formKey = vendorAttribute(element, 'formKey');
  const initiator = vendorAttribute(element, 'initiator');
  return {
    ...withoutAbsent({ formKey, initiator }),
    formProperties: readFormProperties(element, owner, findings),
    isInterrupting: attribute(element, 'isInterrupting') !== 'false',
  };
}
