import { useId, useState } from 'react';
import { RequiredMark, TextField } from '../parts/field.tsx';
import { common } from '../words/common.ts';
import { plainText } from '../words/plain-text.ts';
import { useWords } from '../words/words.ts';
import type { ControlProps } from './control-props.ts';
import styles from './form.module.css';
import { References } from './references.tsx';
import { isNullable } from './schema.ts';
import { words } from './words.ts';

/** What a property is typed, chosen or found with. */
export function Control(props: ControlProps) {
  switch (props.kind) {
    case 'reference':
      return <References {...props} />;
    case 'choice':
    case 'boolean':
      return <Choice {...props} />;
    case 'json':
      return <JsonText {...props} />;
    default:
      return <Line {...props} />;
  }
}

function Line({ kind, property, value, onChange, isReadOnly, label, name, hint, problem }: ControlProps) {
  const t = useWords(words);
  const [isWrong, setWrong] = useState(false);
  const said = problem ?? (isWrong ? t.notNumber : undefined);
  const change = (text: string) => {
    if (kind !== 'number') {
      onChange(text === '' && (isNullable(property) || property.required !== true) ? null : text);
      return;
    }
    const number = Number(text);
    setWrong(text !== '' && Number.isNaN(number));
    onChange(text === '' ? null : Number.isNaN(number) ? text : number);
  };
  return (
    <TextField
      label={label}
      name={name}
      value={plainText(value)}
      onChange={change}
      isReadOnly={isReadOnly}
      isRequired={property.required === true}
      isMultiline={kind === 'long'}
      type={kind === 'secret' ? 'password' : 'text'}
      autoComplete={kind === 'secret' ? 'new-password' : 'off'}
      {...(kind === 'date' ? { placeholder: '2027-01-31' } : {})}
      {...(hint === undefined ? {} : { hint })}
      problem={said}
    />
  );
}

/** One of a few values. The native list is small on a screen, good on a phone, and known to every reader of screens. */
function Choice({ kind, property, value, onChange, isReadOnly, label, name, hint, problem }: ControlProps) {
  const t = useWords(words);
  const c = useWords(common);
  const id = useId();
  const choices =
    kind === 'boolean'
      ? [
          { value: true, title: c.yes },
          { value: false, title: c.no },
        ]
      : (property.enum ?? []).map((each) => ({
          value: each,
          title: property.enumTitles?.[plainText(each)] ?? plainText(each),
        }));
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {property.required === true ? <RequiredMark /> : null}
      </label>
      <select
        id={id}
        name={name}
        className="input"
        value={plainText(value)}
        disabled={isReadOnly}
        required={property.required === true}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-hint`}
        onChange={({ target }) =>
          onChange(choices.find((choice) => plainText(choice.value) === target.value)?.value ?? null)
        }
      >
        <option value="">{property.required === true ? t.choose : t.none}</option>
        {choices.map((choice) => (
          <option key={plainText(choice.value)} value={plainText(choice.value)}>
            {choice.title}
          </option>
        ))}
      </select>
      <span id={`${id}-hint`}>
        {hint === undefined ? null : <span className="hint">{hint}</span>}
        {problem === undefined ? null : <span className="problem">{problem}</span>}
      </span>
    </div>
  );
}

function JsonText({ value, onChange, isReadOnly, label, name, hint, problem }: ControlProps) {
  const t = useWords(words);
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)));
  const [isWrong, setWrong] = useState(false);
  return (
    <div className={styles['json-field']}>
      <TextField
        label={label}
        name={name}
        value={text}
        isReadOnly={isReadOnly}
        isMultiline
        onChange={(next) => {
          setText(next);
          try {
            onChange(next.trim() === '' ? null : JSON.parse(next));
            setWrong(false);
          } catch {
            setWrong(true);
          }
        }}
        {...(hint === undefined ? {} : { hint })}
        problem={problem ?? (isWrong ? t.notJson : undefined)}
      />
    </div>
  );
}
