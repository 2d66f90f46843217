import { lazy, Suspense } from 'react';
import type { JsonObject } from '#client/index.ts';
import { isMembers } from '../form/members.ts';
import { TextField } from '../parts/field.tsx';
import { Loading } from '../parts/page.tsx';
import { Select } from '../parts/select.tsx';
import { useWords } from '../words/words.ts';
import { words } from './words.ts';

const Code = lazy(() => import('./code.tsx'));

type Json = JsonObject[string];
type Kind = 'none' | 'javascript' | 'groovy' | 'file' | 'other';

const TYPES: Readonly<Record<string, Kind>> = { 'text/javascript': 'javascript', groovy: 'groovy' };

/** What a member of a configuration says: that there is no script, its text, or the file that it is in. */
function kindOf(value: Json): Kind {
  if (value === undefined || value === null) return 'none';
  if (!isMembers(value)) return 'other';
  if (typeof value['file'] === 'string') return 'file';
  return typeof value['source'] === 'string' ? (TYPES[String(value['type'])] ?? 'other') : 'other';
}

/** Whether it says no more than what can be set here, so that nothing else of it is lost. */
export function isPlainScript(value: Json): boolean {
  return kindOf(value) !== 'other';
}

/** A script in a configuration, with whatever stands beside its text. */
export function ScriptField({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: Json;
  /** Undefined: there is none any more. */
  readonly onChange: (value: Json) => void;
}) {
  const t = useWords(words);
  const kind = kindOf(value);
  const written: JsonObject = isMembers(value) ? value : {};
  if (kind === 'other') {
    return (
      <div className="field">
        <span className="label">{label}</span>
        <span className="soft">{t.other}</span>
      </div>
    );
  }
  const choose = (next: string) => {
    const { source = '', file: _, ...others } = written;
    if (next === 'none') onChange(undefined);
    else if (next === 'file') onChange({ type: 'text/javascript', ...withoutSource(others), file: '' });
    else onChange({ ...others, type: next === 'groovy' ? 'groovy' : 'text/javascript', source });
  };
  return (
    <div className="stack">
      <div className="narrow">
        <Select
          label={label}
          value={kind}
          choices={[
            { id: 'none', title: t.noScript },
            { id: 'javascript', title: t.javascript },
            { id: 'groovy', title: t.groovy },
            { id: 'file', title: t.file },
          ]}
          onChange={choose}
        />
      </div>
      {kind === 'file' ? (
        <TextField
          label={`${label}: ${t.path}`}
          value={String(written['file'])}
          onChange={(file) => onChange({ ...written, file })}
          placeholder={t.pathExample}
          autoComplete="off"
        />
      ) : null}
      {kind === 'javascript' || kind === 'groovy' ? (
        <Suspense fallback={<Loading />}>
          <Code
            label={`${label}: ${t.script}`}
            language={kind}
            value={String(written['source'])}
            onChange={(source) => onChange({ ...written, source })}
          />
        </Suspense>
      ) : null}
    </div>
  );
}

function withoutSource({ source: _, ...others }: JsonObject): JsonObject {
  return others;
}
