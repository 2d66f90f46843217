import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { type Why, WhyChain } from '../../parts/chain.tsx';
import { TextField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/page.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { words } from './words.ts';

interface Explained extends Why {
  readonly has: boolean;
  /** The clauses of its condition, each with whether it holds for the user it is about; null where that is not shown. */
  readonly clauses?: readonly { readonly text: string; readonly result: boolean | null }[];
}

/** Why somebody has the role, or which part of its condition stands in the way. */
export function WhyRole({
  role,
  who,
  onWho,
}: {
  readonly role: string;
  readonly who: string | undefined;
  readonly onWho: (who: string) => void;
}) {
  const t = useWords(words);
  const [typed, setTyped] = useState(who ?? '');
  const why = useQuery({
    queryKey: ['object:user', 'why', role, who],
    queryFn: () => client.managed('user').action<Explained>('explain', { id: who ?? '', body: { role } }),
    enabled: who !== undefined && who !== '',
    retry: false,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onWho(typed.trim());
  };
  return (
    <div className="card card-body stack">
      <form className="stack narrow" onSubmit={submit}>
        <TextField label={t.user} value={typed} onChange={setTyped} hint={t.userHint} autoComplete="off" />
        <div>
          <Button type="submit" isDisabled={typed.trim() === ''}>
            {t.ask}
          </Button>
        </div>
      </form>
      {who === undefined || who === '' ? null : (
        <Loaded of={why}>
          {(found) => (
            <div className="stack">
              <div>
                <Badge tone={found.has ? 'good' : 'quiet'} mark={found.has ? '✓' : '○'}>
                  {found.has ? t.has : t.hasNot}
                </Badge>
              </div>
              <WhyChain why={found} />
              {found.clauses === undefined ? null : (
                <ul aria-label={t.condition} className="lines">
                  {found.clauses.map(({ text, result }) => (
                    <li key={text}>
                      <Badge tone={result === true ? 'good' : 'warn'} mark={result === true ? '✓' : '✗'}>
                        {result === null ? t.notShown : result ? t.holds : t.holdsNot}
                      </Badge>
                      <code>{text}</code>
                    </li>
                  ))}
                </ul>
              )}
            </div>
          )}
        </Loaded>
      )}
    </div>
  );
}
