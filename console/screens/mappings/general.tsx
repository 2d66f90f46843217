import type { JsonObject } from '#client/index.ts';
import { ScriptField } from '../../code/script-field.tsx';
import { TextField } from '../../parts/field.tsx';
import { Flag } from '../../parts/flag.tsx';
import { Card } from '../../parts/page.tsx';
import { useWords } from '../../words/words.ts';
import { ConditionField } from './condition-field.tsx';
import { Limits } from './limits.tsx';
import { withMember } from './members.ts';
import { words } from './words.ts';

const SCRIPTS = [
  'validSource',
  'validTarget',
  'onCreate',
  'onUpdate',
  'onDelete',
  'onLink',
  'onUnlink',
  'defaultMapping',
  'postMapping',
  'onRecon',
  'result',
] as const;

/** What else a mapping says: its sides, what counts, what may be taken away, and its scripts. */
export function General({
  mapping,
  onChange,
}: {
  readonly mapping: JsonObject;
  readonly onChange: (mapping: JsonObject) => void;
}) {
  const t = useWords(words);
  const set = (name: string, value: JsonObject[string]) => onChange(withMember(mapping, name, value));
  const text = (name: string) => String(mapping[name] ?? '');
  return (
    <div className="stack">
      <div className="halves">
        <TextField
          label={t.source}
          value={text('source')}
          onChange={(value) => set('source', value)}
          hint={t.sideHint}
          autoComplete="off"
        />
        <TextField
          label={t.target}
          value={text('target')}
          onChange={(value) => set('target', value)}
          hint={t.sideHint}
          autoComplete="off"
        />
        <TextField
          label={t.links}
          value={text('links')}
          onChange={(value) => set('links', value === '' ? undefined : value)}
          hint={t.linksHint}
          autoComplete="off"
        />
        <ConditionField
          label={t.sourceCondition}
          value={mapping['sourceCondition']}
          onChange={(value) => set('sourceCondition', value)}
        />
      </div>
      <Flag
        label={t.enableSync}
        is={mapping['enableSync'] !== false && mapping['enableSync'] !== 'false'}
        onChange={(is) => set('enableSync', is ? undefined : false)}
      />
      <Flag
        label={t.enableLinking}
        is={mapping['enableLinking'] !== false && mapping['enableLinking'] !== 'false'}
        onChange={(is) => set('enableLinking', is ? undefined : false)}
      />
      <Limits of={mapping['thresholds']} onChange={(value) => set('thresholds', value)} />
      <Card title={t.hooks}>
        <div className="stack">
          {SCRIPTS.map((name) => (
            <ScriptField
              key={name}
              label={name}
              value={mapping[name]}
              onChange={(value) => set(name, value)}
            />
          ))}
        </div>
      </Card>
    </div>
  );
}
