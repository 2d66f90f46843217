import type { Change, DryRun, JsonObject } from '#client/index.ts';
import { Badge } from '../parts/badge.tsx';
import { Icon } from '../parts/icon.tsx';
import { Took } from '../parts/time.tsx';
import { useWords } from '../words/words.ts';
import { ChangeRows, Changes } from './changes.tsx';
import { words } from './words.ts';
import type { FieldChange } from './write.ts';

/** What a rehearsal has found: what it is about first, then what else would change, and what ran. */
export function Report({
  report,
  first: shows,
}: {
  readonly report: DryRun<unknown>;
  /** What it is about, where the screen can tell that better. */
  readonly first?: readonly FieldChange[] | undefined;
}) {
  const t = useWords(words);
  const [first] = report.changes;
  const others = report.changes.slice(shows === undefined ? 1 : 0);
  const hooks = report.trace.filter(({ hook }) => typeof hook === 'string');
  const warnings = warningsOf(report);
  return (
    <div className="stack">
      {warnings.map((warning) => (
        <p className="note warn" key={warning}>
          <Icon name="warn" />
          <span className="note-body">{warning}</span>
        </p>
      ))}
      <Tried of={triedOf(report)} />
      {shows !== undefined ? (
        <ChangeRows changes={shows} />
      ) : first === undefined ? (
        <p className="soft">{t.nothingChanges}</p>
      ) : (
        <OneChange change={first} />
      )}
      {others.length === 0 ? null : (
        <details>
          <summary>{t.others(others.length)}</summary>
          <div className="stack">
            {others.map((change) => (
              <OneChange key={`${change.resource} ${change.operation}`} change={change} />
            ))}
          </div>
        </details>
      )}
      {report.effects.length === 0 ? null : (
        <details open>
          <summary>{t.effects(report.effects.length)}</summary>
          <pre>{report.effects.map((effect) => JSON.stringify(effect)).join('\n')}</pre>
        </details>
      )}
      {hooks.length === 0 ? null : (
        <details>
          <summary>{t.hooks}</summary>
          <ul>
            {hooks.map((step) => (
              <li key={String(step['n'])} className="row">
                <code>{String(step['hook'])}</code>
                <span className="soft">{textOf(step['script'])}</span>
                <Took ms={Number(step['ms'])} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {report.log.length === 0 ? null : (
        <details>
          <summary>{t.log}</summary>
          <pre>{report.log.map((line) => textOf(line['message'])).join('\n')}</pre>
        </details>
      )}
      {report.truncated === true ? <p className="hint">{t.truncated}</p> : null}
      {report.withheld === true ? <p className="hint">{t.withheld}</p> : null}
    </div>
  );
}

interface Trial {
  readonly object: string;
  readonly outcome: string;
  readonly error: string;
}

/** The first of many objects, on which it was tried. */
function Tried({ of }: { readonly of: readonly Trial[] }) {
  const t = useWords(words);
  if (of.length === 0) return null;
  return (
    <section aria-label={t.tried} className="stack">
      <p>{t.tried}</p>
      <ul className="lines">
        {of.map(({ object, outcome, error }) => {
          const isFailed = outcome.startsWith('fail');
          return (
            <li key={object}>
              <Badge tone={isFailed ? 'bad' : 'good'} mark={isFailed ? '✗' : '✓'}>
                {isFailed ? t.failed : outcome === 'skipped' ? t.skipped : t.succeeded}
              </Badge>
              <code>{object}</code>
              <span>{error}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The trials of a scan stand in `tried`, those of an operation in `rehearsal`. */
function triedOf({ result }: DryRun<unknown>): readonly Trial[] {
  const { tried, rehearsal }: Readonly<Record<string, unknown>> = { ...Object(result) };
  const { objects }: Readonly<Record<string, unknown>> = { ...Object(rehearsal) };
  const listed = [tried, objects].find(Array.isArray) ?? [];
  return listed.map((each): Trial => {
    const { objectID, object = objectID, outcome, error }: Readonly<Record<string, unknown>> = { ...each };
    const { message = error }: Readonly<Record<string, unknown>> = { ...Object(error) };
    return {
      object: String(object),
      outcome: String(outcome),
      error: typeof message === 'string' ? message : '',
    };
  });
}

function OneChange({ change }: { readonly change: Change }) {
  const t = useWords(words);
  const said = { create: t.create, update: t.update, delete: t.delete }[change.operation] ?? change.operation;
  return (
    <div className="stack">
      <p>
        <code>{change.resource}</code> <span className="soft">{said}</span>
      </p>
      {change.operation === 'delete' ? null : <Changes before={change.before} after={change.after} />}
    </div>
  );
}

function warningsOf({ result }: DryRun<unknown>): readonly string[] {
  if (typeof result !== 'object' || result === null || !('warnings' in result)) return [];
  const { warnings } = result;
  return Array.isArray(warnings) ? warnings.map((warning) => textOf(warning)) : [];
}

function textOf(value: JsonObject[string]): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
