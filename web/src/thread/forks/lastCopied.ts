/**
 * The last version of a fork that was copied: those after its first fact, one after the other.
 *
 * `areCopies` says of the two events after a version whether they are copies. The search begins at
 * `guess`, where most forks end: their origin has one fact, and no edit moved its messages.
 */
export async function lastCopied(
  last: number,
  guess: number,
  areCopies: (after: number) => Promise<readonly boolean[]>,
): Promise<number> {
  let low = 1; // copied up to here, but for the fact
  let high = last + 1; // no copy any more
  let probe = Math.max(2, Math.min(guess, last));
  while (high - low > 1) {
    const [is = false, isNext = false] = await areCopies(probe - 1);
    if (!is) high = probe;
    else {
      low = isNext ? probe + 1 : probe;
      if (!isNext) break;
    }
    probe = Math.floor((low + high) / 2);
  }
  return low;
}
