import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { type DryRun, type JsonObject, SvcError } from '#client/index.ts';
import type { Remark } from '../../code/code.tsx';
import { parsedMembers } from '../../form/members.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { TextField } from '../../parts/field.tsx';
import { Card } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { Took } from '../../parts/time.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { Report } from '../../write/report.tsx';
import { differencesBetween } from '../../write/write.ts';
import { addressOf } from './list-page.tsx';
import { type ScriptSearch, scriptRoute } from './routes.ts';
import { type Bindings, type RunAs, useUses } from './run-as.ts';
import { words } from './words.ts';

/** What a script has answered, and what it has made of the variables whose changes go on. */
interface Ran {
  readonly result?: unknown;
  readonly kept: JsonObject;
}

type Outcome =
  | { readonly is: 'running' }
  | { readonly is: 'done'; readonly report: DryRun<Ran>; readonly given: JsonObject; readonly ms: number }
  | { readonly is: 'failed'; readonly error: unknown };

/** Runs a text as what it is for, with an object that there is, and keeps nothing of it. */
export function Rehearsal({
  type,
  source,
  runAs,
  search,
  bindings,
  count,
  onFailedAt,
}: {
  readonly type: string;
  readonly source: string;
  readonly runAs: RunAs;
  readonly search: ScriptSearch;
  readonly bindings: Bindings | undefined;
  /** How often it was asked for. */
  readonly count: number;
  readonly onFailedAt: (place: Remark) => void;
}) {
  const t = useWords(words);
  const navigate = useNavigate();
  const uses = useUses();
  const { _splat: path = '' } = scriptRoute.useParams();
  const [given, setGiven] = useState('');
  const [outcome, setOutcome] = useState<Outcome>();
  const done = useRef(count);
  const go = (change: ScriptSearch) =>
    void navigate({
      to: addressOf(path),
      search: {
        use: runAs.use,
        ...(runAs.type === undefined ? {} : { type: runAs.type }),
        ...search,
        ...change,
      },
      replace: true,
    });
  const takesObject = bindings?.globals.some(({ properties }) => properties !== undefined) === true;
  const sample = useSample(takesObject ? bindings : undefined, runAs.type ?? '', search.with ?? '');
  const text = given === '' && sample.data !== undefined ? JSON.stringify(sample.data, null, 2) : given;
  const variables = parse(text);
  const run = async () => {
    setOutcome({ is: 'running' });
    const began = performance.now();
    try {
      const report = await client.send<DryRun<Ran>>({
        method: 'POST',
        path: ['script'],
        parameters: { _action: 'eval', _dryRun: 'true' },
        body: { ...variables, type, source, use: runAs.use, diagnostics: true },
      });
      setOutcome({ is: 'done', report, given: variables ?? {}, ms: performance.now() - began });
    } catch (error) {
      setOutcome({ is: 'failed', error });
      const place = placeOf(error);
      if (place !== undefined) onFailedAt(place);
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when it is asked for, and not when something is typed
  useEffect(() => {
    if (count === done.current) return;
    done.current = count;
    void run();
  }, [count]);
  return (
    <Card title={t.rehearsal}>
      <div className="stack">
        <div className="halves">
          <Select
            label={t.runAs}
            value={runAs.use}
            choices={(uses.data ?? [{ use: runAs.use, title: runAs.use }]).map(({ use, title }) => ({
              id: use,
              title: `${use}: ${title}`,
            }))}
            onChange={(use) => {
              setGiven('');
              go({ use });
            }}
          />
          {takesObject || runAs.type !== undefined ? (
            <TextField
              label={t.withObject(runAs.type ?? '')}
              value={search.with ?? ''}
              onChange={(id) => {
                setGiven('');
                go({ with: id });
              }}
              hint={t.withHint}
              autoComplete="off"
            />
          ) : null}
        </div>
        <TextField
          label={t.variables}
          value={text}
          onChange={setGiven}
          hint={bindings?.globals.flatMap(({ name, from }) => (from === 'use' ? [name] : [])).join(', ')}
          isMultiline
          problem={variables === undefined ? t.notJson : undefined}
        />
        {sample.error === null ? null : <ErrorNote error={sample.error} />}
        <div>
          <Button icon="play" isPending={outcome?.is === 'running'} onPress={() => void run()}>
            {t.rehearse}
          </Button>
        </div>
        {outcome?.is === 'failed' ? <Failure error={outcome.error} /> : null}
        {outcome?.is === 'done' ? <Result {...outcome} /> : null}
      </div>
    </Card>
  );
}

/** The variables of a hook as they would be for an object. */
function useSample(bindings: Bindings | undefined, type: string, id: string) {
  return useQuery({
    queryKey: [`object:${type}`, 'sample', id, bindings?.use],
    queryFn: async () => {
      const object = await client.send<JsonObject>({ method: 'GET', path: ['managed', type, id] });
      return bindings === undefined ? {} : variablesOf(bindings, object, `managed/${type}/${id}`);
    },
    enabled: bindings !== undefined && type !== '' && id !== '',
    retry: false,
  });
}

const EMPTY: Readonly<Record<string, JsonObject[string]>> = { string: '', array: [], object: {} };

/** Each variable that the hook has: the object in all of its states is the one that there is. */
function variablesOf({ use, globals }: Bindings, object: JsonObject, resourceName: string): JsonObject {
  const method = /create|update|delete/.exec(use.toLowerCase())?.[0] ?? 'read';
  const known: JsonObject = {
    resourceName,
    value: object,
    request: { method, resourcePath: resourceName, content: object },
  };
  const own = globals.filter(({ name, from }) => from === 'use' && name !== 'context');
  return Object.fromEntries(
    own.map(({ name, type = '', properties }) => [
      name,
      properties === undefined ? (known[name] ?? EMPTY[String(type)] ?? null) : object,
    ]),
  );
}

function Result({ report, given, ms }: Extract<Outcome, { readonly is: 'done' }>) {
  const t = useWords(words);
  const { result, kept } = report.result;
  const before = Object.fromEntries(Object.keys(kept).map((name) => [name, given[name]]));
  const differences = differencesBetween(before, kept);
  return (
    <section className="stack" aria-label={t.result}>
      <p className="row">
        <strong>{t.result}</strong> <Took ms={Math.round(ms)} />
      </p>
      <pre className="code card-body">{JSON.stringify(result, null, 2) ?? t.nothing}</pre>
      <Report report={report} first={differences.length === 0 ? undefined : differences} />
      <Trace steps={report.trace} />
    </section>
  );
}

/** What was done before it failed. */
function Failure({ error }: { readonly error: unknown }) {
  const t = useWords(words);
  const { log, trace } = rehearsedOf(error);
  return (
    <div className="stack">
      <ErrorNote error={error} />
      {log.length === 0 ? null : (
        <>
          <p>
            <strong>{t.log}</strong>
          </p>
          <pre className="code card-body">{log.map(({ message }) => String(message)).join('\n')}</pre>
        </>
      )}
      <Trace steps={trace} />
    </div>
  );
}

/** Its steps with their times, the nested ones further in. */
function Trace({ steps }: { readonly steps: readonly JsonObject[] }) {
  const t = useWords(words);
  if (steps.length === 0) return null;
  const parents = new Map(steps.map(({ n, parent }) => [n, parent]));
  const depthOf = (n: unknown): number => {
    const parent = parents.get(Number(n));
    return parent === undefined || parent === null ? 0 : 1 + depthOf(parent);
  };
  return (
    <details>
      <summary>{t.trace(steps.length)}</summary>
      <ol>
        {steps.map(({ n, step, resource, script, ms }) => (
          <li key={String(n)} className="row" style={{ paddingInlineStart: `${depthOf(n)}rem` }}>
            <code>{String(step)}</code>
            <span className="soft grow">
              {[resource, script].filter((part) => part !== undefined).join(' ')}
            </span>
            <Took ms={Number(ms)} />
          </li>
        ))}
      </ol>
    </details>
  );
}

interface Rehearsed {
  readonly at?: { readonly line?: number; readonly column?: number; readonly script?: string };
  readonly log: readonly JsonObject[];
  readonly trace: readonly JsonObject[];
}

function rehearsedOf(error: unknown): Rehearsed {
  const found = error instanceof SvcError ? error.body.detail?.['dryRun'] : undefined;
  const { at, log, trace }: Readonly<Record<string, unknown>> = typeof found === 'object' ? { ...found } : {};
  return {
    ...(typeof at === 'object' && at !== null ? { at } : {}),
    log: Array.isArray(log) ? log : [],
    trace: Array.isArray(trace) ? trace : [],
  };
}

/** Where in this very text it failed. */
function placeOf(error: unknown): Remark | undefined {
  const { line, column = 1, script } = rehearsedOf(error).at ?? {};
  if (line === undefined || script !== undefined || !(error instanceof SvcError)) return undefined;
  return { line, column, severity: 'error', message: error.message };
}

function parse(text: string): JsonObject | undefined {
  return text.trim() === '' ? {} : parsedMembers(text);
}
