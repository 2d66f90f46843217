import { useEffect, useRef, useState } from 'react';
import { ErrorNote } from '../parts/error-note.tsx';
import { useLanguage } from '../words/words.ts';
import { Drawing } from './drawing.ts';
import './model.css';
import { german } from './words.ts';

const SETTLED_MS = 300;

/**
 * A process file to draw on. It is read once; what becomes of it is told when nothing has been done for a moment.
 *
 * @param onTurn something was chosen or changed: what stands beside it is read anew
 */
export default function Paper({
  xml,
  label,
  onXml,
  onTurn,
}: {
  readonly xml: string;
  readonly label: string;
  readonly onXml: (xml: string) => void;
  readonly onTurn: (drawing: Drawing) => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const first = useRef(xml);
  const latest = useRef({ onXml, onTurn });
  latest.current = { onXml, onTurn };
  const language = useLanguage();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const at = place.current;
    if (at === null) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const save = () => {
      timer = undefined;
      void drawing.xml().then((saved) => {
        if (isOver) return;
        first.current = saved;
        latest.current.onXml(saved);
      });
    };
    const drawing = new Drawing({
      at,
      translate: (text, replaced = {}) =>
        ((language === 'de' ? german[text] : undefined) ?? text).replace(
          /\{(\w+)\}/g,
          (_, name: string) => replaced[name] ?? `{${name}}`,
        ),
      onChange: (what) => {
        latest.current.onTurn(drawing);
        if (what !== 'model') return;
        clearTimeout(timer);
        timer = setTimeout(save, SETTLED_MS);
      },
    });
    drawing.open(first.current).then(
      () => {
        if (!isOver) latest.current.onTurn(drawing);
      },
      (thrown: unknown) => {
        if (!isOver) setError(thrown);
      },
    );
    return () => {
      const isBehind = timer !== undefined;
      clearTimeout(timer);
      // What was done last is not lost because somebody goes on quickly.
      const last = isBehind ? drawing.xml() : Promise.resolve(undefined);
      isOver = true;
      void last
        .then((saved) => saved === undefined || latest.current.onXml(saved))
        .finally(() => drawing.destroy());
    };
  }, [language]);
  return (
    <>
      {error === undefined ? null : <ErrorNote error={error} />}
      <section className="model-paper" ref={place} aria-label={label} />
    </>
  );
}
