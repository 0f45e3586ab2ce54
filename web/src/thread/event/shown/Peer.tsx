import { Link } from "@tanstack/react-router";
import { duration } from "../../../parts/format";
import { useCursor } from "../../cursor";
import { pairsOf } from "../../timeline/pairing";
import { doubtOf } from "../../timeline/span";
import { useTimeline } from "../../timeline/timeline";
import type { Recorded } from "../contents";

interface PeerProps {
  readonly event: Recorded;
  /** Which call or result of the event. */
  readonly index?: number;
  /** The words for the two ends: Call and Result. */
  readonly names: readonly [begin: string, end: string];
  /** Whether the text beside it already says that it failed. */
  readonly isStated?: boolean;
}

/** The way from a call to its result or back, with the time between them. */
export function Peer({ event, index = 0, names, isStated = false }: PeerProps) {
  const timeline = useTimeline();
  const pair = pairsOf(event.type, event.version, timeline.at(event.version))[index];
  if (pair === undefined) {
    return <small>{timeline.isComplete ? "" : "Reading the events that it belongs to…"}</small>;
  }
  const { span, partner, isAsking } = pair;
  const [begin, end] = names;
  const doubt = doubtOf(span);
  return (
    <>
      {partner === null && (
        <span className="badge warn">
          {isAsking ? `no ${end.toLowerCase()}` : `no ${begin.toLowerCase()} before it`}
        </span>
      )}
      {partner !== null && (
        <Jump
          to={partner}
          text={isAsking ? `${end} at ${partner} →` : `← ${begin} at ${partner}`}
          elapsedMs={span.elapsedMs}
        />
      )}
      {span.outcome === "failed" && !isStated && <span className="badge bad">failed</span>}
      {isAsking && span.outcome === "denied" && <span className="badge bad">denied</span>}
      {isAsking && span.outcome === "granted" && <span className="badge ok">granted</span>}
      {doubt !== "" && (
        <span className={`badge ${span.outcome === "told" ? "told" : "warn"}`}>{doubt}</span>
      )}
    </>
  );
}

interface JumpProps {
  readonly to: number;
  readonly text: string;
  readonly elapsedMs: number | null;
}

function Jump({ to, text, elapsedMs }: JumpProps) {
  const { threadId, address } = useCursor();
  return (
    <span>
      <Link to="/threads/$threadId" params={{ threadId }} search={{ ...address, at: to }}>
        {text}
      </Link>
      {elapsedMs !== null && <small> {duration(elapsedMs)}</small>}
    </span>
  );
}
