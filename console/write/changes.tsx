import { useWords } from '../words/words.ts';
import { words } from './words.ts';
import { changesBetween, type FieldChange, shown } from './write.ts';

/** What differs, property by property. */
export function Changes({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  return <ChangeRows changes={changesBetween(before ?? {}, after ?? {})} />;
}

export function ChangeRows({ changes }: { readonly changes: readonly FieldChange[] }) {
  const t = useWords(words);
  if (changes.length === 0) return <p className="soft">{t.nothingChanges}</p>;
  return (
    <div className="changes" role="table" aria-label={t.after}>
      <div role="row" className="head">
        <span role="columnheader">{t.property}</span>
        <span role="columnheader">{t.before}</span>
        <span role="columnheader">{t.after}</span>
      </div>
      {changes.map(({ field, before, after }) => (
        <div role="row" key={field}>
          <span role="rowheader" className="mono">
            {field}
          </span>
          <span role="cell" className="before">
            <del>{shown(before)}</del>
          </span>
          <span role="cell" className="after">
            <ins>{shown(after)}</ins>
          </span>
        </div>
      ))}
    </div>
  );
}
