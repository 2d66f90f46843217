import { Icon } from '../parts/icon.tsx';
import type { Finding } from './use-plan.ts';

export function Findings({ of, tone }: { readonly of: readonly Finding[]; readonly tone: 'bad' | 'warn' }) {
  return of.map(({ id, message, hint, file, line, column, field }) => (
    <div key={`${id} ${field ?? ''} ${message}`} className={`note ${tone}`}>
      <Icon name={tone} />
      <div className="note-body">
        <p className="title">{message}</p>
        {hint === undefined ? null : <p>{hint}</p>}
        <p className="ids">
          <code>{id}</code>
          {line === undefined ? null : <code>{`${file ?? ''}:${line}:${column ?? 1}`}</code>}
          {field === undefined ? null : <code>{field}</code>}
        </p>
      </div>
    </div>
  ));
}
