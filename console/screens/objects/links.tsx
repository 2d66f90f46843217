import { useQuery } from '@tanstack/react-query';
import { ReferenceLink, References } from '../../form/references.tsx';
import { isReference, nameOf, type Property, type Reference, titleOf } from '../../form/schema.ts';
import { usePages } from '../../live/pages.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button, IconButton } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Card, Loaded, Loading } from '../../parts/page.tsx';
import { Moment } from '../../parts/time.tsx';
import { client } from '../../session/client.ts';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import styles from './objects.module.css';
import type { ManagedType } from './types.ts';
import { words } from './words.ts';

const PAGE_SIZE = '25';

/** Every relationship that may have many ends, page by page; and for whoever has roles, why. */
export function Links({
  managed,
  id,
  owner,
  names,
  mayChange,
}: {
  readonly managed: ManagedType;
  readonly id: string;
  /** What the object is called. */
  readonly owner: string;
  readonly names: readonly string[];
  readonly mayChange: boolean;
}) {
  const t = useWords(words);
  const explains = managed.actions.includes('explain');
  if (names.length === 0 && !explains) return <p className="soft">{t.noLinks}</p>;
  return (
    <div className="stack">
      {explains ? <Effective type={managed.type} id={id} /> : null}
      {names.map((name) => (
        <Ends
          key={name}
          type={managed.type}
          id={id}
          owner={owner}
          name={name}
          property={managed.properties[name] ?? {}}
          mayChange={mayChange}
        />
      ))}
    </div>
  );
}

function Ends({
  type,
  id,
  owner,
  name,
  property,
  mayChange,
}: {
  readonly type: string;
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly property: Property;
  readonly mayChange: boolean;
}) {
  const t = useWords(words);
  const c = useWords(common);
  const review = useReview();
  const path = ['managed', type, id, name];
  const topic = `object:${type}`;
  const ends = usePages<Reference>({
    key: [topic, 'ends', id, name],
    path: path.join('/'),
    parameters: { _queryFilter: 'true', _fields: '*,_ref/*', _pageSize: PAGE_SIZE },
  });
  const title = titleOf(name, property);
  const add = (value: unknown) => {
    const found = Array.isArray(value) ? value.at(-1) : value;
    if (!isReference(found)) return;
    void review({
      title: `${title}: ${nameOf(found)}`,
      done: `${title}: ${nameOf(found)}`,
      call: { method: 'POST', path, parameters: { _action: 'create' }, body: { _ref: found._ref } },
      touches: [topic],
    });
  };
  const remove = (end: Reference) =>
    void review({
      title: t.unlinked(nameOf(end), title),
      done: t.unlinkedDone(nameOf(end), title, owner),
      call: { method: 'DELETE', path: [...path, String(end._refProperties?.['_id'])] },
      touches: [topic],
    });
  const { rows } = ends;
  return (
    <Card title={title}>
      <div className="stack">
        {ends.error === null ? null : <ErrorNote error={ends.error} retry={ends.refetch} />}
        {rows === undefined ? (
          <Loading />
        ) : rows.length === 0 ? (
          <p className="soft">{t.noLinks}</p>
        ) : (
          <ul>
            {rows.map((end) => (
              <li key={String(end._refProperties?.['_id'] ?? end._ref)} className="row">
                <ReferenceLink reference={end} />
                <span className="soft grow">{end._ref}</span>
                {isConditional(end) ? (
                  <ByCondition end={end} />
                ) : mayChange ? (
                  <IconButton icon="close" label={`${c.delete} ${nameOf(end)}`} onPress={() => remove(end)} />
                ) : null}
              </li>
            ))}
          </ul>
        )}
        {ends.hasMore ? (
          <div>
            <Button onPress={ends.more} isPending={ends.isMoreComing}>
              {t.showMore}
            </Button>
          </div>
        ) : null}
        {mayChange ? (
          <References
            name={name}
            label={title}
            kind="reference"
            property={property}
            value={[]}
            onChange={add}
            isReadOnly={false}
            hint={undefined}
            problem={undefined}
            isFinderOnly
          />
        ) : null}
      </div>
    </Card>
  );
}

function isConditional({ _refProperties }: Reference): boolean {
  return _refProperties?.['_grantType'] === 'conditional';
}

/** Nobody can take away what a condition gives: it would be given again at once. */
function ByCondition({ end }: { readonly end: Reference }) {
  const t = useWords(words);
  const { condition } = end;
  return (
    <span className="row">
      <Badge tone="info" mark="◆">
        {t.conditional}
      </Badge>
      {typeof condition === 'string' ? <code>{condition}</code> : null}
      <span className="soft">{t.conditionalStays}</span>
    </span>
  );
}

interface Reason {
  readonly _ref: string;
  readonly via?: string;
  readonly inEffect?: boolean;
  readonly by?: string;
  readonly at?: string;
  readonly condition?: string;
}

/** Which roles count for somebody, and where each comes from. */
function Effective({ type, id }: { readonly type: string; readonly id: string }) {
  const t = useWords(words);
  const reasons = useQuery({
    queryKey: [`object:${type}`, 'explain', id],
    queryFn: () =>
      client.managed(type).action<{ effectiveRoles?: readonly Reason[] }>('explain', {
        id,
        body: { property: 'effectiveRoles' },
      }),
    retry: false,
  });
  return (
    <Card title={t.effective}>
      <Loaded of={reasons}>
        {({ effectiveRoles = [] }) =>
          effectiveRoles.length === 0 ? (
            <p className="soft">{t.noRoles}</p>
          ) : (
            <ul>
              {effectiveRoles.map((reason) => (
                <li key={`${reason._ref} ${reason.via ?? ''}`} className={styles['entry']}>
                  <span className="row">
                    <ReferenceLink reference={{ _ref: reason._ref }} />
                    <Badge
                      tone={reason.inEffect === false ? 'quiet' : 'good'}
                      mark={reason.inEffect === false ? '○' : '●'}
                    >
                      {viaOf(reason.via ?? '', t)}
                    </Badge>
                  </span>
                  <span className="soft">
                    {reason.condition === undefined ? null : <code>{reason.condition} </code>}
                    {reason.by === undefined ? null : `${t.by} ${reason.by} `}
                    {reason.at === undefined ? null : <Moment at={reason.at} />}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

function viaOf(via: string, t: Readonly<Record<string, unknown>>): string {
  const said = t[via];
  return typeof said === 'string' ? said : via;
}
