import { Link } from '@tanstack/react-router';
import { DONE, fileOf, type Hook, hooksOf, runAsOf, runsAt, workbenchOf } from '../../declared/hooks.ts';
import { useManaged } from '../../declared/use-managed.ts';
import { words as declaredWords } from '../../declared/words.ts';
import { Loaded } from '../../parts/page.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { words } from './words.ts';

/** Which scripts run for this object, at what, and where each is rehearsed with it. */
export function HooksTab({ type, id }: { readonly type: string; readonly id: string }) {
  const t = useWords(words);
  const c = useWords(common);
  const d = useWords(declaredWords);
  const managed = useManaged();
  const columns: readonly Column<Hook>[] = [
    {
      id: 'name',
      title: d.hook,
      cell: ({ name, property }) => (
        <>
          <code>{name}</code> {property === undefined ? null : d.ofProperty(property)}
        </>
      ),
      width: 'minmax(12rem, 1fr)',
    },
    ...DONE.map(
      (done): Column<Hook> => ({
        id: done,
        title: t.doneWith[done],
        cell: (hook) => (runsAt(hook, done) ? c.yes : ''),
        width: '7rem',
      }),
    ),
    {
      id: 'script',
      title: d.script,
      cell: (hook) => <Script hook={hook} type={type} id={id} />,
      width: 'minmax(16rem, 1.5fr)',
    },
    { id: 'moment', title: d.runs, cell: ({ name }) => d[name], width: 'minmax(20rem, 2fr)' },
  ];
  return (
    <Loaded of={managed}>
      {({ content }) => {
        const declared = content.objects.find(({ name }) => name === type);
        const hooks =
          declared === undefined ? [] : hooksOf(declared).filter(({ script }) => script !== undefined);
        return (
          <div className="stack">
            {hooks.length === 0 ? (
              <p className="soft">{t.noHooks}</p>
            ) : (
              <Table
                label={d.hooks}
                columns={columns}
                rows={hooks}
                idOf={({ name, property = '' }) => `${name} ${property}`}
                maxHeight="none"
              />
            )}
            <p className="linked-text">
              <Link to={`/types/${encodeURIComponent(type)}`} search={{ tab: 'hooks' }}>
                {t.hooksOfType}
              </Link>
            </p>
          </div>
        );
      }}
    </Loaded>
  );
}

function Script({ hook, type, id }: { readonly hook: Hook; readonly type: string; readonly id: string }) {
  const d = useWords(declaredWords);
  const file = fileOf(hook);
  return file === undefined ? (
    <Link to={`/types/${encodeURIComponent(type)}`} search={{ tab: 'hooks' }}>
      {d.inline}
    </Link>
  ) : (
    <Link to={workbenchOf(file)} search={{ use: runAsOf(hook), type, with: id }}>
      {file}
    </Link>
  );
}
