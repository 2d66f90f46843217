import {
  childrenIn,
  type Drawing,
  extensionsIn,
  isOf,
  type Model,
  modelsIn,
  type Shape,
  textIn,
} from '../../model/index.ts';
import type { SectionName } from './model-fields.ts';
import type { modelWords } from './model-words.ts';

/** One column of a list of extension elements. */
export interface RowColumn {
  readonly name: keyof typeof modelWords.en.columns;
  readonly kind: 'line' | 'lines' | 'flag' | 'choice';
  readonly choices?: readonly string[];
  readonly read: (row: Model) => string;
  readonly write: (drawing: Drawing, shape: Shape, row: Model, value: string) => void;
}

/** What stands under an element several times, such as the fields of a form. */
export interface RowList {
  readonly name: keyof typeof modelWords.en.fields;
  readonly section: SectionName;
  readonly tag: string;
  readonly columns: readonly RowColumn[];
  /** What a new one begins with; the number is how many there are. */
  readonly made: (count: number) => Readonly<Record<string, string>>;
}

const WAYS = ['expression', 'delegateExpression', 'class', 'script'] as const;

export function listsOf(shape: Shape): readonly RowList[] {
  const model = shape.businessObject;
  return [
    ...(isOf(model, 'UserTask', 'StartEvent') ? [formProperties] : []),
    ...(isOf(model, 'ServiceTask', 'SendTask', 'BusinessRuleTask') ? [fields] : []),
    ...(isOf(model, 'CallActivity') ? [mappings('in', 'inputs'), mappings('out', 'outputs')] : []),
    ...(isOf(model, 'UserTask')
      ? [listeners('taskListeners', 'taskListener', ['create', 'assignment', 'complete', 'delete', 'all'])]
      : []),
    isOf(model, 'SequenceFlow')
      ? listeners('executionListeners', 'executionListener', ['take'])
      : listeners('executionListeners', 'executionListener', ['start', 'end']),
  ];
}

export function rowsOf(shape: Shape, { tag }: RowList): readonly Model[] {
  return extensionsIn(shape.businessObject, tag);
}

export function addRow(drawing: Drawing, shape: Shape, list: RowList): void {
  const rows = rowsOf(shape, list);
  const row = drawing.createOwn(list.tag, list.made(rows.length));
  drawing.setExtensions(shape, shape.businessObject, list.tag, [...rows, row]);
}

export function removeRow(drawing: Drawing, shape: Shape, list: RowList, row: Model): void {
  const left = rowsOf(shape, list).filter((each) => each !== row);
  drawing.setExtensions(shape, shape.businessObject, list.tag, left);
}

function line(name: RowColumn['name'], attribute: string = name): RowColumn {
  return {
    name,
    kind: 'line',
    read: (row) => textIn(row, attribute),
    write: (drawing, shape, row, value) =>
      drawing.set(shape, row, { [attribute]: value === '' ? undefined : value }),
  };
}

/** True or false; what is not written has a default. */
function flag(name: 'required' | 'writable', isDefault: boolean): RowColumn {
  return {
    name,
    kind: 'flag',
    read: (row) => textIn(row, name) || String(isDefault),
    write: (drawing, shape, row, value) =>
      drawing.set(shape, row, { [name]: value === String(isDefault) ? undefined : value }),
  };
}

const formProperties: RowList = {
  name: 'formProperties',
  section: 'form',
  tag: 'formProperty',
  made: (count) => ({ id: `field${count + 1}`, type: 'string' }),
  columns: [
    line('id'),
    line('name'),
    {
      ...line('type'),
      kind: 'choice',
      choices: ['string', 'long', 'double', 'boolean', 'date', 'enum'],
    },
    flag('required', false),
    flag('writable', true),
    line('default'),
    {
      name: 'values',
      kind: 'lines',
      read: (row) =>
        childrenIn(row, 'value')
          .map((value) => `${textIn(value, 'id')}=${textIn(value, 'name')}`)
          .join('\n'),
      write: (drawing, shape, row, text) => {
        const values = text
          .split('\n')
          .filter((entry) => entry.trim() !== '')
          .map((entry) => {
            const [id = '', ...name] = entry.split('=');
            return drawing.createOwn('value', { id: id.trim(), name: name.join('=') });
          });
        drawing.set(shape, row, { $children: values.length === 0 ? undefined : values });
      },
    },
  ],
};

/** The fields of a mail or a request. Their values are expressions, written as `string` or as `expression`: both are read, and `string` is written. */
const fields: RowList = {
  name: 'fields',
  section: 'call',
  tag: 'field',
  made: () => ({ name: '' }),
  columns: [
    line('name'),
    {
      name: 'value',
      kind: 'lines',
      read: (row) =>
        textIn(row, 'stringValue') ||
        textIn(row, 'expression') ||
        textIn([...childrenIn(row, 'string'), ...childrenIn(row, 'expression')][0], '$body'),
      write: (drawing, shape, row, text) => {
        const tag = /[$#]\{/.test(text) ? 'expression' : 'string';
        const child = drawing.createOwn(tag, { $body: text });
        drawing.set(shape, row, {
          stringValue: undefined,
          expression: undefined,
          $children: text === '' ? undefined : [child],
        });
      },
    },
  ],
};

function mappings(tag: 'in' | 'out', name: 'inputs' | 'outputs'): RowList {
  return {
    name,
    section: 'call',
    tag,
    made: () => ({ source: '', target: '' }),
    columns: [line('source'), line('target')],
  };
}

function wayOf(row: Model): (typeof WAYS)[number] {
  if (childrenIn(row, 'script').length > 0) return 'script';
  return WAYS.find((way) => textIn(row, way) !== '') ?? 'expression';
}

function setWay(drawing: Drawing, shape: Shape, row: Model, way: string, value: string): void {
  const others = modelsIn(row.get('$children')).filter((child) => !childrenIn(row, 'script').includes(child));
  const children =
    way === 'script'
      ? [...others, drawing.createOwn('script', { language: 'javascript', $body: value })]
      : others;
  drawing.set(shape, row, {
    ...Object.fromEntries(['expression', 'delegateExpression', 'class'].map((each) => [each, undefined])),
    ...(way === 'script' ? {} : { [way]: value }),
    $children: children.length === 0 ? undefined : children,
  });
}

function listeners(
  name: 'executionListeners' | 'taskListeners',
  tag: string,
  events: readonly string[],
): RowList {
  const read = (row: Model) => {
    const way = wayOf(row);
    return way === 'script' ? textIn(childrenIn(row, 'script')[0], '$body') : textIn(row, way);
  };
  return {
    name,
    section: 'listeners',
    tag,
    made: () => ({ event: events[0] ?? '', expression: '$' + '{}' }),
    columns: [
      { ...line('event'), kind: 'choice', choices: events },
      {
        name: 'by',
        kind: 'choice',
        choices: WAYS,
        read: wayOf,
        write: (drawing, shape, row, way) => setWay(drawing, shape, row, way, read(row)),
      },
      {
        name: 'value',
        kind: 'lines',
        read,
        write: (drawing, shape, row, value) => setWay(drawing, shape, row, wayOf(row), value),
      },
    ],
  };
}
