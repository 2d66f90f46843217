import type { AnyRoute } from '@tanstack/react-router';
import type { IconName } from '../parts/icon.tsx';
import type { Ask } from '../session/grants.ts';
import type { Words } from '../words/words.ts';

/** A part of the console that has its own folder in `screens/`: what the frame has to know of it. */
export interface Screen {
  /** Also the name of its folder, and the first part of its address. */
  readonly id: string;
  readonly icon: IconName;
  readonly words: Words<{ readonly title: string }>;
  /** Pressed behind `g` it leads here. */
  readonly key: string;
  /** It is offered to whoever may make one of these requests; to everybody when there are none. */
  readonly asks: readonly Ask[];
  /** Its addresses, and its pages, which are loaded when they are needed. */
  readonly routes: readonly AnyRoute[];
}
