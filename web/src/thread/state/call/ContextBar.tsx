import { count, counted } from "../../../parts/format";
import type { Tokens } from "../model/useTokens";
import styles from "../state.module.css";
import type { CallPart, ModelCall } from "./modelCall";

interface ContextBarProps {
  readonly call: ModelCall;
  readonly parts: readonly CallPart[];
  readonly tokens: Tokens;
}

/** How full the model's context is, part by part; without its size, the parts beside each other. */
export function ContextBar({ call, parts, tokens }: ContextBarProps) {
  const known = parts.map(({ part, texts }) => ({ part, tokens: tokens.of(texts) ?? 0 }));
  const total = known.reduce((sum, part) => sum + part.tokens, 0);
  const isCounted = parts.every(({ texts }) => tokens.of(texts) !== null);
  const window = call.contextWindow;
  const whole = window ?? total;
  const used = call.answer?.inputTokens ?? null;
  if (tokens.hasFailed) return <p className={styles["note"]}>The tokenizer could not be loaded</p>;
  return (
    <div role="group" aria-label="Context window">
      <p className={styles["note"]}>
        {isCounted ? `${count(total)} tokens o200k_base` : "Counting tokens…"}
        {window === null
          ? ", size of the context not known"
          : ` of ${count(window)} (${percent(total / window)})`}
        {used !== null && ` · reported ${count(used)}`}
      </p>
      <div className={styles["bar"]} aria-hidden="true">
        {known.map(({ part, tokens: size }) => (
          <span
            key={part}
            data-part={part}
            style={{ width: whole > 0 ? `${(100 * size) / whole}%` : 0 }}
          />
        ))}
      </div>
      <ul className={styles["legend"]}>
        {known.map(({ part, tokens: size }) => (
          <li key={part}>
            <span className={styles["dot"]} data-part={part} />
            {part} {counted(size, "token")}
          </li>
        ))}
      </ul>
    </div>
  );
}

function percent(share: number): string {
  return share < 0.001 ? "under 0.1 %" : `${(100 * share).toFixed(1)} %`;
}
