import { lazy, Suspense } from 'react';
import { Loading } from '../parts/page.tsx';
import { plainText } from '../words/plain-text.ts';
import { useWords } from '../words/words.ts';
import { words } from './words.ts';
import { differencesBetween, type FieldChange, shown } from './write.ts';

const Code = lazy(() => import('../code/code.tsx'));

/** What differs, property by property. */
export function Changes({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  return <ChangeRows changes={differencesBetween(before ?? {}, after ?? {})} />;
}

export function ChangeRows({ changes }: { readonly changes: readonly FieldChange[] }) {
  const t = useWords(words);
  if (changes.length === 0) return <p className="soft">{t.nothingChanges}</p>;
  const texts = changes.filter(isText);
  const values = changes.filter((change) => !isText(change));
  return (
    <>
      {values.length === 0 ? null : <ValueRows changes={values} />}
      {texts.map(({ field, before, after }) => (
        <section key={field} aria-label={field}>
          <p className="mono">{field}</p>
          <Suspense fallback={<Loading />}>
            <Code label={field} language="javascript" value={plainText(after)} before={plainText(before)} />
          </Suspense>
        </section>
      ))}
    </>
  );
}

/** A text of several lines: the lines that differ say more than all of it. */
function isText({ before, after }: FieldChange): boolean {
  const isLines = (value: unknown) => typeof value === 'string' && value.includes('\n');
  const isNone = (value: unknown) => value === undefined || value === null || typeof value === 'string';
  return (isLines(before) || isLines(after)) && isNone(before) && isNone(after);
}

function ValueRows({ changes }: { readonly changes: readonly FieldChange[] }) {
  const t = useWords(words);
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
