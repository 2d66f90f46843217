import { type FormEvent, useRef, useState } from 'react';
import { asFilter, type Filter, filter } from '#client/index.ts';
import { kindOf, type Property, titleOf } from '../../form/schema.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { useKeys } from '../../parts/keys.ts';
import { Select } from '../../parts/select.tsx';
import { useWords } from '../../words/words.ts';
import styles from './objects.module.css';
import type { ManagedType } from './types.ts';
import { words } from './words.ts';

const WAYS = ['eq', 'sw', 'co', 'ew', 'ge', 'le', 'pr', 'none'] as const;
type Way = (typeof WAYS)[number];

/** A condition that is chosen and not written; it joins those that there are. `f` leads here. */
export function Condition({
  managed,
  text,
  onFilter,
}: {
  readonly managed: ManagedType;
  /** The filter that there is. */
  readonly text: string;
  readonly onFilter: (text: string) => void;
}) {
  const t = useWords(words);
  const { order, properties } = managed;
  const names = order.filter((name) => isAskable(properties[name]));
  const [name, setName] = useState(
    names.find((each) => properties[each]?.searchable === true) ?? names[0] ?? '',
  );
  const [way, setWay] = useState<Way>('eq');
  const [value, setValue] = useState('');
  const details = useRef<HTMLDetailsElement>(null);
  useKeys({
    f: () => {
      if (details.current === null) return;
      details.current.open = true;
      details.current.querySelector('select')?.focus();
    },
  });
  const needsValue = way !== 'pr' && way !== 'none';
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (needsValue && value === '') return;
    const condition = conditionOf(name, way, typedValue(properties[name] ?? {}, value)).text;
    onFilter(text === '' ? condition : `${joined(text)} and ${condition}`);
    setValue('');
  };
  return (
    <details ref={details}>
      <summary>{t.condition}</summary>
      <form className={styles['condition']} onSubmit={add}>
        <Select
          label={t.conditionProperty}
          value={name}
          choices={names.map((id) => ({ id, title: titleOf(id, properties[id] ?? {}) }))}
          onChange={setName}
        />
        <Select
          label={t.conditionWay}
          value={way}
          choices={WAYS.map((id) => ({ id, title: t.ways[id] }))}
          onChange={(id) => setWay(WAYS.find((each) => each === id) ?? 'eq')}
        />
        {needsValue ? (
          <TextField label={t.conditionValue} value={value} onChange={setValue} autoComplete="off" />
        ) : null}
        <Button type="submit">{t.conditionAdd}</Button>
      </form>
    </details>
  );
}

function isAskable(property: Property | undefined): boolean {
  if (property === undefined || property.relationship !== undefined) return false;
  return !['secret', 'json'].includes(kindOf(property));
}

function typedValue(property: Property, text: string): string | number | boolean {
  const kind = kindOf(property);
  if (kind === 'boolean') return /^(?:true|yes|ja|1)$/i.test(text);
  const number = Number(text);
  return kind === 'number' && !Number.isNaN(number) ? number : text;
}

function conditionOf(name: string, way: Way, value: string | number | boolean): Filter {
  if (way === 'pr') return asFilter(`${name} pr`);
  if (way === 'none') return asFilter(`!(${name} pr)`);
  return asFilter(`${name} ${way} ${filter`_ eq ${value}`.text.slice('_ eq '.length)}`);
}

/** What is an alternative at its outside holds together. */
function joined(text: string): string {
  return /\bor\b/i.test(text) ? `(${text})` : text;
}
