import { count } from "../../../parts/format";
import type { Tokens } from "../model/useTokens";
import styles from "../state.module.css";
import { type CallPart, doubtOf, type ModelCall } from "./modelCall";

interface ContextBarProps {
  readonly call: ModelCall;
  readonly parts: readonly CallPart[];
  readonly tokens: Tokens;
}

/** How full the model's context is, part by part; without its size, the parts beside each other. */
export function ContextBar({ call, parts, tokens }: ContextBarProps) {
  const known = parts.map(({ part, texts }) => ({ part, size: tokens.of(texts) }));
  const total = known.reduce((sum, { size }) => sum + (size ?? 0), 0);
  const isCounted = known.every(({ size }) => size !== null);
  const window = call.contextWindow;
  const whole = window ?? total;
  const used = call.answer?.inputTokens ?? null;
  const doubt = doubtOf(call);
  if (tokens.hasFailed) return <p className={styles["note"]}>The tokenizer could not be loaded</p>;
  return (
    <div role="group" aria-label="Context window">
      <p className={styles["note"]}>
        {isCounted ? `${count(total)} tokens o200k_base` : "Counting tokens…"}
        {window === null && ", size of the context not known"}
        {window !== null && ` of ${count(window)}`}
        {window !== null && isCounted && ` (${percent(total / window)})`}
        {used !== null && ` · reported ${count(used)}`}
      </p>
      {doubt !== null && <p className={styles["note"]}>Doubtful: {doubt}</p>}
      <div className={styles["bar"]} aria-hidden="true">
        {known.map(({ part, size }) => (
          <span
            key={part}
            data-part={part}
            style={{ width: size === null || whole === 0 ? 0 : `${(100 * size) / whole}%` }}
          />
        ))}
      </div>
      <ul className={styles["legend"]}>
        {known.map(({ part, size }) => (
          <li key={part}>
            <span className={styles["dot"]} data-part={part} />
            {part} {size === null ? "…" : count(size)}
            {doubt !== null && "?"}
          </li>
        ))}
      </ul>
    </div>
  );
}

function percent(share: number): string {
  return share < 0.001 ? "under 0.1 %" : `${(100 * share).toFixed(1)} %`;
}
