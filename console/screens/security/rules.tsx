import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card, Loaded } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { words } from './words.ts';

/** As `/access` answers it: rules are tried in order, and the first that grants wins. */
interface Rule {
  readonly index: number;
  readonly line?: number;
  readonly pattern: string;
  readonly roles: readonly string[];
  readonly methods: readonly string[];
  readonly actions: readonly string[];
  readonly excludePatterns: readonly string[];
  readonly condition?: string;
}

const ANY = '*';
const ALL = '';
/** More roles than can be read beside each other are looked at one by one. */
const MOST_COLUMNS = 6;

/** Which role may ask for what: resources across, roles down. */
export function Rules() {
  const t = useWords(words);
  const [role, setRole] = useState(ALL);
  const access = useQuery({
    queryKey: ['config', 'access', 'rules'],
    queryFn: () => client.send<{ readonly rules: readonly Rule[] }>({ method: 'GET', path: ['access'] }),
    retry: false,
  });
  return (
    <Card title={t.rules}>
      <Loaded of={access}>
        {({ rules }) => {
          const roles = [...new Set(rules.flatMap((rule) => rule.roles))];
          const shown = (role === ALL ? roles : [ANY, role].filter((each) => roles.includes(each))).slice(
            0,
            MOST_COLUMNS,
          );
          const rows = rules.filter((rule) => shown.some((each) => rule.roles.includes(each)));
          return (
            <div className="stack">
              <p className="soft">{t.rulesSays}</p>
              <div className="narrow">
                <Select
                  label={t.role}
                  value={role}
                  choices={[
                    { id: ALL, title: t.allRoles },
                    ...roles.filter((each) => each !== ANY).map((id) => ({ id, title: id })),
                  ]}
                  onChange={setRole}
                />
              </div>
              <Table label={t.rules} columns={columnsOf(shown, t)} rows={rows} idOf={idOf} />
              {role === ALL && roles.length > MOST_COLUMNS ? <p className="hint">{t.rolesCut}</p> : null}
            </div>
          );
        }}
      </Loaded>
    </Card>
  );
}

function columnsOf(
  roles: readonly string[],
  t: Readonly<Record<'resource' | 'anybody' | 'all' | 'onlyIf' | 'line', string>> & {
    readonly but: (patterns: string) => string;
  },
): readonly Column<Rule>[] {
  return [
    {
      id: 'pattern',
      title: t.resource,
      cell: ({ pattern, excludePatterns }) => (
        <>
          <code>{pattern}</code>
          {excludePatterns.length === 0 ? null : (
            <span className="soft"> {t.but(excludePatterns.join(', '))}</span>
          )}
        </>
      ),
      width: 'minmax(16rem, 1.5fr)',
    },
    ...roles.map(
      (role): Column<Rule> => ({
        id: `role ${role}`,
        title: role === ANY ? t.anybody : role,
        cell: (rule) => (rule.roles.includes(role) ? granted(rule, t.all) : ''),
        width: 'minmax(10rem, 1fr)',
      }),
    ),
    {
      id: 'condition',
      title: t.onlyIf,
      cell: ({ condition }) => (condition === undefined ? '' : <code>{condition}</code>),
      width: 'minmax(14rem, 1.5fr)',
    },
    { id: 'line', title: t.line, cell: ({ line, index }) => line ?? `#${index}`, width: '5rem' },
  ];
}

/** Such as 'read, action: claim, why'. */
function granted({ methods, actions }: Rule, all: string): string {
  if (methods.includes(ANY)) return all;
  return methods
    .map((method) =>
      method === 'action' && !actions.includes(ANY) ? `action: ${actions.join(' ')}` : method,
    )
    .join(', ');
}

function idOf({ index }: Rule): string {
  return String(index);
}
