import { useMutation } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { JsonObject, PatchOperation } from '#client/index.ts';
import { useTyped } from '../../form/dirty.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Loaded } from '../../parts/page.tsx';
import { client } from '../../session/client.ts';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { ConnectorForm, type ConnectorProperty, isKept } from './connector-form.tsx';
import { formOf, typedName, typedProperties, useConnectors } from './connectors.ts';
import { Outcome } from './state.tsx';
import { type System, type SystemConfig, type Tested, testSystem } from './system.ts';
import { words } from './words.ts';

interface Props {
  readonly system: System;
  readonly config: SystemConfig;
}

/** How a system is reached, as the fields of its connector; tried before it is saved. */
export function Connection(props: Props) {
  const connectors = useConnectors();
  return (
    <Loaded of={connectors}>
      {({ configurationProperties }) => (
        <Fields
          {...props}
          properties={configurationProperties[props.system.connectorRef.connectorName] ?? []}
        />
      )}
    </Loaded>
  );
}

function Fields({
  system: { _id, config: file },
  config: { revision, content },
  properties,
}: Props & { readonly properties: readonly ConnectorProperty[] }) {
  const t = useWords(words);
  const c = useWords(common);
  const review = useReview();
  const form = useMemo(() => formOf(properties), [properties]);
  const { typed, isDirty, type, forget } = useTyped(`system ${_id}`, form, t.leave);
  const before = content.configurationProperties ?? {};
  const changed = typedProperties(typed);
  const after: JsonObject = { ...before, ...JSON.parse(JSON.stringify(changed)) };
  const operations = Object.keys(changed).flatMap((name): PatchOperation[] =>
    JSON.stringify(before[name] ?? null) === JSON.stringify(after[name] ?? null)
      ? []
      : [{ operation: 'replace', field: `/configurationProperties/${name}`, value: after[name] ?? null }],
  );
  const isUnchanged = operations.length === 0;
  // A secret goes to no other place than the one that it was written for.
  const lacking = isUnchanged
    ? []
    : properties.filter(({ name, type: kind }) => kind === 'secret' && isKept(after[name])).map(nameOf);
  const test = useMutation({
    mutationFn: () =>
      isUnchanged
        ? testSystem(_id)
        : client.send<Tested>({
            method: 'POST',
            path: ['system'],
            parameters: { _action: 'testConfig' },
            body: { ...content, name: _id, configurationProperties: after },
          }),
  });
  const mayGo = lacking.length === 0;
  const save = async () => {
    if (isUnchanged || !mayGo) return;
    const done = await review({
      title: t.saveTitle(_id),
      done: t.saveDone(_id),
      call: {
        method: 'PATCH',
        path: file.split('/'),
        headers: { 'If-Match': `"${revision}"` },
        body: operations,
      },
      base: content,
      touches: ['config', 'audit'],
    });
    if (done !== undefined) forget();
  };
  useKeys({ 'mod+enter': () => void save() });
  return (
    <div className="stack">
      <ConnectorForm
        properties={properties}
        values={after}
        lacking={lacking}
        onChange={(name, value) => type(typedName(name), value)}
      />
      {test.error === null ? null : <ErrorNote error={test.error} />}
      {test.data === undefined ? null : <Outcome of={test.data} />}
      <div className="bar">
        <Button look="primary" isDisabled={isUnchanged || !mayGo} onPress={() => void save()}>
          {t.review}
        </Button>
        <Button isDisabled={!mayGo} onPress={() => test.mutate()} isPending={test.isPending}>
          {t.test}
        </Button>
        {isDirty ? <Button onPress={forget}>{c.cancel}</Button> : null}
      </div>
    </div>
  );
}

function nameOf({ name }: ConnectorProperty): string {
  return name;
}
