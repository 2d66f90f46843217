import { autocompletion, closeBrackets } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { Annotation, EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { completeFrom, type Known } from './complete.ts';
import { type Language, languageOf } from './languages.ts';
import { look } from './look.ts';

/** What is wrong with a text, at lines and columns that begin with 1. */
export interface Remark {
  readonly line: number;
  readonly column: number;
  readonly endLine?: number;
  readonly endColumn?: number;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly hint?: string | undefined;
}

interface Props {
  readonly label: string;
  readonly language: Language;
  readonly value: string;
  /** Without it the text is only shown. */
  readonly onChange?: (text: string) => void;
  readonly remarks?: readonly Remark[];
  /** What can be named in it. */
  readonly known?: readonly Known[] | undefined;
  /** What it was: then it is shown with what differs from that. */
  readonly before?: string;
  /** Ctrl Enter. */
  readonly onEnter?: () => void;
  /** Ctrl S. */
  readonly onSave?: () => void;
}

/** Marks the text that the page has put in: nobody has written that. */
const ofPage = Annotation.define<true>();

/** A text of a program. Tab leaves it, as it leaves any field; Escape, then Tab, where the list of words is open. */
export default function Code({
  label,
  language,
  value,
  onChange,
  remarks,
  known,
  before,
  onEnter,
  onSave,
}: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef({ onChange, known, onEnter, onSave });
  latest.current = { onChange, known, onEnter, onSave };
  const isShownOnly = onChange === undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an editor that was made anew would lose the place where somebody types
  useEffect(() => {
    if (place.current === null) return;
    const extensions: Extension[] = [
      EditorView.cspNonce.of(nonce()),
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      lineNumbers(),
      foldGutter(),
      history(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      closeBrackets(),
      highlightActiveLine(),
      highlightSelectionMatches(),
      lintGutter(),
      languageOf(language),
      look,
      autocompletion({ override: [(context) => completeFrom(latest.current.known ?? [])(context)] }),
      keymap.of([
        ...(['onEnter', 'onSave'] as const).map((act) => ({
          key: act === 'onEnter' ? 'Mod-Enter' : 'Mod-s',
          run: () => {
            latest.current[act]?.();
            return true;
          },
        })),
        ...defaultKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...foldKeymap,
        ...lintKeymap,
      ]),
      EditorView.updateListener.of(({ docChanged, state, transactions }) => {
        const isWritten = docChanged && !transactions.every((each) => each.annotation(ofPage) === true);
        if (isWritten) latest.current.onChange?.(state.doc.toString());
      }),
      ...(isShownOnly ? [EditorState.readOnly.of(true)] : []),
      ...(before === undefined ? [] : [unifiedMergeView({ original: before, mergeControls: false })]),
    ];
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({ doc: value, extensions }),
    });
    view.current = made;
    return () => made.destroy();
  }, [language, before, isShownOnly]);
  useEffect(() => {
    const shown = view.current;
    if (shown === null || shown.state.doc.toString() === value) return;
    shown.dispatch({
      changes: { from: 0, to: shown.state.doc.length, insert: value },
      annotations: ofPage.of(true),
    });
  }, [value]);
  useEffect(() => {
    const shown = view.current;
    if (shown === null || remarks === undefined) return;
    shown.dispatch(
      setDiagnostics(
        shown.state,
        remarks.map((remark) => placed(shown.state, remark)),
      ),
    );
  }, [remarks]);
  return <div className="code" ref={place} />;
}

function placed(state: EditorState, remark: Remark): Diagnostic {
  const { line, column, endLine = line, endColumn = column + 1, severity, message, hint } = remark;
  const at = (number: number, letter: number) => {
    const { from, to } = state.doc.line(Math.min(Math.max(number, 1), state.doc.lines));
    return Math.min(from + Math.max(letter - 1, 0), to);
  };
  const from = at(line, column);
  return {
    from,
    to: Math.max(from, at(endLine, endColumn)),
    severity,
    message: hint === undefined ? message : `${message}. ${hint}`,
  };
}

/** By which the policy of the page knows the sheet of the editor. */
function nonce(): string {
  return document.querySelector<HTMLElement>('meta[property=csp-nonce]')?.nonce ?? '';
}
