/** Process files as they are drawn. The library that draws is loaded with the paper alone. */
export {
  childrenIn,
  extensionsIn,
  isModel,
  isOf,
  type Model,
  modelsIn,
  ownAttribute,
  textIn,
} from './dialect.ts';
export type { Drawing, Shape } from './drawing.ts';
