import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import icon from '../icon.svg';
import { useLive } from '../live/live.ts';
import { IconButton } from '../parts/button.tsx';
import { EnvironmentBanner } from '../parts/environment-banner.tsx';
import { Icon } from '../parts/icon.tsx';
import { useKeys } from '../parts/keys.ts';
import { Menu } from '../parts/menu.tsx';
import { Loading } from '../parts/page.tsx';
import { logOut, useIdentity } from '../session/identity.ts';
import { words as sessionWords } from '../session/words.ts';
import { common } from '../words/common.ts';
import { LANGUAGES, useLanguage, useWords } from '../words/words.ts';
import { Reviews } from '../write/review.tsx';
import { hasContrast, setContrast, setTheme, THEMES, theme } from './appearance.ts';
import { Help } from './help.tsx';
import { useLanguageChoice } from './language-choice.ts';
import { Palette } from './palette.tsx';
import type { Screen } from './screen.ts';
import { useScreens } from './screens-of-caller.ts';
import styles from './shell.module.css';
import { words } from './words.ts';

/** What is around every page: areas, search, who is there. */
export function Shell() {
  const t = useWords(words);
  const screens = useScreens() ?? [];
  const navigate = useNavigate();
  const [open, setOpen] = useState<'palette' | 'help'>();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has been gone to
  useEffect(() => setMenuOpen(false), [path]);
  useKeys({
    'mod+k': () => setOpen('palette'),
    '?': () => setOpen('help'),
    ...Object.fromEntries(screens.map(({ key, id }) => [`g ${key}`, () => void navigate({ to: `/${id}` })])),
  });
  return (
    <Reviews>
      <a href="#content" className={styles['skip']}>
        {t.skip}
      </a>
      <EnvironmentBanner />
      <div className={styles['frame']}>
        <nav className={`${styles['side']} ${isMenuOpen ? styles['open'] : ''}`} aria-label={t.navigation}>
          <Brand />
          <ul className={styles['areas']}>
            {screens.map((screen) => (
              <Area key={screen.id} screen={screen} />
            ))}
          </ul>
        </nav>
        <div className={styles['main']}>
          <header className={styles['top']}>
            <span className={styles['menu']}>
              <IconButton icon="menu" label={t.menu} onPress={() => setMenuOpen(!isMenuOpen)} />
            </span>
            <button type="button" className={styles['find']} onClick={() => setOpen('palette')}>
              <Icon name="search" />
              <span className="grow">{t.palette}</span>
              <kbd>Ctrl K</kbd>
            </button>
            <span className="grow" />
            <LiveMark />
            <Settings onKeys={() => setOpen('help')} />
            <Account />
          </header>
          <main id="content" className={styles['content']} tabIndex={-1}>
            <Suspense fallback={<Fallback />}>
              <Outlet />
            </Suspense>
          </main>
        </div>
      </div>
      {open === 'palette' ? <Palette screens={screens} onClose={() => setOpen(undefined)} /> : null}
      {open === 'help' ? <Help screens={screens} onClose={() => setOpen(undefined)} /> : null}
    </Reviews>
  );
}

function Fallback() {
  return (
    <div className="page">
      <Loading />
    </div>
  );
}

function Brand() {
  const t = useWords(common);
  return (
    <Link to="/" className={styles['brand']}>
      <img src={icon} alt="" />
      {t.product}
    </Link>
  );
}

function Area({ screen }: { readonly screen: Screen }) {
  const { title } = screen.words[useLanguage()];
  return (
    <li>
      <Link to={`/${screen.id}`} className={styles['area']} activeProps={{ 'aria-current': 'page' }}>
        <Icon name={screen.icon} />
        {title}
      </Link>
    </li>
  );
}

function LiveMark() {
  const t = useWords(words);
  const state = useLive();
  return (
    <span
      className={`${styles['mark']} ${styles[state] ?? ''}`}
      title={t[state]}
      role="img"
      aria-label={t[state]}
    />
  );
}

function Settings({ onKeys }: { readonly onKeys: () => void }) {
  const t = useWords(words);
  const language = useLanguage();
  const choose = useLanguageChoice();
  const [, drawAnew] = useState(0);
  const titles = { system: t.system, light: t.light, dark: t.dark };
  const languages = Object.entries(LANGUAGES).map(([id, title]) => ({ id: `language ${id}`, title }));
  return (
    <Menu
      isIcon
      icon="theme"
      label={t.theme}
      isMany
      chosen={[`theme ${theme()}`, `language ${language}`, ...(hasContrast() ? ['contrast'] : [])]}
      choices={[
        ...THEMES.map((id) => ({ id: `theme ${id}`, title: titles[id] })),
        { id: 'contrast', title: t.contrast },
        ...languages,
        { id: 'keys', title: t.keys },
      ]}
      onChoose={(id) => {
        const [what, which] = id.split(' ');
        const chosenTheme = THEMES.find((each) => each === which);
        if (what === 'theme' && chosenTheme !== undefined) setTheme(chosenTheme);
        if (what === 'contrast') setContrast(!hasContrast());
        if (what === 'language') choose(which ?? '');
        if (what === 'keys') onKeys();
        drawAnew((n) => n + 1);
      }}
    />
  );
}

function Account() {
  const t = useWords(words);
  const s = useWords(sessionWords);
  const { name } = useIdentity();
  const queries = useQueryClient();
  const leave = async () => {
    await logOut().catch(() => undefined);
    queries.clear();
    sessionStorage.clear();
    location.reload();
  };
  return (
    <span className={styles['account']}>
      <span className={styles['name']}>{name}</span>
      <Menu
        isIcon
        icon="person"
        label={`${t.account} ${name}`}
        choices={[{ id: 'out', title: s.logOut, icon: 'out' }]}
        onChoose={() => void leave()}
      />
    </span>
  );
}
