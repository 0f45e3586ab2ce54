import { Problem } from "../api/problem";

/** An error message; for a refusal of the service, its title and detail. */
export function Failure({ error }: { error: unknown }) {
  const title = error instanceof Problem ? error.title : "Something went wrong";
  const detail = error instanceof Error ? error.message : String(error);
  return (
    <div className="failure" role="alert">
      <strong>{title}</strong>
      {detail !== title && <p>{detail}</p>}
    </div>
  );
}
