import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Diagram, type Mark } from '../../diagram/diagram.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Card, Loaded, Loading } from '../../parts/page.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { askAbout, type BesideAnother, chosenOf, VersionSelect } from './other-version.tsx';
import { textOfFile } from './process.tsx';
import { words } from './words.ts';

const Code = lazy(() => import('../../code/code.tsx'));

interface Difference {
  readonly element: string;
  readonly name: string | null;
  readonly kind: string;
  readonly change: 'removed' | 'changed' | 'added';
}

interface Version {
  readonly diagramSvg?: string;
  readonly xml?: string;
}

const LOOKS = {
  removed: { text: '−', tone: 'bad' },
  changed: { text: '~', tone: 'warn' },
  added: { text: '+', tone: 'good' },
} as const satisfies Readonly<Record<string, Mark>>;

/** Two versions of a process: what differs, as a list, at the elements of both drawings, and in the file. */
export function Compare({ definition, others, to, onGo }: BesideAnother) {
  const t = useWords(words);
  const other = chosenOf({ others, to });
  // As they came one after the other, whichever of them somebody looks at.
  const [older, newer] =
    other === undefined || other.version > definition.version ? [definition, other] : [other, definition];
  const both = useQuery({
    queryKey: ['definition', 'compare', older._id, newer?._id],
    queryFn: async () => {
      const [compared, before, after] = await Promise.all([
        askAbout<{ elements: readonly Difference[] }>('compare', older._id, newer?._id),
        readVersion(older._id),
        readVersion(newer?._id ?? ''),
      ]);
      return { elements: compared.elements, before, after };
    },
    enabled: newer !== undefined,
    retry: false,
  });
  if (newer === undefined || other === undefined) return <p className="soft">{t.noVersions}</p>;
  return (
    <div className="stack">
      <div className="narrow">
        <VersionSelect label={t.compareWith} chosen={other} others={others} onGo={onGo} />
      </div>
      <Loaded of={both}>
        {({ elements, before, after }) => (
          <>
            <Card title={t.differences(older.version, newer.version)}>
              <Differences of={elements} />
            </Card>
            {(
              [
                [older, before, 'added'],
                [newer, after, 'removed'],
              ] as const
            ).map(([of, { diagramSvg }, without]) => (
              <Card key={of._id} title={t.versionOf(of.version)}>
                {diagramSvg === undefined ? (
                  <p className="soft">{t.noDiagram}</p>
                ) : (
                  <Diagram
                    label={t.versionOf(of.version)}
                    svg={diagramSvg}
                    marks={marksOf(elements.filter(({ change }) => change !== without))}
                  />
                )}
              </Card>
            ))}
            {before.xml === undefined || after.xml === undefined ? null : (
              <Card title={t.xml}>
                <Suspense fallback={<Loading />}>
                  <Code
                    label={t.xml}
                    language="xml"
                    value={textOfFile(after.xml)}
                    before={textOfFile(before.xml)}
                  />
                </Suspense>
              </Card>
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

function Differences({ of }: { readonly of: readonly Difference[] }) {
  const t = useWords(words);
  if (of.length === 0) return <p className="soft">{t.noDifferences}</p>;
  return (
    <ul className="lines">
      {of.map(({ element, name, kind, change }) => {
        const { text, tone } = LOOKS[change];
        return (
          <li key={`${change} ${element}`}>
            <Badge tone={tone} mark={text}>
              {t[change]}
            </Badge>
            <strong>{name ?? element}</strong>
            <span className="soft">{kind}</span>
            <code>{element}</code>
          </li>
        );
      })}
    </ul>
  );
}

function marksOf(differences: readonly Difference[]): Readonly<Record<string, readonly Mark[]>> {
  return Object.fromEntries(differences.map(({ element, change }) => [element, [LOOKS[change]]]));
}

function readVersion(id: string): Promise<Version> {
  return client.send<Version>({
    method: 'GET',
    path: ['workflow', 'processdefinition', id],
    parameters: { _fields: 'diagramSvg,xml' },
  });
}
