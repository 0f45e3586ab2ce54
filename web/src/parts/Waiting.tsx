import { useEffect, useState } from "react";
import { Failure } from "./Failure";

const SLOW_MS = 1500;

interface WaitingProps {
  /** What is done, as Reading… */
  readonly what: string;
  /** Why the last try failed; null before that. */
  readonly reason: Error | null;
}

/** Shown while an answer is awaited: names the cause as soon as a try has failed or takes long. */
export function Waiting({ what, reason }: WaitingProps) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setSlow(true);
    }, SLOW_MS);
    return () => {
      clearTimeout(timer);
    };
  }, []);
  if (reason !== null) {
    return (
      <main className="screen">
        <Failure error={reason} />
        <p className="loading">Trying again…</p>
      </main>
    );
  }
  return <p className="loading">{isSlow ? `${what} The service has not answered yet.` : what}</p>;
}
