import { useNow } from "../parts/activity";
import { standing, type Summary } from "../threads/standing";

/** How a thread ended, or that it is open, and its metadata. */
export function Standing({ thread }: { thread: Summary }) {
  const { words, tone } = standing(thread, useNow());
  return (
    <span>
      <span className={`badge ${tone}`}>{words}</span>{" "}
      {Object.entries(thread.metadata)
        .slice(0, 3)
        .map(([key, value]) => (
          <span key={key} className="badge" title={`metadata ${key}`}>
            {key} {String(value).slice(0, 40)}
          </span>
        ))}
    </span>
  );
}
