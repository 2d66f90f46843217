import { type ReactNode, useEffect, useState } from 'react';
import { common } from '../words/common.ts';
import { useWords } from '../words/words.ts';
import { ErrorNote } from './error-note.tsx';
import { Icon, type IconName } from './icon.tsx';

/** A screen: its title, what it says beside it, and what can be done. */
export function Page({
  title,
  says,
  actions,
  children,
}: {
  readonly title: string;
  readonly says?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · svc`;
  }, [title]);
  return (
    <div className="page">
      <header className="page-head">
        <div className="grow row">
          <h1 tabIndex={-1}>{title}</h1>
          {says === undefined ? null : <span className="says">{says}</span>}
        </div>
        {actions}
      </header>
      {children}
    </div>
  );
}

export function Card({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className="card">
      <header className="card-head">
        <h2>{title}</h2>
        {actions}
      </header>
      <div className="card-body">{children}</div>
    </section>
  );
}

export function Empty({
  icon,
  title,
  children,
}: {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

interface Asked<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  refetch(): unknown;
}

const LONG_MS = 3_000;

/** What was asked for, once it is there. What is there already stays while it is asked for again. */
export function Loaded<T>({
  of,
  children,
}: {
  readonly of: Asked<T>;
  readonly children: (data: T) => ReactNode;
}) {
  const { data, error } = of;
  if (error !== null && error !== undefined) {
    return (
      <>
        <ErrorNote error={error} retry={() => of.refetch()} />
        {data === undefined ? null : children(data)}
      </>
    );
  }
  return data === undefined ? <Loading /> : children(data);
}

export function Loading() {
  const t = useWords(common);
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p className="soft" role="status">
      {isLong ? t.stillLoading : t.loading}
    </p>
  );
}
