import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { JsonObject } from '#client/index.ts';
import type { Remark } from '../../code/code.tsx';
import { Card, Loaded } from '../../parts/page.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { ChangeRows } from '../../write/changes.tsx';
import { type Finding, Findings } from './findings.tsx';
import { words } from './words.ts';

/** What would follow from a content. */
export interface Planned {
  readonly findings: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly changes: readonly { readonly path: string; readonly from?: unknown; readonly to?: unknown }[];
  readonly effects: readonly {
    readonly kind: string;
    readonly text: string;
    readonly sample?: readonly string[];
  }[];
}

const SETTLED_MS = 500;

/** Asks what would follow, once nobody types any more. */
export function usePlan(id: string, content: JsonObject | undefined) {
  return useQuery({
    queryKey: ['plan', id, content],
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
      signal.throwIfAborted();
      return client.send<Planned>({
        method: 'POST',
        path: ['config', ...id.split('/')],
        parameters: { _action: 'plan' },
        body: { content },
        signal,
      });
    },
    enabled: content !== undefined,
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: false,
  });
}

/** The server counts lines in a text as it writes it, which is how it stands in the editor. */
export function remarksOf(plan: Planned | undefined): readonly Remark[] {
  const place = (severity: Remark['severity']) => (finding: Finding) =>
    finding.line === undefined
      ? []
      : [{ ...finding, line: finding.line, column: finding.column ?? 1, severity }];
  return plan === undefined
    ? []
    : [...plan.findings.flatMap(place('error')), ...plan.warnings.flatMap(place('warning'))];
}

export function Plan({ of }: { readonly of: ReturnType<typeof usePlan> }) {
  const t = useWords(words);
  return (
    <Card title={t.plan}>
      <Loaded of={of}>
        {({ findings, warnings, changes, effects }) => (
          <div className="stack">
            <Findings of={findings} tone="bad" />
            <Findings of={warnings} tone="warn" />
            {effects.length === 0 ? (
              <p className="soft">{t.noEffects}</p>
            ) : (
              <ul aria-label={t.effects} className="lines">
                {effects.map(({ text, sample }) => (
                  <li key={text}>
                    <span>{text}</span>
                    {sample === undefined ? null : <code className="soft">{sample.join(', ')}</code>}
                  </li>
                ))}
              </ul>
            )}
            <ChangeRows
              changes={changes.map(({ path, from, to }) => ({ field: path, before: from, after: to }))}
            />
          </div>
        )}
      </Loaded>
    </Card>
  );
}
