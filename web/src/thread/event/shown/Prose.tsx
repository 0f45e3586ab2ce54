import { LongText } from "../../../parts/text/LongText";
import { Markdown } from "../../../parts/text/Markdown";
import { useCursor } from "../../cursor";

/** Characters; longer texts are drawn where they are looked at, so not as markdown. */
export const LONGEST = 20_000;

/** A text as Markdown, or plain if the reader chose that. */
export function Prose({ text }: { text: string }) {
  const { address } = useCursor();
  return address.plain === true || text.length > LONGEST ? (
    <Plain text={text} />
  ) : (
    <Markdown text={text} />
  );
}

/** A text as it is. */
export function Plain({ text }: { text: string }) {
  return <LongText text={text} />;
}
