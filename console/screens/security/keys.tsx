import { useQuery } from '@tanstack/react-query';
import type { Page } from '#client/index.ts';
import { Badge } from '../../parts/badge.tsx';
import { Card, Empty, Loaded } from '../../parts/page.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { type Key, type Step, stepsOf } from './key-steps.ts';
import { Rotation } from './rotation.tsx';
import { words } from './words.ts';

/** The key ring by names. A key itself never leaves its node, so new ones are made there, step by step as it says below. */
export function Keys() {
  const t = useWords(words);
  const keys = useQuery({
    queryKey: ['key', 'list'],
    queryFn: () =>
      client.send<Page<Key>>({ method: 'GET', path: ['key'], parameters: { _queryFilter: 'true' } }),
    retry: false,
  });
  const columns: readonly Column<Key>[] = [
    { id: 'alias', title: t.alias, cell: ({ alias }) => alias, width: 'minmax(12rem, 1.2fr)' },
    { id: 'key', title: t.keyName, cell: ({ key }) => <code>{key}</code>, width: '9rem' },
    {
      id: 'use',
      title: t.use,
      cell: ({ encrypting, isStoredUnder }) =>
        encrypting.length > 0 ? (
          <Badge tone="good" mark="●">
            {t.inUse}
          </Badge>
        ) : (
          <Badge tone="quiet" mark="○">
            {isStoredUnder ? t.stillNeeded : t.unusedKey}
          </Badge>
        ),
      width: '12rem',
    },
    {
      id: 'nodes',
      title: t.nodes,
      cell: ({ nodes, lacking }) =>
        lacking.length === 0 ? (
          <Badge tone="good" mark="✓">
            {t.onAll(nodes.length)}
          </Badge>
        ) : (
          <Badge tone="bad" mark="✗">
            {t.lacks(lacking.join(', '))}
          </Badge>
        ),
      width: 'minmax(12rem, 1fr)',
    },
    { id: 'values', title: t.values, cell: ({ values }) => values, width: '7rem' },
    { id: 'first', title: t.firstUsed, cell: ({ firstUsedAt }) => <Ago at={firstUsedAt} />, width: '9rem' },
  ];
  return (
    <div className="stack">
      <Loaded of={keys}>
        {({ result }) =>
          result.length === 0 ? (
            <Empty icon="security" title={t.noRing} />
          ) : (
            <>
              <Table label={t.keys} columns={columns} rows={result} idOf={({ _id }) => _id} />
              <Next of={stepsOf(result)} />
            </>
          )
        }
      </Loaded>
      <Rotation isDue={stepsOf(keys.data?.result ?? []).some(({ act }) => act === 'encrypt')} />
      <Card title={t.rotation}>
        <ol className="lines">
          {(
            [
              ['svc keys add svc-sym-default', t.stepAdd],
              ['keys.json', t.stepSpread],
              ['svc keys use svc-sym-default <key>', t.stepUse],
              ['svc keys rotate', t.stepRotate],
            ] as const
          ).map(([command, says]) => (
            <li key={command}>
              <code>{command}</code>
              <span className="soft">{says}</span>
            </li>
          ))}
        </ol>
      </Card>
    </div>
  );
}

/** What is due, in words, with the command of what only a command line does. */
function Next({ of }: { readonly of: readonly Step[] }) {
  const t = useWords(words);
  return (
    <Card title={t.nextSteps}>
      {of.length === 0 ? <p>{t.noStep}</p> : null}
      <ul className="lines">
        {of.map((step) => (
          <li key={step.key._id} className="row">
            <span>{saysOf(step, t)}</span>
            {step.act === 'use' ? <code>{`svc keys use ${step.key.alias} ${step.key.key}`}</code> : null}
          </li>
        ))}
      </ul>
      <p className="soft">{t.shownAfterStart}</p>
    </Card>
  );
}

function saysOf(step: Step, t: typeof words.en): string {
  const { key, lacking } = step.key;
  if (step.act === 'spread') return t.doSpread(key, lacking.join(', '));
  if (step.act === 'restart') return t.doRestart(key, step.nodes.join(', '));
  return step.act === 'use' ? t.doUse(key) : t.doEncrypt(key);
}
