import {
  type Drawing,
  extensionsIn,
  isModel,
  isOf,
  type Model,
  modelsIn,
  ownAttribute,
  type Shape,
  textIn,
} from '../../model/index.ts';
import type { modelWords } from './model-words.ts';

type FieldName = keyof typeof modelWords.en.fields;
export type SectionName = keyof typeof modelWords.en.sections;
type ChoiceName = keyof typeof modelWords.en.choices;

/** One thing that is said of an element: how it is shown, read and written. */
export interface Field {
  readonly name: FieldName;
  readonly kind: 'line' | 'lines' | 'flag' | 'code' | 'choice' | 'plain';
  /** What can be chosen, by words or as it stands; only where the field is a choice. */
  readonly choices?: readonly (ChoiceName | { readonly id: string; readonly title: string })[];
  readonly read: (model: Model) => string;
  readonly write: (drawing: Drawing, shape: Shape, value: string) => void;
}

export interface Section {
  readonly name: SectionName;
  readonly fields: readonly Field[];
}

const TIMERS = ['timeDuration', 'timeDate', 'timeCycle'] as const;
const CALLS = ['expression', 'delegateExpression', 'class'] as const;

/** What can be said of an element of this kind, in the order in which people ask. */
export function sectionsOf(shape: Shape): readonly Section[] {
  const model = shape.businessObject;
  const is = (...types: readonly string[]) => isOf(model, ...types);
  const calls = is('ServiceTask', 'SendTask', 'BusinessRuleTask');
  const sections: Section[] = [
    { name: 'general', fields: [shown('id'), shown('name'), documentation] },
    {
      name: 'who',
      fields: is('UserTask')
        ? [
            ...([own('assignee'), own('candidateUsers'), own('candidateGroups'), own('dueDate')] as const),
            own('priority'),
            own('taskCompleterVariableName'),
          ]
        : is('StartEvent')
          ? [own('initiator')]
          : [],
    },
    { name: 'form', fields: is('UserTask', 'StartEvent') ? [own('formKey')] : [] },
    { name: 'script', fields: is('ScriptTask') ? [scriptFormat, script, own('resultVariable')] : [] },
    { name: 'call', fields: calls ? [implementation, called, own('resultVariable')] : [] },
    {
      name: 'call',
      fields: is('CallActivity') ? [plain('calledElement'), flag('inheritVariables')] : [],
    },
    { name: 'event', fields: is('Event') ? eventFields(model) : [] },
    { name: 'flow', fields: is('SequenceFlow') ? [conditionOf] : defaultFlow(model) },
    { name: 'loop', fields: isModel(model.get('loopCharacteristics')) ? LOOP : [] },
    {
      name: 'jobs',
      fields: is('Activity', 'Event', 'Gateway') ? [flag('async'), retry, ...skip(is('Activity'))] : [],
    },
  ];
  return sections.filter(({ fields }) => fields.length > 0);
}

function shown(name: 'id' | 'name'): Field {
  return {
    name,
    kind: 'line',
    read: (model) => textIn(model, name),
    write: (drawing, shape, value) => {
      if (name === 'name' || /^[A-Za-z_][\w.-]*$/.test(value))
        drawing.setShown(shape, { [name]: value === '' ? undefined : value });
    },
  };
}

function plain(name: 'calledElement'): Field {
  return {
    name,
    kind: 'line',
    read: (model) => textIn(model, name),
    write: (drawing, shape, value) =>
      drawing.set(shape, shape.businessObject, { [name]: value === '' ? undefined : value }),
  };
}

function own(name: FieldName): Field {
  return {
    name,
    kind: 'line',
    read: (model) => ownAttribute(model, name).value,
    write: (drawing, shape, value) => drawing.setOwn(shape, shape.businessObject, name, value),
  };
}

function flag(name: FieldName): Field {
  return {
    name,
    kind: 'flag',
    read: (model) => String(ownAttribute(model, name).value.toLowerCase() === 'true'),
    write: (drawing, shape, value) =>
      drawing.setOwn(shape, shape.businessObject, name, value === 'true' ? 'true' : ''),
  };
}

function skip(isActivity: boolean): readonly Field[] {
  return isActivity ? [own('skipExpression')] : [];
}

const documentation: Field = {
  name: 'documentation',
  kind: 'lines',
  read: (model) => textIn(modelsIn(model.get('documentation'))[0], 'text'),
  write: (drawing, shape, text) =>
    drawing.set(shape, shape.businessObject, {
      documentation: text === '' ? [] : [drawing.create('bpmn:Documentation', { text })],
    }),
};

const scriptFormat: Field = {
  name: 'scriptFormat',
  kind: 'choice',
  choices: ['javascript', 'groovy', 'juel'].map((id) => ({ id, title: id })),
  read: (model) => textIn(model, 'scriptFormat').replace(/^text\//, ''),
  write: (drawing, shape, scriptFormat) => drawing.set(shape, shape.businessObject, { scriptFormat }),
};

const script: Field = {
  name: 'script',
  kind: 'code',
  read: (model) => textIn(model, 'script'),
  write: (drawing, shape, text) =>
    drawing.set(shape, shape.businessObject, { script: text === '' ? undefined : text }),
};

/** By which of its ways it calls; a type is one of its own. */
function wayOf(model: Model): string {
  const type = ownAttribute(model, 'type').value;
  if (type === 'mail' || type === 'http') return type;
  return CALLS.find((name) => ownAttribute(model, name).value !== '') ?? 'expression';
}

const implementation: Field = {
  name: 'implementation',
  kind: 'choice',
  choices: ['expression', 'delegateExpression', 'class', 'mail', 'http'],
  read: wayOf,
  write: (drawing, shape, way) => {
    const model = shape.businessObject;
    const before = CALLS.map((name) => ownAttribute(model, name).value).find((value) => value !== '') ?? '';
    const isType = way === 'mail' || way === 'http';
    for (const name of CALLS) drawing.setOwn(shape, model, name, '');
    drawing.setOwn(shape, model, 'type', isType ? way : '');
    if (!isType) drawing.setOwn(shape, model, way, before === '' ? '$' + '{}' : before);
  },
};

const called: Field = {
  name: 'called',
  kind: 'line',
  read: (model) => ownAttribute(model, wayOf(model)).value,
  write: (drawing, shape, value) => {
    const way = wayOf(shape.businessObject);
    if (way !== 'mail' && way !== 'http') drawing.setOwn(shape, shape.businessObject, way, value);
  },
};

const retry: Field = {
  name: 'retry',
  kind: 'line',
  read: (model) => textIn(extensionsIn(model, 'failedJobRetryTimeCycle')[0], '$body'),
  write: (drawing, shape, text) =>
    drawing.setExtensions(
      shape,
      shape.businessObject,
      'failedJobRetryTimeCycle',
      text === '' ? [] : [drawing.createOwn('failedJobRetryTimeCycle', { $body: text })],
    ),
};

/** An expression that is a child of BPMN. */
function expression(name: FieldName, tag: string, ofModel: (model: Model) => Model | undefined): Field {
  return {
    name,
    kind: 'line',
    read: (model) => textIn(ofModel(model), tag),
    write: (drawing, shape, body) => {
      const model = ofModel(shape.businessObject);
      if (model === undefined) return;
      const value = body === '' ? undefined : drawing.create('bpmn:FormalExpression', { body });
      drawing.set(shape, model, { [tag]: value });
    },
  };
}

const conditionOf = expression('condition', 'conditionExpression', (model) => model);

function defaultFlow(model: Model): readonly Field[] {
  const flows = modelsIn(model.get('outgoing'));
  if (flows.length < 2) return [];
  return [
    {
      name: 'defaultFlow',
      kind: 'choice',
      choices: [
        'none',
        ...flows.map((flow) => ({
          id: textIn(flow, 'id'),
          title: textIn(flow, 'name') || textIn(flow, 'id'),
        })),
      ],
      read: (node) => {
        const flow = node.get('default');
        return isModel(flow) ? textIn(flow, 'id') : 'none';
      },
      write: (drawing, shape, id) =>
        drawing.setShown(shape, { default: flows.find((flow) => textIn(flow, 'id') === id) }),
    },
  ];
}

function loopOf(model: Model): Model | undefined {
  const loop = model.get('loopCharacteristics');
  return isModel(loop) ? loop : undefined;
}

function ownOfLoop(name: 'collection' | 'elementVariable'): Field {
  return {
    name,
    kind: 'line',
    read: (model) => {
      const loop = loopOf(model);
      return loop === undefined ? '' : ownAttribute(loop, name).value;
    },
    write: (drawing, shape, value) => {
      const loop = loopOf(shape.businessObject);
      if (loop !== undefined) drawing.setOwn(shape, loop, name, value);
    },
  };
}

const LOOP: readonly Field[] = [
  ownOfLoop('collection'),
  ownOfLoop('elementVariable'),
  expression('cardinality', 'loopCardinality', loopOf),
  expression('completionCondition', 'completionCondition', loopOf),
];

function eventOf(model: Model): Model | undefined {
  return modelsIn(model.get('eventDefinitions'))[0];
}

function eventFields(model: Model): readonly Field[] {
  const edge: readonly Field[] = isOf(model, 'BoundaryEvent') ? [cancelActivity] : [];
  const event = eventOf(model);
  const kind = event?.$type.replace(/^bpmn:(\w+)EventDefinition$/, '$1');
  switch (kind) {
    case 'Timer':
      return [timerKind, timer, ...edge];
    case 'Message':
      return [named('message', 'Message', 'messageRef'), ...edge];
    case 'Signal':
      return [named('signal', 'Signal', 'signalRef'), ...edge];
    case 'Error':
      return [named('error', 'Error', 'errorRef')];
    case 'Escalation':
      return [named('escalation', 'Escalation', 'escalationRef'), ...edge];
    case 'Conditional':
      return [expression('condition', 'condition', eventOf), ...edge];
    default:
      return edge;
  }
}

const cancelActivity: Field = {
  name: 'cancelActivity',
  kind: 'flag',
  read: (model) => String(model.get('cancelActivity') !== false),
  write: (drawing, shape, value) => drawing.setShown(shape, { cancelActivity: value === 'true' }),
};

function kindOfTimer(model: Model): (typeof TIMERS)[number] {
  return TIMERS.find((name) => isModel(eventOf(model)?.get(name))) ?? 'timeDuration';
}

function writeTimer(drawing: Drawing, shape: Shape, kind: string, body: string): void {
  const event = eventOf(shape.businessObject);
  if (event === undefined) return;
  const made = drawing.create('bpmn:FormalExpression', { body });
  drawing.set(
    shape,
    event,
    Object.fromEntries(TIMERS.map((name) => [name, name === kind ? made : undefined])),
  );
}

const timerKind: Field = {
  name: 'timerKind',
  kind: 'choice',
  choices: TIMERS,
  read: kindOfTimer,
  write: (drawing, shape, kind) => writeTimer(drawing, shape, kind, timer.read(shape.businessObject)),
};

const timer: Field = {
  name: 'timer',
  kind: 'line',
  read: (model) => textIn(eventOf(model), kindOfTimer(model)),
  write: (drawing, shape, text) => writeTimer(drawing, shape, kindOfTimer(shape.businessObject), text),
};

/** What an event refers to stands beside the process, and is made when it is named. */
function named(name: FieldName, type: string, reference: string): Field {
  return {
    name,
    kind: 'line',
    read: (model) => {
      const target = eventOf(model)?.get(reference);
      return isModel(target) ? textIn(target, 'name') || textIn(target, 'id') : '';
    },
    write: (drawing, shape, value) => {
      const event = eventOf(shape.businessObject);
      if (event === undefined) return;
      const target = value === '' ? undefined : drawing.reference(shape, `bpmn:${type}`, value);
      drawing.set(shape, event, { [reference]: target });
    },
  };
}
