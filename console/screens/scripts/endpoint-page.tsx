import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { TextField } from '../../parts/field.tsx';
import { Card, Empty, Loaded, Page } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import {
  type Asked,
  callOf,
  type Endpoint,
  isRead,
  nameOf,
  parametersFor,
  pathOf,
  requestsOf,
  takesBody,
} from './endpoint.ts';
import { useEndpoints } from './endpoints.tsx';
import { addressOf } from './list-page.tsx';
import { endpointRoute } from './routes.ts';
import { words } from './words.ts';

export function EndpointPage() {
  const t = useWords(words);
  const { name } = endpointRoute.useParams();
  const endpoints = useEndpoints();
  return (
    <Loaded of={endpoints}>
      {(found) => {
        const endpoint = found.find((each) => nameOf(each) === name);
        return endpoint === undefined ? (
          <Page title={name}>
            <Empty icon="search" title={t.noEndpoint} />
          </Page>
        ) : (
          <One key={name} endpoint={endpoint} />
        );
      }}
    </Loaded>
  );
}

/** Asks it as whoever looks; what would change something is rehearsed first, as everywhere. */
function One({ endpoint }: { readonly endpoint: Endpoint }) {
  const t = useWords(words);
  const review = useReview();
  const requests = requestsOf(endpoint);
  const [first = 'read'] = requests;
  const [asked, setAsked] = useState<Asked>({
    request: first,
    below: '',
    parameters: parametersFor(first),
    body: '{}',
  });
  const [answer, setAnswer] = useState<{ readonly is: unknown } | { readonly error: unknown }>();
  const set = (change: Partial<Asked>) => setAsked((before) => ({ ...before, ...change }));
  const { request } = asked;
  const call = callOf(endpoint, asked);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (call === undefined) return;
    setAnswer(undefined);
    if (!isRead(request)) {
      const title = `${call.method} ${call.path.join('/')}`;
      const done = await review({ title, done: t.endpointDone(title), call, touches: ['audit'] });
      if (done !== undefined) setAnswer({ is: done.answer });
      return;
    }
    try {
      setAnswer({ is: await client.send<unknown>(call) });
    } catch (error) {
      setAnswer({ error });
    }
  };
  return (
    <Page
      title={nameOf(endpoint)}
      says={
        <span className="row">
          <Link to="/scripts" search={{ tab: 'endpoints' }}>
            {t.endpoints}
          </Link>
          <code>{pathOf(endpoint)}</code>
          <Link to={`/configuration/of/${endpoint._id}`}>{t.configuration}</Link>
          {endpoint.file === undefined ? null : (
            <Link to={addressOf(endpoint.file.replace(/^script\//, ''))} search={{ use: 'endpoint' }}>
              {endpoint.file}
            </Link>
          )}
        </span>
      }
    >
      <Card title={t.askIt}>
        <form className="stack" onSubmit={(event) => void send(event)}>
          <div className="halves">
            <Select
              label={t.request}
              value={request}
              choices={requests.map((id) => ({ id, title: id }))}
              onChange={(next) => {
                const chosen = requests.find((each) => each === next) ?? first;
                set({ request: chosen, parameters: parametersFor(chosen) });
              }}
            />
            <TextField
              label={t.below}
              value={asked.below}
              onChange={(below) => set({ below })}
              hint={t.belowHint(pathOf(endpoint))}
              autoComplete="off"
            />
            <TextField
              label={t.parameters}
              value={asked.parameters}
              onChange={(parameters) => set({ parameters })}
              hint={t.parametersHint}
              isMultiline
            />
            {takesBody(request) ? (
              <TextField
                label={t.body}
                value={asked.body}
                onChange={(body) => set({ body })}
                isMultiline
                problem={call === undefined ? t.notJson : undefined}
              />
            ) : null}
          </div>
          <div>
            <Button type="submit" look="primary" isDisabled={call === undefined}>
              {isRead(request) ? t.ask : t.review}
            </Button>
          </div>
        </form>
      </Card>
      {answer === undefined ? null : 'error' in answer ? (
        <ErrorNote error={answer.error} />
      ) : (
        <section aria-label={t.answer} className="card card-body">
          <pre>{JSON.stringify(answer.is, null, 2)}</pre>
        </section>
      )}
    </Page>
  );
}
