const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/** Looks at what is done elsewhere until it has come to its end: soon at first, then less and less often. */
export async function lookUntil<Seen>(
  look: () => Promise<Seen>,
  isOver: (seen: Seen) => boolean,
): Promise<Seen> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const seen = await look();
    if (isOver(seen)) return seen;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
