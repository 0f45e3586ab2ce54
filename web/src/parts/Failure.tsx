import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { Problem, Unreachable } from "../api/problem";

const AGAIN_MS = 5000;

/**
 * An error message; for a refusal of the service, its title and detail. A query that got no answer
 * from the service is sent again.
 */
export function Failure({ error, title: ownTitle }: { error: unknown; title?: string }) {
  const client = useQueryClient();
  const isAway = error instanceof Unreachable;
  useEffect(() => {
    if (!isAway) return;
    const timer = setInterval(() => {
      const predicate = ({ state }: { state: { error: unknown } }): boolean =>
        state.error === error;
      void client.refetchQueries({ type: "active", predicate }, { cancelRefetch: false });
    }, AGAIN_MS);
    return () => {
      clearInterval(timer);
    };
  }, [client, error, isAway]);
  const title = ownTitle ?? (error instanceof Problem ? error.title : "Something went wrong");
  const detail = error instanceof Error ? error.message : String(error);
  return (
    <div className="failure" role="alert">
      <strong>{isAway ? "The service does not answer" : title}</strong>
      {detail !== title && <p>{detail}</p>}
    </div>
  );
}
