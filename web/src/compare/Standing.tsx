import type { Summary } from "./queries";

const TONES: Record<string, string> = { complete: "ok", error: "bad", step_limit: "bad" };

/** How a thread ended, or that it is open, and its metadata. */
export function Standing({ thread }: { thread: Summary }) {
  const { outcome, status, metadata } = thread;
  const said = outcome ?? status;
  return (
    <span>
      <span className={`badge ${TONES[said] ?? ""}`}>{said.replace("_", " ")}</span>{" "}
      {Object.entries(metadata)
        .slice(0, 3)
        .map(([key, value]) => (
          <span key={key} className="badge" title={`metadata ${key}`}>
            {key} {String(value).slice(0, 40)}
          </span>
        ))}
    </span>
  );
}
