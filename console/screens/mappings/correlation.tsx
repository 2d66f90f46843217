import type { JsonObject } from '#client/index.ts';
import { ScriptField } from '../../code/script-field.tsx';
import { Select } from '../../parts/select.tsx';
import { useWords } from '../../words/words.ts';
import { withMember } from './members.ts';
import { words } from './words.ts';

const KINDS = ['correlationQuery', 'correlationScript'] as const;
/** What a first script has, so that it shows what it is to answer. */
const EXAMPLES = {
  correlationQuery: '({ _queryFilter: "mail eq " + JSON.stringify(source.mail) })',
  correlationScript: '[]',
} as const;

/** How a target is found that is not linked yet. */
export function Correlation({
  mapping,
  onChange,
}: {
  readonly mapping: JsonObject;
  readonly onChange: (mapping: JsonObject) => void;
}) {
  const t = useWords(words);
  const kind = KINDS.find((name) => mapping[name] !== undefined && mapping[name] !== null);
  const value = kind === undefined ? undefined : mapping[kind];
  const choose = (id: string) => {
    const next = KINDS.find((name) => name === id);
    const { correlationQuery: _query, correlationScript: _script, ...others } = mapping;
    onChange(
      next === undefined
        ? others
        : { ...others, [next]: { type: 'text/javascript', source: EXAMPLES[next] } },
    );
  };
  return (
    <div className="stack">
      <p className="soft">{t.correlationSays}</p>
      {Array.isArray(value) ? (
        <p>{t.many}</p>
      ) : (
        <>
          <div className="narrow">
            <Select
              label={t.by}
              value={kind ?? ''}
              choices={[
                { id: '', title: t.nothing },
                { id: 'correlationQuery', title: t.correlationQuery },
                { id: 'correlationScript', title: t.correlationScript },
              ]}
              onChange={choose}
            />
          </div>
          {kind === undefined ? null : (
            <ScriptField
              label={t[kind]}
              value={value}
              onChange={(script) => onChange(withMember(mapping, kind, script))}
            />
          )}
        </>
      )}
    </div>
  );
}
