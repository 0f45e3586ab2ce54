import { Link } from "@tanstack/react-router";
import { duration } from "../../../parts/format";
import { useCursor } from "../../cursor";
import type { Span } from "../queries";

interface PeerProps {
  /** What begins or ends here; undefined while it is looked for. */
  readonly spans: readonly Span[] | undefined;
  readonly kind: string;
  /** The id of the call or worker; null where one of the kind is enough. */
  readonly id: string | null;
  /** The words for the two ends: Call and Result. */
  readonly names: readonly [begin: string, end: string];
  readonly side: "begin" | "end";
  /** Whether the text beside it already says that it failed. */
  readonly isStated?: boolean;
}

/** The way from a call to its result or back, with the time between them. */
export function Peer({ spans, kind, id, names, side, isStated = false }: PeerProps) {
  const { at } = useCursor();
  if (spans === undefined) return null;
  const own = side === "begin" ? "version" : "endVersion";
  const span = spans.find(
    (each) => each.kind === kind && each[own] === at && (id === null || each.id === id),
  );
  const [begin, end] = names;
  if (side === "end") {
    if (span === undefined) return null;
    if (span.version === null) {
      return <span className="badge warn">no {begin.toLowerCase()} before it</span>;
    }
    return (
      <>
        <Jump to={span.version} text={`← ${begin} at ${span.version}`} elapsedMs={span.elapsedMs} />
        {span.outcome === "failed" && !isStated && <span className="badge bad">failed</span>}
      </>
    );
  }
  if (span === undefined) return <small>{end} not found nearby</small>;
  if (span.endVersion === null) return <span className="badge warn">no {end.toLowerCase()}</span>;
  return (
    <>
      <Jump
        to={span.endVersion}
        text={`${end} at ${span.endVersion} →`}
        elapsedMs={span.elapsedMs}
      />
      {span.outcome === "failed" && <span className="badge bad">failed</span>}
      {span.outcome === "denied" && <span className="badge bad">denied</span>}
      {span.outcome === "granted" && <span className="badge ok">granted</span>}
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
