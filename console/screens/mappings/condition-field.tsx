import type { JsonObject } from '#client/index.ts';
import { isPlainScript, ScriptField } from '../../code/script-field.tsx';
import { isMembers } from '../../form/members.ts';
import { TextField } from '../../parts/field.tsx';
import { useWords } from '../../words/words.ts';
import { words } from './words.ts';

type Json = JsonObject[string];

/** A condition is a filter, or a script; the latter is looked at elsewhere. */
export function ConditionField({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: Json;
  readonly onChange: (value: Json) => void;
}) {
  const t = useWords(words);
  if (isMembers(value)) {
    return isPlainScript(value) ? (
      <ScriptField label={label} value={value} onChange={onChange} />
    ) : (
      <p className="soft">{t.conditionScript}</p>
    );
  }
  return (
    <TextField
      label={label}
      value={typeof value === 'string' ? value : ''}
      onChange={(text) => onChange(text === '' ? undefined : text)}
      hint={t.conditionHint}
      autoComplete="off"
    />
  );
}

/** In a cell of a table. */
export function ScriptText({ of }: { readonly of: Json }) {
  const t = useWords(words);
  if (of === undefined || of === null) return null;
  if (typeof of === 'string') return <code>{of}</code>;
  const { file, source }: JsonObject = isMembers(of) ? of : {};
  return <code>{typeof file === 'string' ? file : typeof source === 'string' ? source : t.script}</code>;
}
