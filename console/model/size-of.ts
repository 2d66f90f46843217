import { isOf, type Model } from './dialect.ts';
import type { Size } from './lay-out.ts';

/** As elements of a kind are drawn. */
export function sizeOf(node: Model): Size {
  if (isOf(node, 'Event')) return { width: 36, height: 36 };
  if (isOf(node, 'Gateway')) return { width: 50, height: 50 };
  return { width: 100, height: 80 };
}
