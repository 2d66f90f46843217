import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { JsonObject } from '#client/index.ts';
import { useTyped } from '../../form/dirty.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { TextField } from '../../parts/field.tsx';
import { Flag } from '../../parts/flag.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Card, Loaded, Page } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { ConnectorForm } from './connector-form.tsx';
import { type Connectors, coreOf, formOf, typedName, typedProperties, useConnectors } from './connectors.ts';
import { addressOf } from './routes.ts';
import { Outcome } from './state.tsx';
import { type Tested, typesIn, useSystems } from './system.ts';
import { words } from './words.ts';

/** A system is connected in the order of its file: the connector, how it is reached, what it has. */
export function NewPage() {
  const t = useWords(words);
  const connectors = useConnectors();
  return (
    <Page title={t.connectTitle} says={<Link to="/systems">{t.title}</Link>}>
      <Loaded of={connectors}>{(found) => <Steps connectors={found} />}</Loaded>
    </Page>
  );
}

function Steps({ connectors }: { readonly connectors: Connectors }) {
  const t = useWords(words);
  const navigate = useNavigate();
  const review = useReview();
  const taken = useSystems().data?.result.map(({ _id }) => _id) ?? [];
  const form = useMemo(
    () => formOf(Object.values(connectors.configurationProperties).flat()),
    [connectors.configurationProperties],
  );
  const { typed, type, forget } = useTyped('system', form, t.leave);
  const name = textOf(typed['name']);
  const connector = textOf(typed['connector']);
  const left = Array.isArray(typed['left']) ? typed['left'].map(String) : [];
  const connectorRef = connectors.connectorRef.find(({ connectorName }) => connectorName === connector);
  const core = useQuery({
    queryKey: ['connectors', 'core', connector],
    queryFn: () => coreOf({ ...connectorRef }),
    enabled: connectorRef !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const isGood = /^[A-Za-z0-9]+$/.test(name) && !taken.includes(name);
  const configurationProperties = {
    ...Object(core.data?.['configurationProperties']),
    ...typedProperties(typed),
  };
  const file: JsonObject = { ...core.data, name: isGood ? name : 'new', configurationProperties };
  const ask = <T,>(action: string) =>
    client.send<T>({ method: 'POST', path: ['system'], parameters: { _action: action }, body: file });
  const test = useMutation({ mutationFn: () => ask<Tested>('testConfig') });
  const read = useMutation({ mutationFn: () => ask<JsonObject>('createFullConfig') });
  const objectTypes = { ...Object(read.data?.['objectTypes']) };
  const chosen = Object.fromEntries(Object.entries(objectTypes).filter(([each]) => !left.includes(each)));
  const save = async () => {
    if (!isGood || core.data === undefined) return;
    const done = await review({
      title: t.createTitle(name),
      done: t.createDone(name),
      call: {
        method: 'PUT',
        path: ['config', 'provisioner.openicf', name],
        headers: { 'If-None-Match': '*' },
        body: { ...file, objectTypes: chosen },
      },
      touches: ['config', 'audit'],
    });
    if (done === undefined) return;
    forget();
    void navigate({ to: addressOf(name) });
  };
  useKeys({ 'mod+enter': () => void save() });
  return (
    <>
      <Card title={t.system}>
        <div className="halves">
          <TextField
            label={t.name}
            value={name}
            onChange={(text) => type('name', text)}
            hint={t.nameHint}
            problem={name === '' || isGood ? undefined : t.badName}
            autoComplete="off"
            isRequired
          />
          <Select
            label={t.connector}
            value={connector}
            choices={[
              { id: '', title: t.choose },
              ...connectors.connectorRef.map(({ connectorName, displayName }) => ({
                id: connectorName,
                title: displayName,
              })),
            ]}
            onChange={(id) => {
              type('connector', id);
              test.reset();
              read.reset();
            }}
          />
        </div>
      </Card>
      {connectorRef === undefined ? null : (
        <Loaded of={core}>
          {() => (
            <>
              <Card
                title={t.connection}
                actions={
                  <Button onPress={() => test.mutate()} isPending={test.isPending}>
                    {t.test}
                  </Button>
                }
              >
                <div className="stack">
                  <ConnectorForm
                    properties={connectors.configurationProperties[connector] ?? []}
                    values={configurationProperties}
                    onChange={(property, value) => type(typedName(property), value)}
                  />
                  {test.error === null ? null : <ErrorNote error={test.error} />}
                  {test.data === undefined ? null : <Outcome of={test.data} />}
                </div>
              </Card>
              <Card
                title={t.found}
                actions={
                  <Button onPress={() => read.mutate()} isPending={read.isPending}>
                    {t.read}
                  </Button>
                }
              >
                <div className="stack">
                  {read.error === null ? null : <ErrorNote error={read.error} />}
                  <p className="soft">{read.data === undefined ? t.notRead : t.foundText}</p>
                  {Object.entries(typesIn(objectTypes)).map(([each, properties]) => (
                    <Flag
                      key={each}
                      label={`${each} · ${t.properties(properties.length)}`}
                      is={!left.includes(each)}
                      onChange={(is) =>
                        type('left', is ? left.filter((one) => one !== each) : [...left, each])
                      }
                    />
                  ))}
                </div>
              </Card>
            </>
          )}
        </Loaded>
      )}
      <div className="bar">
        <Button
          look="primary"
          isDisabled={!isGood || core.data === undefined || connectorRef === undefined}
          onPress={() => void save()}
        >
          {t.review}
        </Button>
      </div>
    </>
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
