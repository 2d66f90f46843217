import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { JsonObject } from '#client/index.ts';
import { useTyped } from '../../form/dirty.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Flag } from '../../parts/flag.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Card, Loaded, Page } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { client } from '../../session/client.ts';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { declarationOf, isGoodContext } from './declaration.ts';
import { Does } from './does.tsx';
import { addressOf, changeRoute } from './routes.ts';
import { When } from './when.tsx';
import { words } from './words.ts';

export function NewPage() {
  const t = useWords(words);
  return (
    <Page title={t.newTitle} says={<Link to="/schedules">{t.title}</Link>}>
      <Declaration stored={undefined} />
    </Page>
  );
}

export function ChangePage() {
  const t = useWords(words);
  const { id } = changeRoute.useParams();
  const schedule = useQuery({
    queryKey: ['schedule', 'declared', id],
    queryFn: () => client.resource<JsonObject>('scheduler/job').read(id),
    retry: false,
    // What somebody is changing does not change under their hands.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <Page title={t.changeTitle(id)} says={<Link to={addressOf(id)}>{id}</Link>}>
      <Loaded of={schedule}>{(found) => <Declaration key={id} stored={found} />}</Loaded>
    </Page>
  );
}

function Declaration({ stored }: { readonly stored: JsonObject | undefined }) {
  const t = useWords(words);
  const c = useWords(common);
  const navigate = useNavigate();
  const review = useReview();
  const id = stored?.['_id'];
  const place = `schedule ${id === undefined ? '' : String(id)}`;
  const { typed, isDirty, type, forget } = useTyped(place, { properties: {} }, t.leave);
  const name = id === undefined ? String(typed['name'] ?? '') : String(id);
  const declared = declarationOf(stored, typed);
  const text = typed['contextText'] === undefined ? undefined : String(typed['contextText']);
  const isReady = name !== '' && (stored === undefined || isDirty) && isGoodContext(text);
  const save = async () => {
    if (!isReady) return;
    const done = await review({
      title: stored === undefined ? t.createTitle(name) : t.changeTitle(name),
      done: stored === undefined ? t.createDone(name) : t.changeDone(name),
      call: {
        method: 'PUT',
        path: ['scheduler', 'job', name],
        headers:
          stored === undefined ? { 'If-None-Match': '*' } : { 'If-Match': `"${String(stored['_rev'])}"` },
        body: declared,
      },
      ...(stored === undefined ? {} : { base: declarationOf(stored, {}) }),
      touches: ['schedule', 'firing', 'audit'],
    });
    if (done === undefined) return;
    forget();
    void navigate({ to: addressOf(name) });
  };
  useKeys({ 'mod+enter': () => void save() });
  const flag = (member: string, label: string) => (
    <Flag label={label} is={declared[member] === true} onChange={(is) => type(member, is)} />
  );
  return (
    <>
      <When
        declared={declared}
        onChange={type}
        beginning={
          stored === undefined ? (
            <TextField
              label={t.name}
              value={name}
              onChange={(next) => type('name', next)}
              isRequired
              autoComplete="off"
            />
          ) : null
        }
      />
      <Does declared={declared} text={text} onChange={type} />
      <Card title={t.further}>
        <div className="halves">
          <Select
            label={t.misfire}
            value={String(declared['misfirePolicy'] ?? 'fireAndProceed')}
            choices={[
              { id: 'fireAndProceed', title: t.fireAndProceed },
              { id: 'doNothing', title: t.doNothing },
            ]}
            onChange={(policy) => type('misfirePolicy', policy)}
          />
          <div>
            {flag('enabled', t.enabled)}
            {flag('persisted', t.persisted)}
            {flag('concurrentExecution', t.concurrently)}
          </div>
        </div>
      </Card>
      <div className="bar">
        <Button look="primary" isDisabled={!isReady} onPress={() => void save()}>
          {t.review}
        </Button>
        <Button onPress={() => void navigate({ to: stored === undefined ? '/schedules' : addressOf(name) })}>
          {c.cancel}
        </Button>
        {isDirty ? <Button onPress={forget}>{t.startAgain}</Button> : null}
      </div>
    </>
  );
}
