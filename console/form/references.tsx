import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import {
  Button as AriaButton,
  ComboBox,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
} from 'react-aria-components';
import { asFilter, type Filter, filter, type JsonObject } from '#client/index.ts';
import { IconButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { client } from '../session/client.ts';
import { useWords } from '../words/words.ts';
import type { ControlProps } from './control-props.ts';
import styles from './form.module.css';
import { isReference, nameOf, type Reference, type Relationship, refOf } from './schema.ts';
import { words } from './words.ts';

/** Other objects that a property refers to: one or many, with a way to find more. */
export function References({
  label,
  property,
  value,
  onChange,
  isReadOnly,
  hint,
  problem,
  isFinderOnly = false,
}: ControlProps & {
  /** What is linked is shown elsewhere. */
  readonly isFinderOnly?: boolean;
}) {
  const t = useWords(words);
  const { relationship } = property;
  const linked: readonly Reference[] = Array.isArray(value)
    ? value.filter(isReference)
    : isReference(value)
      ? [value]
      : [];
  const isMany = relationship?.many === true;
  const remove = (gone: Reference) => onChange(isMany ? linked.filter((each) => each !== gone) : null);
  const add = (found: Reference) => {
    if (!isMany) onChange(found);
    else if (!linked.some(({ _ref }) => _ref === found._ref)) onChange([...linked, found]);
  };
  return (
    <div className="field">
      {isFinderOnly ? null : <span className="label">{label}</span>}
      {isFinderOnly ? null : linked.length === 0 ? (
        <span className="soft">{t.noneLinked}</span>
      ) : (
        <ul className={styles['linked']} aria-label={label}>
          {linked.map((each) => (
            <li key={each._ref}>
              <ReferenceLink reference={each} />
              {isReadOnly ? null : (
                <IconButton icon="close" label={t.remove(nameOf(each))} onPress={() => remove(each)} />
              )}
            </li>
          ))}
        </ul>
      )}
      {isReadOnly || relationship === undefined ? null : (
        <Finder label={label} relationship={relationship} onFound={add} />
      )}
      {hint === undefined ? null : <span className="hint">{hint}</span>}
      {problem === undefined ? null : <span className="problem">{problem}</span>}
    </div>
  );
}

export function ReferenceLink({ reference }: { readonly reference: Reference }) {
  const { _ref } = reference;
  const name = nameOf(reference);
  return _ref.startsWith('managed/') ? (
    <Link to={`/${_ref.replace(/^managed/, 'objects')}`}>{name}</Link>
  ) : (
    <span>{name}</span>
  );
}

const MOST_FOUND = 10;

/** Looks for objects that begin as it is typed, in the properties that their relationship shows. */
function Finder({
  label,
  relationship,
  onFound,
}: {
  readonly label: string;
  readonly relationship: Relationship;
  readonly onFound: (found: Reference) => void;
}) {
  const t = useWords(words);
  const [text, setText] = useState('');
  const targets = relationship.targets ?? [];
  const found = useQuery({
    queryKey: ['find', targets.map(({ path }) => path), text],
    queryFn: async ({ signal }) => {
      const lists = await Promise.all(targets.map((target) => find(target, text, signal)));
      return lists.flat();
    },
    placeholderData: keepPreviousData,
    enabled: targets.length > 0,
  });
  return (
    <ComboBox
      className={styles['finder'] ?? ''}
      inputValue={text}
      onInputChange={setText}
      items={found.data ?? []}
      selectedKey={null}
      menuTrigger="focus"
      allowsEmptyCollection
      onSelectionChange={(key) => {
        const hit = found.data?.find(({ _ref }) => _ref === key);
        if (hit !== undefined) onFound(hit);
        setText('');
      }}
    >
      <Label className="unseen">{t.find(label)}</Label>
      <div className="row">
        <Input className="input grow" placeholder={t.find(label)} />
        <AriaButton className="button quiet only-icon">
          <Icon name="down" />
        </AriaButton>
      </div>
      <Popover className="popover">
        <ListBox<Reference>>
          {(hit) => (
            <ListBoxItem id={hit._ref} textValue={nameOf(hit)} className="menu-item">
              <span className="grow">{nameOf(hit)}</span>
              <span className="soft">{hit._ref}</span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}

async function find(
  { path, fields = [], sortKeys = [] }: NonNullable<Relationship['targets']>[number],
  text: string,
  signal: AbortSignal,
): Promise<readonly Reference[]> {
  const shown = fields.filter((field) => !field.includes('*') && !field.startsWith('_'));
  const results = client.resource<JsonObject>(path).query({
    filter: filterOf(shown, text),
    fields: ['_id', ...shown],
    ...(sortKeys.length === 0 ? {} : { sort: sortKeys }),
    pageSize: MOST_FOUND,
    signal,
  });
  for await (const { result } of results.pages()) {
    return result.map((object) => ({ ...object, _ref: refOf(path, object._id) }));
  }
  return [];
}

function filterOf(fields: readonly string[], text: string): Filter {
  if (text === '' || fields.length === 0) return asFilter('true');
  const any = fields.map((field) => `${field} sw ${filter`${text}`.text}`);
  return asFilter(any.join(' or '));
}
