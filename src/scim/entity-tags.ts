/**
 * What an `If-Match`, or the version of a bulk operation, asks for in the words of `/scim`: a revision, or several with commas
 * between; null for any.
 */
export function revisionsIn(text: string): string | null {
  const tags = tagsIn(text);
  // No revision has a comma in it.
  return tags === '*' ? null : tags.filter((tag) => !tag.includes(',')).join(',');
}

/**
 * Revisions that a precondition names, alone or in a list (RFC 9110, 8.8.3 and 13.1): `W/"3"`, `"3"`, or `*` for any. A weak tag means
 * the same revision as a strong one, as clients of SCIM send weak ones with their changes (RFC 7644, 3.14).
 */
export function tagsIn(text: string): '*' | readonly string[] {
  if (text.trim() === '*') return '*';
  const tags = [...text.matchAll(TAG)].map(([, quoted, bare = '']) => quoted ?? bare);
  return [...new Set(tags)];
}

/** In quotes there may be a comma; what some send without quotes ends at one. */
const TAG = /(?:W\/)?"([^"]*)"|([^\s,"]+)/g;
