/** The panes' shares of the width, as parts of 1, kept in this browser. */

export const STEP = 0.02;
const LEAST = 0.15;
const PLACE = "agentlog.panes";
const USUAL: readonly number[] = [0.38, 0.28, 0.34];

/** Moves the divider after a pane; both sides keep a least width. */
export function shift(shares: readonly number[], divider: number, by: number): readonly number[] {
  const [left = 0, right = 0] = shares.slice(divider, divider + 2);
  const step = Math.max(LEAST - left, Math.min(by, right - LEAST));
  return shares.map((share, index) => {
    if (index === divider) return share + step;
    return index === divider + 1 ? share - step : share;
  });
}

/** The shares of fewer panes, the first of which has the room of those that are left out. */
export function sharesOf(shares: readonly number[], panes: number): readonly number[] {
  const merged = shares.length - panes + 1;
  const first = shares.slice(0, merged).reduce((total, share) => total + share, 0);
  return [first, ...shares.slice(merged)];
}

/** Parses kept shares; the usual ones where the text is no such list. */
export function sharesIn(text: string | null, usual = USUAL): readonly number[] {
  const shares = (text ?? "").split(" ").map(Number);
  const sum = shares.reduce((total, share) => total + share, 0);
  const isUsable = shares.length === usual.length && Math.abs(sum - 1) < 0.01;
  return isUsable && shares.every((share) => share >= LEAST - 0.01) ? shares : usual;
}

export function currentShares(): readonly number[] {
  return sharesIn(localStorage.getItem(PLACE));
}

export function keepShares(shares: readonly number[]): void {
  localStorage.setItem(PLACE, shares.map((share) => share.toFixed(4)).join(" "));
}
