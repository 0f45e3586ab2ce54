import { runsOf } from "./ansi";

/** A text in the colours that it has for a terminal. */
export function TerminalText({ text }: { text: string }) {
  if (!text.includes("\u001b[")) return <>{text}</>;
  return (
    <>
      {runsOf(text).map(({ text: part, colour, isBold }, index) => (
        <span
          key={index}
          style={{
            ...(colour !== null && { color: `var(--${colour})` }),
            ...(isBold && { fontWeight: 600 }),
          }}
        >
          {part}
        </span>
      ))}
    </>
  );
}
