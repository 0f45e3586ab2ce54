import { useState } from "react";

interface CopyProps {
  /** The text, or a function that makes it when the button is pressed. */
  readonly text: string | (() => string | Promise<string>);
  readonly children?: string;
  readonly className?: string;
}

/** A button that copies a text, and says that it did. */
export function Copy({ text, children = "Copy", className = "quiet" }: CopyProps) {
  const [said, say] = useState<string | null>(null);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : await text());
      say("Copied");
    } catch (error) {
      say(`Not copied: ${error instanceof Error ? error.message : String(error)}`);
    }
    setTimeout(() => {
      say(null);
    }, 1500);
  };
  return (
    <button type="button" className={className} onClick={() => void copy()}>
      <span aria-live="polite">{said ?? children}</span>
    </button>
  );
}
