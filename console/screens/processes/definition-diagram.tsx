import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Diagram, type Mark } from '../../diagram/diagram.tsx';
import { Card, Loaded } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Took } from '../../parts/time.tsx';
import { client } from '../../session/client.ts';
import { useLanguage, useWords } from '../../words/words.ts';
import type { DefinitionSearch } from './routes.ts';
import { words } from './words.ts';

/** What one element has done: now, and in the last thirty days. */
interface Figures {
  readonly element: string;
  readonly name: string | null;
  readonly running: number;
  readonly failed: number;
  readonly waiting: number;
  readonly entered: number;
  readonly left: number;
  readonly durationMs: {
    readonly p50: number | null;
    readonly p95: number | null;
    readonly max: number | null;
  };
}

interface Statistics {
  readonly elements: readonly Figures[];
  readonly truncated?: boolean;
  readonly mostInstances?: number;
  readonly hint?: string;
}

const HEATS = ['now', 'entered', 'p95'] as const;

/** The process, and at each element what goes on there: now, how often, or for how long. */
export function DefinitionDiagram({
  id,
  search,
  onGo,
}: {
  readonly id: string;
  readonly search: DefinitionSearch;
  readonly onGo: (change: DefinitionSearch) => void;
}) {
  const t = useWords(words);
  const language = useLanguage();
  const drawing = useQuery({
    queryKey: ['definition', 'diagram', id],
    queryFn: () =>
      client.send<{ diagramSvg?: string }>({
        method: 'GET',
        path: ['workflow', 'processdefinition', id],
        parameters: { _fields: 'diagramSvg' },
      }),
    retry: false,
  });
  const statistics = useQuery({
    queryKey: ['instance', 'statistics', id],
    queryFn: () =>
      client.send<Statistics>({
        method: 'POST',
        path: ['workflow', 'processdefinition', id],
        parameters: { _action: 'statistics' },
        body: {},
      }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const heat = HEATS.find((each) => each === search.heat) ?? 'now';
  const number = new Intl.NumberFormat(language, { notation: 'compact' });
  const span = (ms: number) => spanText(ms, language);
  const marksOf = (figures: Figures): readonly Mark[] => {
    if (heat === 'entered') {
      return figures.entered === 0 ? [] : [{ text: number.format(figures.entered), tone: 'info' }];
    }
    if (heat === 'p95') {
      const { p95 } = figures.durationMs;
      return p95 === null ? [] : [{ text: span(p95), tone: 'info' }];
    }
    return [
      ...(figures.failed > 0 ? [{ text: `! ${figures.failed}`, tone: 'bad' } as const] : []),
      ...(figures.running > 0 ? [{ text: number.format(figures.running), tone: 'info' } as const] : []),
      ...(figures.waiting > 0 ? [{ text: `◷ ${figures.waiting}`, tone: 'warn' } as const] : []),
    ];
  };
  return (
    <div className="stack">
      <div className="narrow">
        <Select
          label={t.heat}
          value={heat}
          choices={HEATS.map((each) => ({ id: each, title: t[each] }))}
          onChange={(next) => onGo({ heat: next })}
        />
      </div>
      <Loaded of={drawing}>
        {({ diagramSvg }) =>
          diagramSvg === undefined ? (
            <p className="soft">{t.noDiagram}</p>
          ) : (
            <Diagram
              label={t.diagram}
              svg={diagramSvg}
              marks={Object.fromEntries(
                (statistics.data?.elements ?? []).map((figures) => [figures.element, marksOf(figures)]),
              )}
              chosen={search.element}
              onChoose={(element) => onGo({ element: search.element === element ? undefined : element })}
            />
          )
        }
      </Loaded>
      <Card title={t.elements}>
        <Loaded of={statistics}>
          {({ elements, truncated, mostInstances, hint }) => (
            <div className="stack">
              {elements.length === 0 ? (
                <p className="soft">{t.noElements}</p>
              ) : (
                <ElementTable
                  elements={elements}
                  chosen={search.element}
                  onChoose={(element) => onGo({ element })}
                />
              )}
              {truncated === true ? <p className="hint">{t.cut(mostInstances ?? 0)}</p> : null}
              {hint === undefined ? null : <p className="hint">{hint}</p>}
            </div>
          )}
        </Loaded>
      </Card>
    </div>
  );
}

function ElementTable({
  elements,
  chosen,
  onChoose,
}: {
  readonly elements: readonly Figures[];
  readonly chosen: string | undefined;
  readonly onChoose: (element: string) => void;
}) {
  const t = useWords(words);
  const count = (title: string, of: (row: Figures) => number): Column<Figures> => ({
    id: title,
    title,
    cell: of,
    width: '7rem',
  });
  const columns: readonly Column<Figures>[] = [
    {
      id: 'name',
      title: t.element,
      cell: ({ name, element }) => name ?? element,
      width: 'minmax(14rem, 2fr)',
    },
    count(t.running, ({ running }) => running),
    count(t.failed, ({ failed }) => failed),
    count(t.waiting, ({ waiting }) => waiting),
    count(t.entered, ({ entered }) => entered),
    count(t.left, ({ left }) => left),
    { id: 'p50', title: t.median, cell: ({ durationMs }) => <Took ms={durationMs.p50} />, width: '7rem' },
    { id: 'p95', title: t.p95, cell: ({ durationMs }) => <Took ms={durationMs.p95} />, width: '7rem' },
  ];
  return (
    <Table
      label={t.elements}
      columns={columns}
      rows={elements}
      idOf={({ element }) => element}
      onOpen={({ element }) => onChoose(element)}
      selected={chosen}
    />
  );
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** Short enough for a mark, such as '2.1 d'. */
function spanText(ms: number, language: string): string {
  const [unit, length] = UNITS.find(([, least]) => ms >= least) ?? ['millisecond', 1];
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay: 'narrow',
    maximumFractionDigits: 1,
  }).format(ms / length);
}
