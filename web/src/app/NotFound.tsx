import { Link } from "@tanstack/react-router";

export function NotFound() {
  return (
    <main className="screen message">
      <h1>There is no such screen</h1>
      <p>
        <Link to="/">All threads</Link>
      </p>
    </main>
  );
}
