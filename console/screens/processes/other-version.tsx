import { Select } from '../../parts/select.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import type { Definition } from './process.tsx';
import type { DefinitionSearch } from './routes.ts';
import { words } from './words.ts';

/** What looks at a version of a process beside one of its others. */
export interface BesideAnother {
  readonly definition: Definition;
  readonly others: readonly Definition[];
  readonly to: string | undefined;
  readonly onGo: (change: DefinitionSearch) => void;
}

/** The one that is chosen; the first of them until then, and none where there is but one version. */
export function chosenOf({ others, to }: Pick<BesideAnother, 'others' | 'to'>): Definition | undefined {
  return others.find(({ _id }) => _id === to) ?? others[0];
}

export function VersionSelect({
  label,
  chosen,
  others,
  onGo,
}: Pick<BesideAnother, 'others' | 'onGo'> & { readonly label: string; readonly chosen: Definition }) {
  const t = useWords(words);
  return (
    <Select
      label={label}
      value={chosen._id}
      choices={others.map(({ _id, version }) => ({ id: _id, title: t.versionOf(version) }))}
      onChange={(next) => onGo({ to: next })}
    />
  );
}

/** Asks a version about another one. */
export function askAbout<Answer>(action: string, id: string, to: string | undefined): Promise<Answer> {
  return client.send<Answer>({
    method: 'POST',
    path: ['workflow', 'processdefinition', id],
    parameters: { _action: action },
    body: { to },
  });
}
