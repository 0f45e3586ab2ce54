import { useMemo } from "react";
import { type Json, printExact } from "../../../api/exact";
import { Copy } from "../../../parts/Copy";
import { JsonTree } from "../../../parts/JsonTree";
import { isFields, jsonIn, partsText } from "../contents";
import styles from "../event.module.css";
import { Plain } from "./Prose";

interface ValueProps {
  readonly value: Json;
  readonly label: string;
}

/** A value: a text as it is, or as a tree where it is JSON; anything else as a tree. */
export function Value({ value, label }: ValueProps) {
  const parsed = useMemo(() => (typeof value === "string" ? jsonIn(value) : value), [value]);
  const texts = partsText(value);
  if (texts !== null) {
    return (
      <>
        <Plain text={texts} />
        <Exact text={compact(value)} name="Exact value" />
      </>
    );
  }
  if (typeof value !== "string") return <Tree value={value} label={label} />;
  if (parsed === null) return <Plain text={value} />;
  return (
    <>
      <Tree value={parsed} label={label} />
      <Exact text={value} name="Exact text" />
    </>
  );
}

/** JSON as a tree; texts of several lines, as code, stand below it as they are. */
export function Tree({ value, label }: ValueProps) {
  const members = isFields(value) ? Object.entries(value) : [];
  const texts = members.filter((member): member is [string, string] => hasLines(member[1]));
  const rest = members.filter(([, member]) => !hasLines(member));
  return (
    <>
      {(texts.length === 0 || rest.length > 0) && (
        <JsonTree
          value={texts.length === 0 ? value : Object.fromEntries(rest)}
          label={label}
          open={3}
        />
      )}
      {texts.map(([name, text]) => (
        <figure key={name} className={styles["lines"]}>
          <figcaption>{name}</figcaption>
          <Plain text={text} />
        </figure>
      ))}
    </>
  );
}

function hasLines(value: Json): boolean {
  return typeof value === "string" && value.includes("\n");
}

/** A text, folded away until it is wanted, with a way to copy it. */
export function Exact({ text, name }: { text: string; name: string }) {
  return (
    <details className={styles["exact"]}>
      <summary>{name}</summary>
      <Copy text={text} />
      <Plain text={text} />
    </details>
  );
}

/** JSON on one line, as the service prints it. */
export function compact(value: Json): string {
  return printExact(value);
}
