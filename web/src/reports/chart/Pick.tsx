import styles from "../reports.module.css";

interface PickProps {
  readonly names: readonly {
    readonly name: string;
    readonly heading: string;
    readonly comment?: string;
  }[];
  readonly chosen: readonly string[];
  readonly onPick: (name: string) => void;
}

/** Which columns are plotted. */
export function Pick({ names, chosen, onPick }: PickProps) {
  return (
    <div role="group" aria-label="Plotted columns" className={styles["pick"]}>
      <span>Plot</span>
      {names.map(({ name, heading, comment }) => (
        <button
          key={name}
          type="button"
          aria-pressed={chosen.includes(name)}
          title={comment}
          onClick={() => {
            onPick(name);
          }}
        >
          {heading}
        </button>
      ))}
    </div>
  );
}
