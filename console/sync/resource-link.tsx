import { Link } from '@tanstack/react-router';
import { addressOf } from './address.ts';

/** What something is about, by its path, which leads to it where the console shows it. */
export function ResourceLink({ of }: { readonly of: string }) {
  const address = addressOf(of);
  return address === undefined ? <code>{of}</code> : <Link {...address}>{of}</Link>;
}
