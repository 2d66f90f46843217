import { SvcError } from '#client/index.ts';
import { BASE } from '../session/client.ts';
import { common } from '../words/common.ts';
import { useWords } from '../words/words.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** What went wrong, what to do about it, and by what names the trail knows it. */
export function ErrorNote({
  error,
  retry,
}: {
  readonly error: unknown;
  readonly retry?: (() => void) | undefined;
}) {
  const t = useWords(common);
  const said = error instanceof SvcError ? error : undefined;
  const message = error instanceof Error ? error.message : String(error);
  const isRefused = said?.id === 'ACCESS_DENIED';
  const excerpt = said?.body.detail?.['excerpt'];
  return (
    <div className="note bad" role="alert">
      <Icon name="bad" />
      <div className="note-body">
        <p className="title">{message}</p>
        {isRefused ? (
          <p>
            {t.refused} <a href={`${BASE}me`}>{t.ownPages}</a>
          </p>
        ) : said?.hint === undefined ? null : (
          <p>{said.hint}</p>
        )}
        {typeof excerpt === 'string' ? <pre>{excerpt}</pre> : null}
        {said === undefined ? null : <Findings of={said.body.detail} />}
        <p className="ids">
          <Id label={t.field} id={said?.field} />
          <Id label={t.errorId} id={said?.id} />
          <Id label={t.requestId} id={said?.requestId} />
        </p>
      </div>
      {retry === undefined ? null : <Button onPress={retry}>{t.retry}</Button>}
    </div>
  );
}

/** Everything that is wrong, where the server has found more than the message says. */
function Findings({ of: detail = {} }: { readonly of: SvcError['body']['detail'] }) {
  const listed = [detail['findings'], detail['refusals'], detail['mistakes']].find(Array.isArray) ?? [];
  if (listed.length === 0) return null;
  return (
    <ul className="linked-text">
      {listed.map((finding) => (
        <li key={JSON.stringify(finding)}>{findingText(finding)}</li>
      ))}
    </ul>
  );
}

function findingText(finding: unknown): string {
  if (typeof finding !== 'object' || finding === null) return String(finding);
  const { element, file, line, field, message }: Readonly<Record<string, unknown>> = { ...finding };
  const place = [element ?? file ?? field, line].filter((part) => part !== undefined).join(':');
  const said = typeof message === 'string' ? message : JSON.stringify(finding);
  return place === '' ? said : `${place} ${said}`;
}

function Id({ label, id }: { readonly label: string; readonly id: string | undefined }) {
  if (id === undefined) return null;
  return (
    <span>
      {label} <code>{id}</code>
    </span>
  );
}
