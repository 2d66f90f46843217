import type { JsonObject } from '#client/index.ts';
import { isMembers } from '../../form/members.ts';
import { TextField } from '../../parts/field.tsx';
import { Card } from '../../parts/page.tsx';
import { useWords } from '../../words/words.ts';
import { withMember } from './members.ts';
import { words } from './words.ts';

type Json = JsonObject[string];

/** What is limited, and from which share of what there is; undefined where nothing is said and nothing limited. */
const LIMITS = [
  ['delete', 10],
  ['shrink', 30],
  ['unlink', undefined],
  ['create', undefined],
  ['update', undefined],
  ['clear', undefined],
  ['failure', undefined],
] as const;
const AT_LEAST = 20;

/** What is done only when somebody has looked at it: it waits above both a share of what there is and a number. */
export function Limits({
  of,
  onChange,
}: {
  readonly of: Json;
  readonly onChange: (thresholds: Json) => void;
}) {
  const t = useWords(words);
  if (of === false) return <p className="soft">{t.noLimits}</p>;
  const all: JsonObject = isMembers(of) ? of : {};
  const set = (kind: string, limit: Json) => {
    const next = withMember(all, kind, limit);
    onChange(Object.keys(next).length === 0 ? undefined : next);
  };
  return (
    <Card title={t.limits}>
      <div className="stack">
        {LIMITS.map(([kind, percent]) => (
          <Limit
            key={kind}
            title={t[`limit_${kind}`]}
            percent={percent}
            of={all[kind]}
            onChange={(limit) => set(kind, limit)}
          />
        ))}
      </div>
    </Card>
  );
}

function Limit({
  title,
  percent,
  of,
  onChange,
}: {
  readonly title: string;
  readonly percent: number | undefined;
  readonly of: Json;
  readonly onChange: (limit: Json) => void;
}) {
  const t = useWords(words);
  const limit: JsonObject = isMembers(of) ? of : {};
  const set = (name: string, written: string) => {
    const next = withMember(limit, name, /^\d+$/.test(written) ? Number(written) : undefined);
    onChange(Object.keys(next).length === 0 ? undefined : next);
  };
  return (
    <div className="halves">
      <TextField
        label={`${title}: ${t.percent}`}
        value={String(limit['percent'] ?? '')}
        onChange={(value) => set('percent', value)}
        placeholder={percent === undefined ? t.unlimited : String(percent)}
        autoComplete="off"
      />
      <TextField
        label={`${title}: ${t.atLeast}`}
        value={String(limit['atLeast'] ?? '')}
        onChange={(value) => set('atLeast', value)}
        placeholder={percent === undefined ? t.unlimited : String(AT_LEAST)}
        autoComplete="off"
      />
    </div>
  );
}
