import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { JsonObject, Stored } from '#client/index.ts';
import { useTyped } from '../../form/dirty.ts';
import { ReferenceLink } from '../../form/references.tsx';
import { isReference, nameOf, type Reference } from '../../form/schema.ts';
import { usePages } from '../../live/pages.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { TextField } from '../../parts/field.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Card, Loaded, Loading, Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { client } from '../../session/client.ts';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { Reach } from './reach.tsx';
import { type RoleSearch, roleRoute } from './routes.ts';
import { WhyRole } from './why-role.tsx';
import { words } from './words.ts';

const PAGE_SIZE = '25';

interface Role extends JsonObject {
  readonly name: string;
  readonly condition?: string | null;
  readonly temporalConstraints?: { readonly duration: string }[] | null;
}

export function RolePage() {
  const { id } = roleRoute.useParams();
  const role = useQuery({
    queryKey: ['object:role', 'one', id],
    queryFn: () =>
      client.send<Stored<Role>>({
        method: 'GET',
        path: ['managed', 'role', id],
        parameters: { _fields: '*,assignments/*' },
      }),
    retry: false,
  });
  return <Loaded of={role}>{(found) => <One key={id} role={found} />}</Loaded>;
}

const NO_FORM = { properties: {} };

function One({ role }: { readonly role: Stored<Role> }) {
  const t = useWords(words);
  const navigate = useNavigate();
  const review = useReview();
  const search: RoleSearch = roleRoute.useSearch();
  const { _id, _rev, name } = role;
  const { typed, type, forget } = useTyped(`condition of ${_id}`, NO_FORM, t.leave);
  const before = role.condition ?? '';
  const condition = typeof typed['condition'] === 'string' ? typed['condition'] : before;
  const isChanged = condition.trim() !== before;
  const go = (change: RoleSearch) =>
    void navigate({
      to: `/roles/${encodeURIComponent(_id)}`,
      search: { ...search, ...change },
      replace: true,
    });
  const body = [
    { operation: 'replace', field: '/condition', value: condition.trim() === '' ? null : condition.trim() },
  ];
  const call = {
    method: 'PATCH' as const,
    path: ['managed', 'role', _id],
    headers: { 'If-Match': `"${_rev}"` },
    body,
  };
  const save = async () => {
    if (!isChanged) return;
    const done = await review({
      title: t.saveTitle(name),
      done: t.saveDone(name),
      call,
      base: role,
      touches: ['object:role', 'object:user', 'audit'],
    });
    if (done !== undefined) forget();
  };
  useKeys({ 'mod+enter': () => void save(), m: () => go({ tab: 'members' }), t: () => go({ tab: 'why' }) });
  const spans = role.temporalConstraints ?? [];
  return (
    <Page
      title={name}
      says={
        <span className="row">
          <Link to="/roles">{t.title}</Link>
          <Link to={`/objects/role/${encodeURIComponent(_id)}`}>{t.object}</Link>
          {spans.map(({ duration }) => (
            <code key={duration}>{duration}</code>
          ))}
        </span>
      }
      actions={
        <Button look="primary" isDisabled={!isChanged} onPress={() => void save()}>
          {t.review}
        </Button>
      }
    >
      <Card title={t.whoHasIt}>
        <div className="stack">
          <TextField
            label={t.condition}
            value={condition}
            onChange={(text) => type('condition', text)}
            hint={t.conditionHint}
            isMultiline
            name="condition"
          />
          <Reach condition={condition.trim()} change={isChanged ? call : undefined} />
        </div>
      </Card>
      <Tabs
        label={name}
        at={search.tab ?? 'members'}
        onGo={(tab) => go({ tab })}
        tabs={[
          { id: 'members', title: t.members, content: <Members id={_id} /> },
          { id: 'assignments', title: t.assignments, content: <Assigned role={role} /> },
          {
            id: 'why',
            title: t.why,
            content: <WhyRole role={_id} who={search.who} onWho={(who) => go({ who })} />,
          },
        ]}
      />
    </Page>
  );
}

/** Who has it now, and how they came to it. */
function Members({ id }: { readonly id: string }) {
  const t = useWords(words);
  const c = useWords(common);
  const members = usePages<Reference>({
    key: ['object:role', 'members', id],
    path: `managed/role/${id}/members`,
    parameters: { _queryFilter: 'true', _fields: '*,_ref/*', _pageSize: PAGE_SIZE },
  });
  if (members.error !== null) return <ErrorNote error={members.error} retry={members.refetch} />;
  if (members.rows === undefined) return <Loading />;
  if (members.rows.length === 0) return <p className="soft">{t.noMembers}</p>;
  return (
    <div className="card card-body stack">
      <ul className="lines">
        {members.rows.map((member) => {
          const isConditional = member._refProperties?.['_grantType'] === 'conditional';
          return (
            <li key={String(member._refProperties?.['_id'] ?? member._ref)}>
              <ReferenceLink reference={member} />
              <span className="soft grow">{member._ref}</span>
              <Badge tone={isConditional ? 'info' : 'quiet'} mark={isConditional ? '◆' : '●'}>
                {isConditional ? t.byCondition : t.byHand}
              </Badge>
            </li>
          );
        })}
      </ul>
      {members.hasMore ? (
        <div>
          <Button onPress={members.more} isPending={members.isMoreComing}>
            {c.more}
          </Button>
        </div>
      ) : null}
    </div>
  );
}

/** What whoever has the role is given by it. */
function Assigned({ role }: { readonly role: Role }) {
  const t = useWords(words);
  const { assignments } = role;
  const listed: readonly unknown[] = Array.isArray(assignments) ? assignments : [];
  const references = listed.filter(isReference);
  if (references.length === 0) return <p className="soft">{t.givesNothing}</p>;
  return (
    <ul className="lines card card-body">
      {references.map((reference) => (
        <li key={reference._ref}>
          <ReferenceLink reference={reference} />
          <span className="soft">{nameOf(reference)}</span>
        </li>
      ))}
    </ul>
  );
}
