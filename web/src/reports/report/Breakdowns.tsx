import { heading } from "../figures";
import { METADATA, type ReportTerms } from "../queries";
import { OneLine } from "./OneLine";
import { useReportAddress } from "./useReportAddress";

/** Breakdowns that the service takes in one request, at most. */
const MOST = 4;

/** What rows are about. */
export function Breakdowns({ terms }: { terms: ReportTerms }) {
  const { address, change } = useReportAddress();
  const by = address.by ?? terms.by;
  const setBy = (next: string[]): void => {
    // the order may name a column of the old breakdown
    change({ by: next.length === 0 ? undefined : next, order: undefined });
  };
  const others = by.filter((name) => !terms.breakdowns.includes(name));
  const names = [...others, ...terms.breakdowns].filter((name) => name !== METADATA);
  return (
    <div role="group" aria-label="Rows by">
      <span>By</span>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={by.includes(name)}
          disabled={!by.includes(name) && by.length >= MOST}
          onClick={() => {
            setBy(by.includes(name) ? by.filter((other) => other !== name) : [...by, name]);
          }}
        >
          {heading(name)}
        </button>
      ))}
      {terms.breakdowns.includes(METADATA) && by.length < MOST && (
        <OneLine
          label="By a metadata key"
          hint="metadata key"
          known={[]}
          onGive={(key) => {
            setBy([...by, `metadata.${key.replace(/^metadata\./, "")}`]);
          }}
        />
      )}
    </div>
  );
}
