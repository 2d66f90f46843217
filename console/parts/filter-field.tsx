import { type FormEvent, useEffect, useState } from 'react';
import { SvcError } from '#client/index.ts';
import { common } from '../words/common.ts';
import { useWords } from '../words/words.ts';
import { IconButton } from './button.tsx';
import { ErrorNote } from './error-note.tsx';
import { Icon } from './icon.tsx';

/** Whether an error is about the filter: then it is said at the field, with the place where it is wrong. */
export function isOfFilter(error: unknown): boolean {
  return error instanceof SvcError && error.id?.startsWith('FILTER_') === true;
}

/** The text of a query filter. The server judges it; what it says of the place stands below. `/` leads here. */
export function FilterField({
  label,
  hint,
  value,
  onFilter,
  error,
  warnings = [],
}: {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly onFilter: (text: string) => void;
  readonly error: unknown;
  readonly warnings?: readonly unknown[];
}) {
  const c = useWords(common);
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (key !== '/' || (target instanceof HTMLElement && target.closest('input, textarea, [role=dialog]')))
        return;
      event.preventDefault();
      document.getElementById('filter')?.focus();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onFilter(text.trim());
  };
  return (
    <div className="stack">
      <form className="filter" role="search" onSubmit={submit}>
        <Icon name="search" />
        <input
          id="filter"
          className="filter-input mono"
          type="text"
          aria-label={label}
          placeholder={hint}
          value={text}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setText(target.value)}
          aria-invalid={isOfFilter(error)}
        />
        {text === '' ? null : (
          <IconButton
            icon="close"
            label={c.close}
            onPress={() => {
              setText('');
              onFilter('');
            }}
          />
        )}
      </form>
      {isOfFilter(error) ? <ErrorNote error={error} /> : null}
      {warnings.map((warning) => (
        <p className="note warn" key={String(warning)}>
          <Icon name="warn" />
          <span className="note-body">{String(warning)}</span>
        </p>
      ))}
    </div>
  );
}
