import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** In the colours of the console, light or dark. */
export const look: Extension = [
  EditorView.theme({
    '&': { color: 'var(--text)', backgroundColor: 'transparent', fontSize: 'var(--small)' },
    '&.cm-focused': { outline: 'none' },
    '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', maxHeight: '60vh', minHeight: '8rem' },
    '.cm-gutters': { backgroundColor: 'var(--surface-2)', color: 'var(--text-2)', border: 'none' },
    '.cm-activeLine, .cm-activeLineGutter': {
      backgroundColor: 'color-mix(in srgb, var(--accent) 7%, transparent)',
    },
    '.cm-cursor': { borderLeftColor: 'var(--text)' },
    '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
      backgroundColor: 'var(--surface-3) !important',
    },
    '.cm-tooltip, .cm-panels': {
      backgroundColor: 'var(--surface)',
      color: 'var(--text)',
      border: '1px solid var(--line)',
    },
    '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
      backgroundColor: 'var(--accent-fill)',
      color: 'var(--on-accent)',
    },
    '.cm-panels input, .cm-panels button, .cm-panels label': { color: 'var(--text)' },
    '.cm-diagnostic': { color: 'var(--text)' },
    '.cm-changedLine': { backgroundColor: 'var(--good-soft) !important' },
    // What differs has a ground of its own, on which the colours of the language could not be read.
    '.cm-deletedChunk *, .cm-changedText, .cm-changedText *': { color: 'var(--text)' },
    '.cm-deletedChunk': { backgroundColor: 'var(--bad-soft)' },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: [tags.keyword, tags.tagName], color: 'var(--accent)', fontWeight: '550' },
      { tag: [tags.string, tags.attributeValue], color: 'var(--good)' },
      { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--warn)' },
      { tag: [tags.comment, tags.meta], color: 'var(--text-2)', fontStyle: 'italic' },
      { tag: [tags.propertyName, tags.attributeName], color: 'var(--info)' },
      { tag: tags.invalid, color: 'var(--bad)' },
    ]),
  ),
];
