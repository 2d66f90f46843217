import { useDeferredValue, useState } from 'react';
import type { PatchOperation } from '#client/index.ts';
import { changeOf, type DeclaredType, isName, type Managed } from '../../declared/managed.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Flag } from '../../parts/flag.tsx';
import { Select } from '../../parts/select.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { usePlan } from '../../write/use-plan.ts';
import { type Draft, draftOf, KINDS, operationsOf, UNIQUE, withProperty } from './draft.ts';
import { Effects } from './effects.tsx';
import { Policies } from './policies.tsx';
import { words } from './words.ts';

/** A property that is new, or one that there is; below it, what it would mean for the objects that there are. */
export function PropertyDialog({
  managed,
  declared,
  name,
  onClose,
}: {
  readonly managed: Managed;
  readonly declared: DeclaredType;
  /** Undefined of a new one. */
  readonly name: string | undefined;
  readonly onClose: () => void;
}) {
  const t = useWords(words);
  const c = useWords(common);
  const review = useReview();
  const before = draftOf(declared, name);
  const [draft, setDraft] = useState<Draft>(before);
  const set = (change: Partial<Draft>) => setDraft((now) => ({ ...now, ...change }));
  const [arePoliciesGood, setGood] = useState(true);
  const isUnique = draft.policies.some(({ policyId }) => policyId === UNIQUE);
  const setUnique = (is: boolean) =>
    set({
      policies: [
        ...draft.policies.filter(({ policyId }) => policyId !== UNIQUE),
        ...(is ? [{ policyId: UNIQUE }] : []),
      ],
    });
  const isGood =
    arePoliciesGood && isName(draft.name) && (name !== undefined || !hasProperty(declared, draft.name));
  const operations = isGood ? operationsOf(managed, declared, { before, after: draft }) : [];
  const plan = usePlan(
    'managed',
    useDeferredValue(operations.length === 0 ? undefined : withProperty(managed, declared, draft)),
  );
  const send = (title: string, body: readonly PatchOperation[], typed?: string) => {
    onClose();
    void review({
      title,
      done: t.done(declared.name, draft.name),
      ...changeOf(managed, body),
      ...(typed === undefined ? {} : { typed }),
      touches: ['config', 'audit'],
    });
  };
  const remove = () =>
    send(
      t.removeTitle(draft.name),
      operationsOf(managed, declared, { before, after: undefined }),
      draft.name,
    );
  return (
    <Dialog title={name === undefined ? t.add : draft.name} isWide onClose={onClose}>
      <div className="halves">
        <TextField
          label={t.name}
          value={draft.name}
          onChange={(text) => set({ name: text })}
          isReadOnly={name !== undefined}
          hint={t.nameHint}
          autoComplete="off"
          problem={draft.name === '' || isGood ? undefined : t.badName}
          autoFocus
        />
        <TextField
          label={t.shownAs}
          value={draft.title}
          onChange={(text) => set({ title: text })}
          autoComplete="off"
        />
        {draft.kind === undefined ? null : (
          <Select
            label={t.kind}
            value={draft.kind}
            choices={KINDS.map((kind) => ({ id: kind, title: t[kind] }))}
            onChange={(id) => set({ kind: KINDS.find((kind) => kind === id) ?? 'string' })}
          />
        )}
        <TextField
          label={t.description}
          value={draft.description}
          onChange={(text) => set({ description: text })}
          autoComplete="off"
        />
      </div>
      <div className="stack">
        <Flag label={t.isRequired} is={draft.isRequired} onChange={(isRequired) => set({ isRequired })} />
        <Flag
          label={t.isSearchable}
          is={draft.isSearchable}
          onChange={(isSearchable) => set({ isSearchable })}
        />
        <Flag
          label={t.isUserEditable}
          is={draft.isUserEditable}
          onChange={(isUserEditable) => set({ isUserEditable })}
        />
        <Flag label={t.isUnique} is={isUnique} onChange={setUnique} />
      </div>
      <Policies of={draft.policies} onChange={(policies) => set({ policies })} onGood={setGood} />
      {operations.length === 0 ? null : <Effects of={plan} />}
      <DialogFoot>
        {name === undefined ? null : (
          <Button look="danger" onPress={remove}>
            {t.remove}
          </Button>
        )}
        <span className="grow" />
        <Button onPress={onClose}>{c.cancel}</Button>
        <Button
          look="primary"
          isDisabled={operations.length === 0}
          onPress={() => send(t.saveTitle(draft.name), operations)}
        >
          {t.review}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}

function hasProperty({ schema }: DeclaredType, name: string): boolean {
  return Object.hasOwn(schema.properties ?? {}, name);
}
