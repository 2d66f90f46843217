import { Badge } from '../../parts/badge.tsx';
import { useWords } from '../../words/words.ts';
import { words } from './words.ts';

/** Where a configuration comes from. */
export interface Origin {
  readonly kind: 'file' | 'default' | 'override';
  readonly file?: string;
  /** The file that an override stands in front of. */
  readonly hides?: string;
  readonly changedBy?: string;
  readonly changedAt?: string;
}

export function OriginBadge({ of: { kind } }: { readonly of: Origin }) {
  const t = useWords(words);
  return (
    <Badge tone={kind === 'override' ? 'info' : 'quiet'} mark={kind === 'override' ? '✎' : '○'}>
      {t[kind]}
    </Badge>
  );
}
