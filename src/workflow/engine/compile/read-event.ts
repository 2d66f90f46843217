import type { ModdleElement } from 'bpmn-moddle';
import { isLiteral } from '../../expression/index.ts';
import type { EventTrigger, TimerDefinition } from '../event-trigger.ts';
import { checkTimer } from '../timer.ts';
import type { Findings } from './findings.ts';
import { attribute, child, children, tagOf, textOf, vendorAttribute, vendorFlag } from './model-element.ts';
import type { ProcessFile } from './process-file.ts';
import { readCondition } from './read-flow.ts';

const TIMER_KINDS = { timeDate: 'date', timeDuration: 'duration', timeCycle: 'cycle' } as const;

/** The one event definition of an event; undefined for a none event, or when it has been refused. */
export function readTrigger(
  element: ModdleElement,
  owner: string,
  file: ProcessFile,
  findings: Findings,
): EventTrigger | undefined {
  const [definition, ...others] = children(element, 'eventDefinitions');
  if (definition === undefined) return undefined;
  if (others.length > 0) {
    findings.refuse(
      'MANY_EVENT_DEFINITIONS',
      owner,
      'has more than one event definition',
      'Use one event for each',
    );
  }
  switch (tagOf(definition)) {
    case 'timerEventDefinition': {
      const timer = readTimer(definition, owner, findings);
      return timer && { kind: 'timer', timer };
    }
    case 'messageEventDefinition': {
      const target = file.reference(definition, 'messageRef');
      const name = vendorAttribute(definition, 'messageExpression') ?? nameOf(target);
      if (name === undefined) return refuseReference(owner, 'message', target, findings);
      return { kind: 'message', name: findings.expression(owner, name) };
    }
    case 'signalEventDefinition': {
      const target = file.reference(definition, 'signalRef');
      const name = vendorAttribute(definition, 'signalExpression') ?? nameOf(target);
      if (name === undefined) return refuseReference(owner, 'signal', target, findings);
      const scope =
        vendorAttribute(definition, 'scope') ??
        (typeof target === 'object' ? vendorAttribute(target, 'scope') : undefined);
      return {
        kind: 'signal',
        name: findings.expression(owner, name),
        isInstanceScoped: scope === 'processInstance',
      };
    }
    case 'errorEventDefinition': {
      const code = codeOf(file.reference(definition, 'errorRef'), 'errorCode');
      const variable = vendorAttribute(definition, 'errorVariableName');
      const codeVariable = vendorAttribute(definition, 'errorCodeVariable');
      return {
        kind: 'error',
        ...(code === undefined ? {} : { code }),
        ...(variable === undefined ? {} : { variable }),
        ...(codeVariable === undefined ? {} : { codeVariable }),
      };
    }
    case 'escalationEventDefinition': {
      const code = codeOf(file.reference(definition, 'escalationRef'), 'escalationCode');
      return { kind: 'escalation', ...(code === undefined ? {} : { code }) };
    }
    case 'compensateEventDefinition': {
      const target = file.reference(definition, 'activityRef');
      const activity = typeof target === 'object' ? file.id(target) : target;
      return { kind: 'compensation', ...(activity === undefined ? {} : { activity }) };
    }
    case 'conditionalEventDefinition': {
      const condition = readCondition(child(definition, 'condition'), owner, findings);
      if (condition !== undefined) return { kind: 'conditional', condition };
      findings.refuse('NO_CONDITION', owner, 'is a conditional event without a condition');
      return undefined;
    }
    case 'linkEventDefinition':
      return { kind: 'link', name: attribute(definition, 'name') ?? '' };
    case 'cancelEventDefinition':
      return { kind: 'cancel' };
    case 'terminateEventDefinition':
      return {
        kind: 'terminate',
        endsAll: vendorFlag(definition, 'terminateAll'),
        endsMultiInstance: vendorFlag(definition, 'terminateMultiInstance'),
      };
    default:
      findings.refuse(
        'UNSUPPORTED_EVENT',
        owner,
        `has an event definition '${tagOf(definition)}', which is not supported`,
      );
      return undefined;
  }
}

function readTimer(
  definition: ModdleElement,
  owner: string,
  findings: Findings,
): TimerDefinition | undefined {
  const found = Object.entries(TIMER_KINDS).flatMap(([tag, kind]) => {
    const element = child(definition, tag);
    const text = textOf(element);
    return element === undefined || text === undefined ? [] : [{ element, text, kind }];
  });
  const [timer, ...others] = found;
  if (timer === undefined || others.length > 0) {
    findings.refuse(
      'BAD_TIMER',
      owner,
      `has ${found.length} timer values`,
      'Give it exactly one of timeDate, timeDuration and timeCycle',
    );
    return undefined;
  }
  refuseCalendar(definition, owner, findings);
  const value = findings.expression(owner, timer.text);
  if (isLiteral(value)) {
    const problem = checkTimer(timer.kind, timer.text, findings.options.checkCron);
    if (problem !== undefined)
      findings.refuse('BAD_TIMER', owner, `has a timer that cannot be read: ${problem}`);
  }
  const end = findings.optionalExpression(owner, vendorAttribute(timer.element, 'endDate'));
  return { kind: timer.kind, value, ...(end === undefined ? {} : { end }) };
}

/** Calendars of one's own tell which days count; the built-in ones say what the timer says anyway. */
export function refuseCalendar(element: ModdleElement, owner: string, findings: Findings): void {
  const calendar = vendorAttribute(element, 'businessCalendarName');
  if (calendar === undefined || ['cycle', 'dueDate', 'duration'].includes(calendar)) return;
  findings.refuse('UNSUPPORTED_CALENDAR', owner, `uses the calendar '${calendar}', which is not supported`);
}

function nameOf(target: ModdleElement | string | undefined): string | undefined {
  if (typeof target !== 'object') return undefined;
  return attribute(target, 'name') ?? attribute(target, 'id');
}

/** A reference to nothing declared is the code itself, as authors of the engine family are used to. */
function codeOf(target: ModdleElement | string | undefined, name: string): string | undefined {
  if (typeof target !== 'object') return target;
  return attribute(target, name) ?? attribute(target, 'name') ?? attribute(target, 'id');
}

function refuseReference(
  owner: string,
  kind: string,
  target: ModdleElement | string | undefined,
  findings: Findings,
): undefined {
  const problem =
    typeof target === 'string' ? `refers to the unknown ${kind} '${target}'` : `names no ${kind}`;
  findings.refuse('UNKNOWN_REFERENCE', owner, problem, `Declare it: <${kind} id="…" name="…"/>`);
}
