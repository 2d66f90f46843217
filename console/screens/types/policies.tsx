import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { JsonObject } from '#client/index.ts';
import { Control } from '../../form/control.tsx';
import { isMembers } from '../../form/members.ts';
import { kindOf, type Property } from '../../form/schema.ts';
import { IconButton } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { client } from '../../session/client.ts';
import { useWords } from '../../words/words.ts';
import { type DraftPolicy, UNIQUE } from './draft.ts';
import { words } from './words.ts';

interface Known {
  readonly policyId: string;
  readonly params: Readonly<Record<string, Param>>;
}

interface Param extends Property {
  readonly items?: { readonly type?: string };
}

type Params = Readonly<Record<string, unknown>>;

/** What is asked of the values of a property: policies of the server, each with what it is given. */
export function Policies({
  of,
  onChange,
  onGood,
}: {
  readonly of: readonly DraftPolicy[];
  readonly onChange: (policies: readonly DraftPolicy[]) => void;
  /** Whether each has what it means nothing without. */
  readonly onGood: (is: boolean) => void;
}) {
  const t = useWords(words);
  const catalogue = useQuery({
    queryKey: ['config', 'policies'],
    queryFn: async () => {
      const { policies } = await client.send<{ policies: readonly Known[] }>({
        method: 'GET',
        path: ['policy'],
      });
      return new Map(policies.map((policy) => [policy.policyId, policy]));
    },
    staleTime: 60_000,
  });
  const isGood = of.every((policy) => isWhole(policy, catalogue.data?.get(policy.policyId)?.params));
  useEffect(() => onGood(isGood), [isGood, onGood]);
  return (
    <Loaded of={catalogue}>
      {(known) => (
        <section className="stack" aria-label={t.policies}>
          <h3>{t.policies}</h3>
          {of.map((policy, at) => (
            <OnePolicy
              key={`${policy.policyId} ${of.slice(0, at).filter(({ policyId }) => policyId === policy.policyId).length}`}
              policy={policy}
              params={known.get(policy.policyId)?.params}
              onChange={(next) => onChange(of.toSpliced(at, 1, ...(next === undefined ? [] : [next])))}
            />
          ))}
          <div className="narrow">
            <Select
              label={t.addPolicy}
              value=""
              choices={[
                { id: '', title: t.choosePolicy },
                ...[...known.keys()]
                  .filter((id) => id !== UNIQUE && !of.some(({ policyId }) => policyId === id))
                  .sort()
                  .map((id) => ({ id, title: id })),
              ]}
              onChange={(policyId) => {
                if (policyId !== '') onChange([...of, { policyId }]);
              }}
            />
          </div>
        </section>
      )}
    </Loaded>
  );
}

function OnePolicy({
  policy,
  params = {},
  onChange,
}: {
  readonly policy: DraftPolicy;
  /** Undefined of one that a script declares, of which nobody knows what it is given. */
  readonly params: Readonly<Record<string, Param>> | undefined;
  readonly onChange: (policy: DraftPolicy | undefined) => void;
}) {
  const t = useWords(words);
  const { policyId } = policy;
  const given = paramsOf(policy);
  // What is given and not known stays to be seen, and to be changed.
  const names = [...new Set([...Object.keys(params), ...Object.keys(given)])];
  const set = (name: string, value: unknown) => {
    const { [name]: _, ...others } = given;
    const next: JsonObject = JSON.parse(
      JSON.stringify(isSaid(value) ? { ...others, [name]: value } : others),
    );
    const { params: __, ...rest } = policy;
    onChange({ ...rest, policyId, ...(Object.keys(next).length === 0 ? {} : { params: next }) });
  };
  return (
    <div className="card card-body stack" role="group" aria-label={policyId}>
      <p className="row">
        <code className="grow">{policyId}</code>
        <IconButton icon="close" label={t.removePolicy(policyId)} onPress={() => onChange(undefined)} />
      </p>
      {names.map((name) => (
        <Field
          key={name}
          name={name}
          param={params[name] ?? guessed(given[name])}
          value={given[name]}
          onChange={(value) => set(name, value)}
        />
      ))}
    </div>
  );
}

function Field({
  name,
  param,
  value,
  onChange,
}: {
  readonly name: string;
  readonly param: Param;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}) {
  const t = useWords(words);
  const { type, items, description } = param;
  if (type === 'array' && items?.type === 'string') {
    const lines = Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [];
    return (
      <TextField
        label={name}
        value={lines.join('\n')}
        onChange={(text) => onChange(text === '' ? undefined : text.split('\n'))}
        isMultiline
        autoComplete="off"
        hint={[description, t.onePerLine].filter((part) => part !== undefined).join('. ')}
      />
    );
  }
  return (
    <Control
      name={name}
      label={name}
      kind={kindOf(param)}
      property={param}
      value={value}
      onChange={onChange}
      isReadOnly={false}
      hint={description}
      problem={undefined}
    />
  );
}

function guessed(value: unknown): Param {
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
  if (isList) return { type: 'array', items: { type: 'string' } };
  return { type: Array.isArray(value) ? 'array' : typeof value };
}

function paramsOf({ params }: DraftPolicy): Params {
  return isMembers(params) ? params : {};
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function isWhole(policy: DraftPolicy, params: Readonly<Record<string, Param>> = {}): boolean {
  const given = paramsOf(policy);
  return Object.entries(params).every(([name, { required, type }]) => {
    const value = given[name];
    if (!isSaid(value)) return required !== true;
    return type !== 'integer' || Number.isInteger(value);
  });
}
