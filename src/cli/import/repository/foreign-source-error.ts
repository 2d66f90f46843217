/** What the other server has, or has not, cannot be read; the message is for whoever called the command. */
export class ForeignSourceError extends Error {}
