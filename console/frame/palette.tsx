import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Autocomplete, Header, Input, Menu, MenuItem, MenuSection, SearchField } from 'react-aria-components';
import { Dialog } from '../parts/dialog.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { client } from '../session/client.ts';
import { plainText } from '../words/plain-text.ts';
import { useLanguage, useWords } from '../words/words.ts';
import type { Screen } from './screen.ts';
import { words } from './words.ts';

interface Hit {
  readonly id: string;
  readonly title: string;
  readonly says: string;
  readonly icon: IconName;
}

interface Found {
  readonly types: readonly {
    readonly type: string;
    readonly title: string;
    readonly result: readonly {
      readonly path: string;
      readonly matched: string;
      readonly object: Readonly<Record<string, unknown>>;
    }[];
  }[];
}

const LEAST_LETTERS = 2;

/** Pages by their names, and objects by what they are called. */
export function Palette({
  screens,
  onClose,
}: {
  readonly screens: readonly Screen[];
  readonly onClose: () => void;
}) {
  const t = useWords(words);
  const language = useLanguage();
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const isAsked = text.trim().length >= LEAST_LETTERS;
  const found = useQuery({
    queryKey: ['search', text.trim()],
    queryFn: ({ signal }) =>
      client.send<Found>({ method: 'GET', path: ['search'], parameters: { q: text.trim() }, signal }),
    enabled: isAsked,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const pages = screens
    .map(
      (screen): Hit => ({
        id: `/${screen.id}`,
        title: screen.words[language].title,
        says: `g ${screen.key}`,
        icon: screen.icon,
      }),
    )
    .filter(({ title }) =>
      title.toLocaleLowerCase(language).includes(text.trim().toLocaleLowerCase(language)),
    );
  const sections = [
    { title: t.pages, hits: pages },
    ...(isAsked ? (found.data?.types ?? []) : []).map(({ title, result }) => ({
      title,
      hits: result.map(
        (hit): Hit => ({
          id: hit.path.replace(/^managed\//, '/objects/'),
          title: nameOf(hit.object, hit.path),
          says: plainText(hit.object[hit.matched]),
          icon: 'objects',
        }),
      ),
    })),
  ].filter(({ hits }) => hits.length > 0);
  return (
    <Dialog title={t.palette} onClose={onClose}>
      <Autocomplete inputValue={text} onInputChange={setText}>
        <SearchField aria-label={t.palette} autoFocus className="field">
          <Input className="input" placeholder={t.paletteHint} />
        </SearchField>
        <Menu
          aria-label={t.palette}
          className="palette"
          onAction={(key) => {
            onClose();
            void navigate({ to: String(key) });
          }}
          renderEmptyState={() => <p className="soft">{t.noHits}</p>}
        >
          {sections.map(({ title, hits }) => (
            <MenuSection key={title} id={title}>
              <Header className="palette-head">{title}</Header>
              {hits.map((hit) => (
                <MenuItem key={hit.id} id={hit.id} textValue={hit.title} className="menu-item">
                  <Icon name={hit.icon} />
                  <span className="grow">{hit.title}</span>
                  <span className="soft">{hit.says}</span>
                </MenuItem>
              ))}
            </MenuSection>
          ))}
        </Menu>
      </Autocomplete>
    </Dialog>
  );
}

function nameOf(object: Readonly<Record<string, unknown>>, path: string): string {
  const person = [object['givenName'], object['sn']].filter((part) => typeof part === 'string').join(' ');
  const name = object['name'] ?? object['userName'];
  if (person !== '') return typeof name === 'string' ? `${person} (${name})` : person;
  return typeof name === 'string' ? name : path;
}
