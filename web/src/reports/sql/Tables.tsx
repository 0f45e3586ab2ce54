import { countOf } from "../../parts/format";
import type { CatalogueTable } from "../queries";
import styles from "./sql.module.css";

interface TablesProps {
  readonly tables: readonly CatalogueTable[];
  /** Puts a name into the statement. */
  readonly onInsert: (name: string) => void;
}

/** The tables that may be asked, with what each column means. */
export function Tables({ tables, onInsert }: TablesProps) {
  return (
    <aside className={styles["tables"]} aria-label="Tables">
      <h2>Tables</h2>
      {tables.map(({ name, comment, columns }) => (
        <details key={name}>
          <summary title={comment ?? undefined}>
            <code>{name}</code> <small>{countOf(columns.length, "column")}</small>
          </summary>
          {comment !== null && <p>{comment}</p>}
          <ul>
            {columns.map((column) => (
              <li key={column.name} title={column.comment ?? undefined}>
                <button
                  type="button"
                  className="quiet"
                  aria-label={`Insert ${column.name}`}
                  onClick={() => {
                    onInsert(column.name);
                  }}
                >
                  <code>{column.name}</code>
                </button>
                <small>{column.type.replace("timestamp with time zone", "timestamptz")}</small>
                {column.comment !== null && <p>{column.comment}</p>}
              </li>
            ))}
          </ul>
        </details>
      ))}
    </aside>
  );
}
