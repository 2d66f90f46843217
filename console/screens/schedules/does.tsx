import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import type { DryRun, JsonObject } from '#client/index.ts';
import { isPlainScript, ScriptField } from '../../code/script-field.tsx';
import { parsedMembers } from '../../form/members.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { TextField } from '../../parts/field.tsx';
import { Card, Loading } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { Report } from '../../write/report.tsx';
import { contextFor, isGoodContext, rehearsalOf, SERVICES, shortService } from './declaration.ts';
import { words } from './words.ts';

const Code = lazy(() => import('../../code/code.tsx'));

const OTHER = '';

/** What a schedule has run, and what that would do now. */
export function Does({
  declared,
  text,
  onChange,
}: {
  readonly declared: JsonObject;
  /** As it stands in the editor, whether that is JSON or not. */
  readonly text: string | undefined;
  readonly onChange: (member: string, value: unknown) => void;
}) {
  const t = useWords(words);
  const service = shortService(declared['invokeService']);
  const context: JsonObject = { ...Object(declared['invokeContext']) };
  const { script = null, ...input } = context;
  const isScript = service === 'script' && isPlainScript(script) && Object.keys(input).length === 0;
  const known = SERVICES.find((each) => each === service);
  const rehearsal = rehearsalOf(declared);
  const rehearse = useMutation({
    mutationFn: async () => {
      if (rehearsal === undefined) throw new Error(service);
      return client.send<DryRun<unknown>>(rehearsal);
    },
  });
  const write = (next: string) => {
    onChange('contextText', next);
    const parsed = parsedMembers(next);
    if (parsed !== undefined) onChange('invokeContext', parsed);
  };
  return (
    <Card title={t.does}>
      <div className="stack">
        <div className="halves">
          <Select
            label={t.service}
            value={known ?? OTHER}
            choices={[
              { id: 'script', title: t.serviceScript },
              { id: 'taskscanner', title: t.serviceScan },
              { id: OTHER, title: t.serviceOther },
            ]}
            onChange={(next) => {
              onChange('invokeService', next);
              onChange('invokeContext', contextFor(next));
              onChange('contextText', undefined);
            }}
          />
          {known === undefined ? (
            <TextField
              label={t.serviceName}
              value={service}
              onChange={(next) => onChange('invokeService', next)}
              autoComplete="off"
            />
          ) : null}
        </div>
        {isScript ? (
          <ScriptField
            label={t.script}
            value={script}
            onChange={(next) => onChange('invokeContext', { script: next ?? null })}
          />
        ) : (
          <>
            <Suspense fallback={<Loading />}>
              <Code
                label={t.context}
                language="json"
                value={text ?? JSON.stringify(context, null, 2)}
                onChange={write}
              />
            </Suspense>
            {isGoodContext(text) ? null : <p className="problem">{t.notJson}</p>}
          </>
        )}
        {rehearsal === undefined ? null : (
          <div>
            <Button icon="play" isPending={rehearse.isPending} onPress={() => rehearse.mutate()}>
              {t.rehearse}
            </Button>
          </div>
        )}
        {rehearse.error === null ? null : <ErrorNote error={rehearse.error} />}
        {rehearse.data === undefined ? null : (
          <section className="stack" aria-label={t.wouldDo}>
            <p className="soft">{t.rehearsed}</p>
            <pre className="code card-body">{JSON.stringify(rehearse.data.result, null, 2) ?? t.nothing}</pre>
            <Report report={rehearse.data} />
          </section>
        )}
      </div>
    </Card>
  );
}
