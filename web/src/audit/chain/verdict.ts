import { count, countOf } from "../../parts/format";
import type { Finding } from "./chain";
import type { ChainState } from "./chainCheck";

export interface Verdict {
  /** Class of a badge. */
  readonly tone: "ok" | "warn" | "bad" | "accent" | "";
  readonly label: string;
  readonly detail: string;
}

/** What the badge of a chain says, and the sentence that explains it. */
export function verdictOf({ step, verified, last, audit, error }: ChainState): Verdict {
  const events = countOf(verified.version, "event");
  switch (step) {
    case "unavailable":
      return {
        tone: "warn",
        label: "Chain not checked",
        detail:
          "This browser hashes over HTTPS, http://127.0.0.1 and http://localhost only. Open the " +
          "page by one of them, or run agentlog verify.",
      };
    case "unchecked":
      return { tone: "", label: "Check chain", detail: "The chain is not verified yet." };
    case "checking":
      return {
        tone: "accent",
        label: `Checking ${count(verified.version)} of ${count(last)}`,
        detail: "Each event is hashed in this browser.",
      };
    case "failed":
      return {
        tone: "warn",
        label: "Chain not checked",
        detail: error instanceof Error ? error.message : String(error),
      };
    case "checked":
  }
  if (verified.broken > 0) {
    const first = verified.findings.find(({ breaks }) => breaks);
    const where = first?.version == null ? "" : ` at version ${first.version}`;
    const said = audit?.whole === true ? " The service says that it is whole." : "";
    return {
      tone: "bad",
      label: `Chain broken${where}`,
      detail: `${first === undefined ? "" : inWords(first)}${said}`,
    };
  }
  if (audit?.verdict === "not finished") {
    return {
      tone: "warn",
      label: "Redaction not finished",
      detail:
        `This browser found the links of ${events} whole. A redaction is recorded and not carried ` +
        "out yet: the service does so at its start and before the next one. Check again after that.",
    };
  }
  if (audit !== null && !audit.whole) {
    return {
      tone: "bad",
      label: "Service says broken",
      detail:
        `This browser found the links of ${events} whole. The service compares more, and found ` +
        `${countOf(audit.findingCount, "deviation")}.`,
    };
  }
  const redacted = verified.redacted === 0 ? "" : ` · ${count(verified.redacted)} redacted`;
  return {
    tone: "ok",
    label: `Chain whole${redacted}`,
    detail: `${events}: each has the hash and the link that it was recorded with.`,
  };
}

function inWords({ what, version, detail }: Finding): string {
  return `${what}${version === null ? "" : ` at version ${version}`}: ${detail}.`;
}

export interface FoundBy {
  readonly finding: Finding;
  readonly by: "browser" | "service" | "both";
}

/** The findings by version, each with its finder, without the service's on redactions. */
export function allFindings({ verified, audit }: ChainState): FoundBy[] {
  const name = ({ what, version }: Finding): string => `${what} ${version ?? ""}`;
  const service = (audit?.findings ?? []).filter(({ what }) => what !== "content-redacted");
  const theirs = new Set(service.map(name));
  const ours = new Set(verified.findings.map(name));
  const findings: FoundBy[] = [
    ...verified.findings.map((finding) => ({
      finding,
      by: theirs.has(name(finding)) ? ("both" as const) : ("browser" as const),
    })),
    ...service
      .filter((finding) => !ours.has(name(finding)))
      .map((finding) => ({ finding, by: "service" as const })),
  ];
  return findings.sort((a, b) => (a.finding.version ?? 0) - (b.finding.version ?? 0));
}
