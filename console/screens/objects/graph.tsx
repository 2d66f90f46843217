import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Page, Stored } from '#client/index.ts';
import { ReferenceLink } from '../../form/references.tsx';
import { isReference, nameOf, type Reference, titleOf } from '../../form/schema.ts';
import { IconButton } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Loading } from '../../parts/page.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { type Edge, layOut, linesOf } from './graph-layout.ts';
import styles from './objects.module.css';
import { type ManagedType, typeQuery } from './types.ts';
import { words } from './words.ts';

/** How many ends of each relationship are drawn; the lists have all of them. */
const MOST_ENDS = 10;
const WIDTH = 208;
const HEIGHT = 52;
const COLUMN = 288;
const ROW = 64;

interface Linked extends Edge {
  readonly reference: Reference;
}

/** An object with what it is linked to, and with what that is linked to where one asks for it. */
export function Graph({ path, name }: { readonly path: string; readonly name: string }) {
  const t = useWords(words);
  const queries = useQueryClient();
  const [opened, setOpened] = useState<readonly string[]>([path]);
  const asked = useQueries({
    queries: opened.map((each) => ({
      queryKey: [`object:${each.split('/')[1] ?? ''}`, 'graph', each],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        linksOf(each, (type) => queries.ensureQueryData(typeQuery(type)), signal),
      retry: false,
    })),
  });
  const failed = asked.find(({ error }) => error !== null);
  if (failed !== undefined) return <ErrorNote error={failed.error} retry={() => failed.refetch()} />;
  if (asked[0]?.data === undefined) return <Loading />;
  const links = asked.flatMap(({ data }) => data?.links ?? []);
  const hasMore = asked.some(({ data }) => data?.hasMore === true);
  const references = new Map(links.map(({ to, reference }) => [to, reference]));
  const reasons = new Map([...links].reverse().map(({ to, title }) => [to, title]));
  const placed = layOut(path, links);
  const places = new Map(placed.map((place) => [place.path, place]));
  const width = Math.max(...placed.map(({ column }) => column)) * COLUMN + WIDTH;
  const height = Math.max(...placed.map(({ row }) => row)) * ROW + HEIGHT;
  return (
    <div className="stack">
      <div className={`card ${styles['graph']}`}>
        <div style={{ width, height }}>
          <svg width={width} height={height} aria-hidden="true">
            {linesOf(links).map(({ from, to }) => (
              <path key={`${from} ${to}`} d={lineOf(places.get(from), places.get(to))} />
            ))}
          </svg>
          <ul aria-label={t.graph}>
            {placed.map(({ path: each, column, row }) => {
              const reference = references.get(each);
              const shown = each === path || reference === undefined ? name : nameOf(reference);
              return (
                <li
                  key={each}
                  className={each === path ? styles['graph-start'] : undefined}
                  style={{ left: column * COLUMN, top: row * ROW, width: WIDTH, height: HEIGHT }}
                >
                  <span className={styles['graph-told']}>
                    {each === path || reference === undefined ? (
                      <strong>{shown}</strong>
                    ) : (
                      <ReferenceLink reference={reference} />
                    )}
                    <span className="soft">{each === path ? each : (reasons.get(each) ?? each)}</span>
                  </span>
                  {opened.includes(each) || !each.startsWith('managed/') ? null : (
                    <IconButton
                      icon="plus"
                      label={t.graphMore(shown)}
                      onPress={() => setOpened((before) => [...before, each])}
                    />
                  )}
                </li>
              );
            })}
          </ul>
        </div>
      </div>
      {links.length === 0 ? <p className="soft">{t.noLinks}</p> : null}
      {hasMore ? <p className="hint">{t.graphCut(MOST_ENDS)}</p> : null}
    </div>
  );
}

interface Position {
  readonly column: number;
  readonly row: number;
}

/** From one object to the other, as an arc beside those of one column. */
function lineOf(from: Position | undefined, to: Position | undefined): string {
  if (from === undefined || to === undefined) return '';
  const [left, right] = from.column <= to.column ? [from, to] : [to, from];
  const y = ({ row }: Position) => row * ROW + HEIGHT / 2;
  const start = left.column * COLUMN + WIDTH;
  const end = right.column * COLUMN + (left.column === right.column ? WIDTH : 0);
  const bend = (COLUMN - WIDTH) / 2;
  const before = left.column === right.column ? end + bend : end - bend;
  return `M ${start} ${y(left)} C ${start + bend} ${y(left)} ${before} ${y(right)} ${end} ${y(right)}`;
}

/** What an object is linked to by each of its relationships. @param path as references to it are written */
async function linksOf(
  path: string,
  typeOf: (type: string) => Promise<ManagedType>,
  signal: AbortSignal,
): Promise<{ readonly links: readonly Linked[]; readonly hasMore: boolean }> {
  const [, type = '', written = ''] = path.split('/');
  const id = decodeURIComponent(written);
  const { order, properties } = await typeOf(type);
  const related = order.filter((name) => properties[name]?.relationship !== undefined);
  const single = related.filter((name) => properties[name]?.relationship?.many !== true);
  const object =
    single.length === 0
      ? {}
      : await client.managed(type).read(id, { fields: single.map((name) => `${name}/*`), signal });
  const ends = await Promise.all(
    related.map(async (name) => {
      const title = titleOf(name, properties[name] ?? {});
      if (single.includes(name)) return { title, found: [Reflect.get(object, name)], hasMore: false };
      const page = await client.send<Page<Stored<Reference>>>({
        method: 'GET',
        path: ['managed', type, id, name],
        parameters: { _queryFilter: 'true', _fields: '*,_ref/*', _pageSize: String(MOST_ENDS) },
        signal,
      });
      return { title, found: page.result, hasMore: page.pagedResultsCookie !== null };
    }),
  );
  return {
    links: ends.flatMap(({ title, found }) =>
      found.filter(isReference).map((reference) => ({ from: path, to: reference._ref, title, reference })),
    ),
    hasMore: ends.some((end) => end.hasMore),
  };
}
