import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Failure } from "../../parts/Failure";
import { useTitle } from "../../parts/useTitle";
import { Choices } from "./Choices";
import { catalogueQuery, reportQuery } from "../queries";
import { ReportResult } from "./ReportResult";
import styles from "../reports.module.css";

const route = getRouteApi("/reports/$name");

/** One report: its filters, its chart, its table. */
export function ReportScreen() {
  const { name } = route.useParams();
  const address = route.useSearch();
  const { data: catalogue, error: unknown } = useQuery(catalogueQuery);
  const { data, error, isPlaceholderData } = useQuery({
    ...reportQuery(name, address),
    placeholderData: keepPreviousData,
  });
  const terms = catalogue?.find((report) => report.name === name);
  const title = terms?.title ?? name;
  useTitle(title);
  const report = data?.answer.report === name ? data : undefined;
  const failed = error ?? unknown;
  return (
    <main className={`screen ${styles["report"] ?? ""}`}>
      <nav aria-label="Reports">
        {catalogue?.map((entry) => (
          <Link key={entry.name} to="/reports/$name" params={{ name: entry.name }} search={{}}>
            {entry.title}
          </Link>
        ))}
      </nav>
      <section aria-busy={isPlaceholderData}>
        <header>
          <h1>{title}</h1>
          <p>{terms?.comment}</p>
        </header>
        {terms !== undefined && <Choices terms={terms} rows={report?.answer.rows ?? []} />}
        {failed !== null ? (
          <Failure error={failed} />
        ) : report === undefined ? (
          <p className="loading">Counting…</p>
        ) : (
          <ReportResult title={title} answer={report.answer} behind={report.behind} />
        )}
      </section>
    </main>
  );
}
