import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Copy } from "../../parts/Copy";
import { DownloadButton } from "../../parts/DownloadButton";
import { count, countOf, time } from "../../parts/format";
import { evidenceOf, latestQuery } from "../queries";
import type { Chain } from "./useChain";
import { allFindings, verdictOf } from "./verdict";
import styles from "../audit.module.css";

interface ChainDetailsProps {
  readonly chain: Chain;
  /** Called when the reader goes elsewhere, where the details lie above a screen. */
  readonly onLeave?: (() => void) | undefined;
}

const MOST_SHOWN = 100;

/** What was verified of a chain, what broke, and what else proves the thread. */
export function ChainDetails({ chain, onLeave }: ChainDetailsProps) {
  const { threadId, state, begin } = chain;
  const { verified, audit, last, step } = state;
  const { tone, label, detail } = verdictOf(state);
  const isBusy = step === "checking";
  return (
    <div className={styles["details"]}>
      <p className={styles["verdict"]}>
        <span className={`badge ${tone}`}>{label}</span> {detail}
      </p>
      {isBusy && <progress value={verified.version} max={Math.max(last, 1)} aria-label="Checked" />}
      <Findings chain={chain} onLeave={onLeave} />
      <dl className={styles["facts"]}>
        <dt>Verified here</dt>
        <dd>
          {step === "checked" || isBusy
            ? `${count(verified.version)} of ${countOf(last, "event")}`
            : "–"}
        </dd>
        <dt>The service says</dt>
        <dd>{audit === null ? "–" : `${audit.verdict}, at version ${count(audit.events)}`}</dd>
        <dt>Redacted contents</dt>
        <dd>{step === "checked" ? count(verified.redacted) : "–"}</dd>
        <dt>Last link</dt>
        <dd>
          {verified.version === 0 ? (
            "–"
          ) : (
            <span className={styles["link"]}>
              <code>{verified.chain}</code> <Copy text={verified.chain} />
            </span>
          )}
        </dd>
        <dt>Checkpoint</dt>
        <dd>
          <Coverage position={step === "checked" ? verified.position : null} />
        </dd>
      </dl>
      <p className={styles["remark"]}>
        A whole chain shows that no event was changed by itself. The owner of the database could
        compute all links of a thread again: only a checkpoint kept elsewhere shows that.
      </p>
      <div className={styles["actions"]}>
        <button type="button" disabled={isBusy || step === "unavailable"} onClick={begin}>
          {step === "unchecked" ? "Check" : "Check again"}
        </button>
        <DownloadButton name={`${threadId}.json`} content={() => evidenceOf(threadId)}>
          Download evidence
        </DownloadButton>
        {onLeave !== undefined && (
          <Link to="/audit" search={{ thread: threadId }} className="button" onClick={onLeave}>
            Audit
          </Link>
        )}
      </div>
    </div>
  );
}

function Findings({ chain, onLeave }: ChainDetailsProps) {
  const findings = allFindings(chain.state);
  if (findings.length === 0) return null;
  return (
    <div className={styles["findings"]} tabIndex={0} role="region" aria-label="Findings">
      <table className="table">
        <thead>
          <tr>
            <th className="number">Version</th>
            <th>Finding</th>
            <th>Found by</th>
          </tr>
        </thead>
        <tbody>
          {findings.slice(0, MOST_SHOWN).map(({ finding: { what, version, detail }, by }) => (
            <tr key={`${what} ${version} ${by}`}>
              <td className="number">
                {version === null || version < 1 ? (
                  "–"
                ) : (
                  <Link
                    to="/threads/$threadId"
                    params={{ threadId: chain.threadId }}
                    search={{ at: version }}
                    onClick={onLeave}
                  >
                    {version}
                  </Link>
                )}
              </td>
              <td>
                <code>{what}</code>
                <br />
                <small>{detail}</small>
              </td>
              <td>{by}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {findings.length > MOST_SHOWN && <p>… and {count(findings.length - MOST_SHOWN)} more</p>}
    </div>
  );
}

/** Whether the latest checkpoint covers the thread's last event, which is at that position. */
function Coverage({ position }: { position: number | null }) {
  const { data: latest } = useQuery(latestQuery);
  if (latest === undefined || position === null) return <>–</>;
  if (latest === null) {
    return (
      <>
        none yet: <code>agentlog checkpoint</code> makes one
      </>
    );
  }
  const made = `the checkpoint of ${time(latest.madeAt)}`;
  return position <= latest.position ? (
    <>{made} covers it whole</>
  ) : (
    <>events came after {made}: make another to cover them</>
  );
}
