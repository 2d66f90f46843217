import type { JsonObject } from '#client/index.ts';
import { TextField } from '../../parts/field.tsx';
import { Flag } from '../../parts/flag.tsx';
import { plainText } from '../../words/plain-text.ts';
import { useWords } from '../../words/words.ts';
import { words } from './words.ts';

/** What a connector is configured by. */
export interface ConnectorProperty {
  readonly name: string;
  readonly type: 'text' | 'number' | 'flag' | 'list' | 'secret';
  readonly does: string;
  readonly required: boolean;
}

type Value = JsonObject[string];

/** A field for each property of a connector. What is secret is never shown, and stays what it is unless it is written anew. */
export function ConnectorForm({
  properties,
  values,
  lacking = [],
  onChange,
}: {
  readonly properties: readonly ConnectorProperty[];
  readonly values: JsonObject;
  /** Secrets that have to be written again. */
  readonly lacking?: readonly string[];
  readonly onChange: (name: string, value: Value) => void;
}) {
  return (
    <div className="halves">
      {properties.map((property) => (
        <Control
          key={property.name}
          property={property}
          value={values[property.name] ?? null}
          isLacking={lacking.includes(property.name)}
          onChange={(value) => onChange(property.name, value)}
        />
      ))}
    </div>
  );
}

function Control({
  property: { name, type, does, required },
  value,
  isLacking,
  onChange,
}: {
  readonly property: ConnectorProperty;
  readonly value: Value;
  readonly isLacking: boolean;
  readonly onChange: (value: Value) => void;
}) {
  const t = useWords(words);
  const common = { label: name, name, hint: does, isRequired: required, autoComplete: 'off' };
  if (type === 'flag') {
    return (
      <div className="field">
        <Flag label={name} is={value === true || value === 'true'} onChange={onChange} />
        <span className="hint">{does}</span>
      </div>
    );
  }
  if (type === 'list') {
    return (
      <TextField
        {...common}
        isMultiline
        hint={`${does}. ${t.linewise}`}
        value={Array.isArray(value) ? value.map(String).join('\n') : plainText(value)}
        onChange={(text) => onChange(text === '' ? [] : text.split('\n'))}
      />
    );
  }
  if (type === 'secret') {
    const isSet = isKept(value);
    return (
      <TextField
        {...common}
        type="password"
        autoComplete="new-password"
        {...(isSet ? { placeholder: t.kept } : {})}
        value={isSet ? '' : plainText(value)}
        problem={isLacking ? t.again : undefined}
        onChange={onChange}
      />
    );
  }
  return (
    <TextField
      {...common}
      value={plainText(value)}
      onChange={(text) =>
        onChange(text === '' ? null : type === 'number' && /^-?\d+$/.test(text) ? Number(text) : text)
      }
    />
  );
}

/** Whether a secret is shown by its seal alone, so that it stays what it is. */
export function isKept(value: Value): boolean {
  return typeof value === 'object' && value !== null;
}
