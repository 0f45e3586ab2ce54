import { useMemo } from "react";
import { type Json, printExact } from "../../../api/exact";
import { Copy } from "../../../parts/Copy";
import { JsonTree } from "../../../parts/JsonTree";
import { jsonIn } from "../contents";
import styles from "../event.module.css";
import { Plain } from "./Prose";

interface ValueProps {
  readonly value: Json;
  readonly label: string;
}

/** A value: a text as it is, or as a tree where it is JSON; anything else as a tree. */
export function Value({ value, label }: ValueProps) {
  const parsed = useMemo(() => (typeof value === "string" ? jsonIn(value) : value), [value]);
  if (typeof value !== "string") return <JsonTree value={value} label={label} open={3} />;
  if (parsed === null) return <Plain text={value} />;
  return (
    <>
      <JsonTree value={parsed} label={label} open={3} />
      <Exact text={value} name="Exact text" />
    </>
  );
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
