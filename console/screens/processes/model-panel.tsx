import { lazy, Suspense, useId, useState } from 'react';
import { type Drawing, isOf, type Shape, textIn } from '../../model/index.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Flag } from '../../parts/flag.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Card, Loading } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { useWords } from '../../words/words.ts';
import { type Field, sectionsOf } from './model-fields.ts';
import { addRow, listsOf, type RowColumn, type RowList, removeRow, rowsOf } from './model-rows.ts';
import { modelWords } from './model-words.ts';

const Code = lazy(() => import('../../code/code.tsx'));

/** What can be put behind an element by its name: `kind` is a word, the rest what the drawing calls it. */
const APPENDED = [
  ['userTask', 'bpmn:UserTask'],
  ['scriptTask', 'bpmn:ScriptTask'],
  ['serviceTask', 'bpmn:ServiceTask'],
  ['callActivity', 'bpmn:CallActivity'],
  ['exclusiveGateway', 'bpmn:ExclusiveGateway'],
  ['parallelGateway', 'bpmn:ParallelGateway'],
  ['timer', 'bpmn:IntermediateCatchEvent', 'bpmn:TimerEventDefinition'],
  ['message', 'bpmn:IntermediateCatchEvent', 'bpmn:MessageEventDefinition'],
  ['endEvent', 'bpmn:EndEvent'],
] as const;

/** All that is said of the element that is chosen; whoever has no mouse draws here. */
export function ModelPanel({ drawing }: { readonly drawing: Drawing }) {
  const t = useWords(modelWords);
  const shape = drawing.chosen;
  const model = shape.businessObject;
  const sections = sectionsOf(shape);
  const lists = listsOf(shape);
  const names = [
    ...new Set([...sections, ...lists.map(({ section: name }) => ({ name }))].map(({ name }) => name)),
  ];
  return (
    <div className="stack">
      <Card title={t.chosen}>
        <Choice drawing={drawing} />
      </Card>
      {names.map((name) => (
        <Card key={`${shape.id} ${name}`} title={t.sections[name]}>
          <div className="stack">
            {sections
              .filter((section) => section.name === name)
              .flatMap(({ fields }) => fields)
              .map((field) => (
                <Control
                  key={field.name}
                  field={field}
                  drawing={drawing}
                  shape={shape}
                  value={field.read(model)}
                />
              ))}
            {lists
              .filter(({ section }) => section === name)
              .map((list) => (
                <Rows key={list.name} list={list} drawing={drawing} shape={shape} />
              ))}
          </div>
        </Card>
      ))}
    </div>
  );
}

function Choice({ drawing }: { readonly drawing: Drawing }) {
  const t = useWords(modelWords);
  const shape = drawing.chosen;
  const titled = drawing.shapes.map((each) => ({
    id: each.id,
    title: titleOf(each, t.theProcess),
    isNode: isOf(each.businessObject, 'FlowNode'),
  }));
  const isNode = isOf(shape.businessObject, 'FlowNode');
  const isOpen = isNode && !isOf(shape.businessObject, 'EndEvent');
  return (
    <div className="stack">
      <Select label={t.chosen} value={shape.id} choices={titled} onChange={(id) => drawing.choose(id)} />
      <div className="row">
        {isOpen ? (
          <Menu
            label={t.append}
            icon="plus"
            choices={APPENDED.map(([kind]) => ({ id: kind, title: t.kinds[kind] }))}
            onChoose={(id) => {
              const [, type, event] = APPENDED.find(([kind]) => kind === id) ?? [];
              if (type !== undefined) drawing.append(shape, type, event);
            }}
          />
        ) : null}
        {shape.businessObject.$type === 'bpmn:Process' ? null : (
          <Button look="danger" onPress={() => drawing.remove(shape)}>
            {t.remove}
          </Button>
        )}
      </div>
      {isOpen ? (
        <Select
          label={t.connect}
          value=""
          choices={[
            { id: '', title: t.connectNone },
            ...titled.filter(({ id, isNode: is }) => is && id !== shape.id),
          ]}
          onChange={(id) => drawing.connect(shape, id)}
        />
      ) : null}
    </div>
  );
}

function titleOf({ businessObject: model, id }: Shape, process: string): string {
  const name = textIn(model, 'name');
  const kind = model.$type.replace(/^bpmn:/, '');
  return kind === 'Process' ? `${process} ${name || id}` : `${name || id} (${kind})`;
}

function Control({
  field,
  drawing,
  shape,
  value,
}: {
  readonly field: Field;
  readonly drawing: Drawing;
  readonly shape: Shape;
  readonly value: string;
}) {
  const t = useWords(modelWords);
  const label = t.fields[field.name];
  const write = (text: string) => field.write(drawing, shape, text);
  switch (field.kind) {
    case 'flag':
      return <Flag label={label} is={value === 'true'} onChange={(is) => write(String(is))} />;
    case 'choice':
      return (
        <Select
          label={label}
          value={value}
          choices={(field.choices ?? []).map((each) =>
            typeof each === 'string' ? { id: each, title: t.choices[each] } : each,
          )}
          onChange={write}
        />
      );
    case 'code':
      return (
        <div className="field">
          <span className="label">{label}</span>
          <Suspense fallback={<Loading />}>
            <Code
              key={shape.id}
              label={label}
              language={
                textIn(shape.businessObject, 'scriptFormat').includes('groovy') ? 'groovy' : 'javascript'
              }
              value={value}
              onChange={(text) => {
                // What is only shown anew was not written by anybody.
                if (text !== field.read(shape.businessObject)) write(text);
              }}
            />
          </Suspense>
        </div>
      );
    default:
      return field.name === 'id' ? (
        <Id key={value} label={label} value={value} onChange={write} />
      ) : (
        <TextField
          label={label}
          value={value}
          isMultiline={field.kind === 'lines'}
          onChange={write}
          autoComplete="off"
        />
      );
  }
}

/** The id of an element changes when it is whole, for everything else goes by it. */
function Id({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (id: string) => void;
}) {
  const t = useWords(modelWords);
  const [text, setText] = useState(value);
  const isGood = /^[A-Za-z_][\w.-]*$/.test(text);
  return (
    <TextField
      label={label}
      value={text}
      onChange={setText}
      onBlur={() => {
        if (isGood && text !== value) onChange(text);
      }}
      autoComplete="off"
      isRequired
      problem={isGood ? undefined : t.notId}
    />
  );
}

function Rows({
  list,
  drawing,
  shape,
}: {
  readonly list: RowList;
  readonly drawing: Drawing;
  readonly shape: Shape;
}) {
  const t = useWords(modelWords);
  const title = t.fields[list.name];
  const id = useId();
  return (
    <section className="stack" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {rowsOf(shape, list).map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names of their own, and their order is theirs
        <div key={at} className="card card-body stack" role="group" aria-label={`${title} ${at + 1}`}>
          {list.columns.map((column) => (
            <Cell
              key={column.name}
              column={column}
              value={column.read(row)}
              onChange={(value) => column.write(drawing, shape, row, value)}
            />
          ))}
          <IconButton
            icon="close"
            label={`${t.remove}: ${title} ${at + 1}`}
            onPress={() => removeRow(drawing, shape, list, row)}
          />
        </div>
      ))}
      <div>
        <Button icon="plus" aria-label={`${t.add}: ${title}`} onPress={() => addRow(drawing, shape, list)}>
          {t.add}
        </Button>
      </div>
    </section>
  );
}

function Cell({
  column,
  value,
  onChange,
}: {
  readonly column: RowColumn;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const t = useWords(modelWords);
  const label = t.columns[column.name];
  if (column.kind === 'flag')
    return <Flag label={label} is={value === 'true'} onChange={(is) => onChange(String(is))} />;
  if (column.kind === 'choice') {
    const choices = (column.choices ?? []).map((id) => ({ id, title: id }));
    return <Select label={label} value={value} choices={choices} onChange={onChange} />;
  }
  return (
    <TextField
      label={label}
      value={value}
      isMultiline={column.kind === 'lines'}
      onChange={onChange}
      autoComplete="off"
    />
  );
}
