import { useState } from 'react';
import { changeOf, type DeclaredType, type Managed } from '../../declared/managed.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog, DialogFoot } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Flag } from '../../parts/flag.tsx';
import { Select } from '../../parts/select.tsx';
import { common } from '../../words/common.ts';
import { useWords } from '../../words/words.ts';
import { useReview } from '../../write/review.tsx';
import { Effects, useEffects } from './effects.tsx';
import { type End, isGood, operationsOf, withRelationship } from './relationship.ts';
import { words } from './words.ts';

const NO_END: End = { name: '', title: '', isMany: false };

/** A property that leads to objects of another type, and the one that leads back from there: both are declared at once. */
export function RelationshipDialog({
  managed,
  declared,
  onClose,
}: {
  readonly managed: Managed;
  readonly declared: DeclaredType;
  readonly onClose: () => void;
}) {
  const t = useWords(words);
  const c = useWords(common);
  const review = useReview();
  const [target, setTarget] = useState(declared.name);
  const [end, setEnd] = useState<End>(NO_END);
  const [back, setBack] = useState<End>({ ...NO_END, isMany: true });
  const [leadsBack, setLeadsBack] = useState(true);
  const ends = { type: declared.name, end, target, back: leadsBack ? back : undefined };
  const isReady = isGood(managed, ends);
  const plan = useEffects(isReady ? withRelationship(managed, ends) : undefined);
  const save = () => {
    onClose();
    void review({
      title: t.saveTitle(end.name),
      done: t.done(declared.name, end.name),
      ...changeOf(managed, operationsOf(managed, ends)),
      touches: ['config', 'audit'],
    });
  };
  const titles = managed.content.objects.map(({ name, schema }) => ({
    id: name,
    title: schema.title ?? name,
  }));
  const targetTitle = titles.find(({ id }) => id === target)?.title ?? target;
  return (
    <Dialog title={t.addRelationship} isWide onClose={onClose}>
      <Select label={t.target} value={target} choices={titles} onChange={setTarget} />
      <EndFields legend={declared.schema.title ?? declared.name} end={end} onChange={setEnd} />
      <Flag label={t.leadsBack} is={leadsBack} onChange={setLeadsBack} />
      {leadsBack ? <EndFields legend={targetTitle} end={back} onChange={setBack} isBack /> : null}
      {isReady ? <Effects of={plan} /> : null}
      <DialogFoot>
        <Button onPress={onClose}>{c.cancel}</Button>
        <Button look="primary" isDisabled={!isReady} onPress={save}>
          {t.review}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}

function EndFields({
  legend,
  end,
  onChange,
  isBack = false,
}: {
  readonly legend: string;
  readonly end: End;
  readonly onChange: (end: End) => void;
  readonly isBack?: boolean;
}) {
  const t = useWords(words);
  return (
    <div role="group" aria-label={t.propertyOf(legend)} className="card card-body stack">
      <h3>{t.propertyOf(legend)}</h3>
      <div className="halves">
        <TextField
          label={isBack ? t.backName : t.name}
          value={end.name}
          onChange={(name) => onChange({ ...end, name })}
          hint={isBack ? t.backHint : t.endHint}
          autoComplete="off"
        />
        <TextField
          label={isBack ? t.backShownAs : t.shownAs}
          value={end.title}
          onChange={(title) => onChange({ ...end, title })}
          autoComplete="off"
        />
      </div>
      <Flag
        label={isBack ? t.backMany : t.isMany}
        is={end.isMany}
        onChange={(isMany) => onChange({ ...end, isMany })}
      />
    </div>
  );
}
