import { createElement, type KeyboardEvent, type ReactNode, useMemo } from 'react';
import { type Box, boxOf, type Piece, readDrawing } from './read-drawing.ts';

/** A word or a number at an element. */
export interface Mark {
  readonly text: string;
  readonly tone: 'good' | 'warn' | 'bad' | 'info';
}

const FLOWS = /^(?:sequenceFlow|messageFlow|association|dataInputAssociation|dataOutputAssociation)\b/;
const MARK_HEIGHT = 18;
const LETTER_WIDTH = 7;

/** A process as the server draws it, with marks at its elements, which can be chosen. */
export function Diagram({
  label,
  svg,
  marks = {},
  standing,
  chosen,
  onChoose,
}: {
  readonly label: string;
  /** As `diagramSvg` has it, in base64. */
  readonly svg: string;
  readonly marks?: Readonly<Record<string, readonly Mark[]>>;
  /** Elements where something stands, in place of what the drawing says. */
  readonly standing?: ReadonlySet<string> | undefined;
  readonly chosen?: string | undefined;
  readonly onChoose?: (element: string) => void;
}) {
  const drawing = useMemo(
    () => readDrawing(new TextDecoder().decode(Uint8Array.from(atob(svg), (each) => each.charCodeAt(0)))),
    [svg],
  );
  if (drawing === undefined) return null;
  const { viewBox = '', width = '', 'font-family': font } = drawing.attributes;
  const draw = (piece: Piece | string, key: number): ReactNode => {
    if (typeof piece === 'string') return piece;
    const { name, attributes, pieces } = piece;
    const { 'data-element-id': id, class: kind = '' } = attributes;
    const inner = pieces.map(draw);
    if (id === undefined || FLOWS.test(kind)) {
      return createElement(name, { key, ...propsOf(attributes) }, ...inner);
    }
    const box = boxOf(piece);
    const title = titleOf(piece) ?? id;
    const said = (marks[id] ?? []).map(({ text }) => text).join(', ');
    return (
      <g key={key} {...(onChoose === undefined ? {} : buttonOf(chosen === id, () => onChoose(id)))}>
        <title>{said === '' ? title : `${title}: ${said}`}</title>
        {inner}
        {box === undefined || (chosen !== id && standing?.has(id) !== true) ? null : (
          <rect
            {...grown(box, 5)}
            rx="10"
            className={standing?.has(id) === true ? 'diagram-standing' : 'diagram-chosen'}
          />
        )}
        {box === undefined ? null : <Marks at={box} marks={marks[id] ?? []} />}
      </g>
    );
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
    <div className="diagram" tabIndex={0} role="group" aria-label={label}>
      <svg viewBox={viewBox} width={width} fontFamily={font} role="group" aria-label={label}>
        {drawing.pieces.map(draw)}
      </svg>
    </div>
  );
}

function Marks({ at, marks }: { readonly at: Box; readonly marks: readonly Mark[] }) {
  let right = at.x + at.width + 6;
  return marks.map(({ text, tone }) => {
    const width = Math.max(MARK_HEIGHT, text.length * LETTER_WIDTH + 10);
    right -= width;
    const x = right;
    right -= 2;
    return (
      <g key={`${tone} ${text}`} className={`diagram-mark ${tone}`}>
        <rect x={x} y={at.y - MARK_HEIGHT / 2} width={width} height={MARK_HEIGHT} rx={MARK_HEIGHT / 2} />
        <text x={x + width / 2} y={at.y + 4} textAnchor="middle" fontSize="11" fontWeight="700">
          {text}
        </text>
      </g>
    );
  });
}

/** There are no buttons in a drawing, but what acts as one. */
function buttonOf(isChosen: boolean, act: () => void) {
  return {
    role: 'button',
    tabIndex: 0,
    className: 'diagram-element',
    'aria-pressed': isChosen,
    onClick: act,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      act();
    },
  };
}

function grown({ x, y, width, height }: Box, by: number) {
  return { x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by };
}

function titleOf({ pieces }: Piece): string | undefined {
  for (const piece of pieces) {
    if (typeof piece === 'object' && piece.name === 'title') return piece.pieces.join('');
  }
  return undefined;
}

/** As React writes them. */
function propsOf(attributes: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name === 'class'
        ? 'className'
        : name.startsWith('data-')
          ? name
          : name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}
