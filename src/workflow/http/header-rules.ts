/** What the name of a header is made of. */
export const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What may stand in a header; a line break would begin another one. */
export const VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

/** They say where a message goes and where it ends, which is ours to say. */
export const FRAMING =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect)$/i;
