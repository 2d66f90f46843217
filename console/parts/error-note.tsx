import { SvcError } from '#client/index.ts';
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
  const excerpt = said?.body.detail?.['excerpt'];
  return (
    <div className="note bad" role="alert">
      <Icon name="bad" />
      <div className="note-body">
        <p className="title">{message}</p>
        {said?.hint === undefined ? null : <p>{said.hint}</p>}
        {typeof excerpt === 'string' ? <pre>{excerpt}</pre> : null}
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

function Id({ label, id }: { readonly label: string; readonly id: string | undefined }) {
  if (id === undefined) return null;
  return (
    <span>
      {label} <code>{id}</code>
    </span>
  );
}
