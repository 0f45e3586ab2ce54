import { type RefObject, useEffect } from "react";

const NAME = "found";
const MOST = 500;

/**
 * Marks texts, given in small letters, wherever they are drawn within an element, and scrolls to the
 * first; `drawn` names what is drawn: it scrolls once for each.
 *
 * The browser draws the marks (CSS Custom Highlight API), so that whatever renders the text, as
 * Markdown, code or a tree, need not know of them.
 */
export function useMarkedTexts(
  within: RefObject<HTMLElement | null>,
  texts: readonly string[],
  drawn: string,
): void {
  useEffect(() => {
    const element = within.current;
    if (element === null || texts.length === 0) return;
    let hasScrolled = false;
    const mark = (): void => {
      const ranges = rangesOf(element, texts);
      CSS.highlights.set(NAME, new Highlight(...ranges));
      const [first] = ranges;
      if (hasScrolled || first === undefined) return;
      hasScrolled = true;
      scrollTo(first);
    };
    const observer = new MutationObserver(mark);
    observer.observe(element, { childList: true, characterData: true, subtree: true });
    mark();
    return () => {
      observer.disconnect();
      CSS.highlights.delete(NAME);
    };
  }, [within, texts, drawn]);
}

/** Puts a range into the upper third of what scrolls it. */
function scrollTo(range: Range): void {
  const scroller = range.startContainer.parentElement?.closest(
    '[role="region"], [role="tabpanel"]',
  );
  if (scroller == null) return;
  const [box, frame] = [range.getBoundingClientRect(), scroller.getBoundingClientRect()];
  if (box.top >= frame.top && box.bottom <= frame.bottom) return;
  scroller.scrollTop += box.top - frame.top - frame.height / 3;
}

function rangesOf(element: HTMLElement, texts: readonly string[]): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (
    let node = walker.nextNode();
    node !== null && ranges.length < MOST;
    node = walker.nextNode()
  ) {
    const drawn = (node.nodeValue ?? "").toLowerCase();
    for (const text of texts) {
      for (let at = drawn.indexOf(text); at >= 0; at = drawn.indexOf(text, at + text.length)) {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + text.length);
        ranges.push(range);
      }
    }
  }
  return ranges.sort((one, other) => one.compareBoundaryPoints(Range.START_TO_START, other));
}
