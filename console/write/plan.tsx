import type { Remark } from '../code/code.tsx';
import { Card, Loaded } from '../parts/page.tsx';
import { useWords } from '../words/words.ts';
import { ChangeRows } from './changes.tsx';
import { Findings } from './findings.tsx';
import type { Finding, Planned, usePlan } from './use-plan.ts';
import { words } from './words.ts';

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
              <ul aria-label={t.follows} className="lines">
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
