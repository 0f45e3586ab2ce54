import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Failure } from "../parts/Failure";
import { words } from "./figures";
import { catalogueQuery } from "./queries";
import styles from "./reports.module.css";
import { useTitle } from "../parts/useTitle";

/** The list of reports, each with its description and its breakdowns. */
export function ReportsScreen() {
  useTitle("Reports");
  const { data: reports, error } = useQuery(catalogueQuery);
  return (
    <main className={`screen ${styles["reports"] ?? ""}`}>
      <h1>Reports</h1>
      {error !== null && <Failure error={error} />}
      <ul>
        {reports?.map(({ name, title, comment, by, columns }) => (
          <li key={name}>
            <Link to="/reports/$name" params={{ name }}>
              <strong>{title}</strong>
              <span>{comment}</span>
              <small>
                {by.length === 0 ? "A row a call" : `By ${by.map(words).join(" and ")}`}:{" "}
                {columns
                  .filter(({ unit }) => unit !== null)
                  .slice(0, 5)
                  .map((column) => words(column.name))
                  .join(", ")}
              </small>
            </Link>
          </li>
        ))}
      </ul>
      <p>
        For any other question there is the <Link to="/sql">SQL console</Link>.
      </p>
    </main>
  );
}
