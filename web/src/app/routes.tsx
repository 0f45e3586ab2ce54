import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from "@tanstack/react-router";
import { auditAddress } from "../audit/address";
import { compareAddress } from "../compare/address";
import { reportAddress, sqlAddress } from "../reports/address";
import { threadAddress } from "../thread/address";
import { threadsAddress } from "../threads/address";
import { NotFound } from "./NotFound";
import { Failure } from "../parts/Failure";
import { Shell } from "./Shell";

/** Every screen, with what its address says: `validateSearch` drops what it does not know. */
const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const threads = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: threadsAddress,
  component: lazyRouteComponent(() => import("../threads/ThreadsScreen"), "ThreadsScreen"),
});

const thread = createRoute({
  getParentRoute: () => root,
  path: "/threads/$threadId",
  validateSearch: threadAddress,
  component: lazyRouteComponent(() => import("../thread/ThreadScreen"), "ThreadScreen"),
});

const live = createRoute({
  getParentRoute: () => root,
  path: "/live",
  component: lazyRouteComponent(() => import("../live/LiveScreen"), "LiveScreen"),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: "/compare",
  validateSearch: compareAddress,
  component: lazyRouteComponent(() => import("../compare/CompareScreen"), "CompareScreen"),
});

const reports = createRoute({
  getParentRoute: () => root,
  path: "/reports",
  component: lazyRouteComponent(() => import("../reports/ReportsScreen"), "ReportsScreen"),
});

const report = createRoute({
  getParentRoute: () => root,
  path: "/reports/$name",
  validateSearch: reportAddress,
  component: lazyRouteComponent(() => import("../reports/report/ReportScreen"), "ReportScreen"),
});

const sql = createRoute({
  getParentRoute: () => root,
  path: "/sql",
  validateSearch: sqlAddress,
  component: lazyRouteComponent(() => import("../reports/sql/SqlScreen"), "SqlScreen"),
});

const audit = createRoute({
  getParentRoute: () => root,
  path: "/audit",
  validateSearch: auditAddress,
  component: lazyRouteComponent(() => import("../audit/AuditScreen"), "AuditScreen"),
});

const keys = createRoute({
  getParentRoute: () => root,
  path: "/keys",
  component: lazyRouteComponent(() => import("../keys/KeysScreen"), "KeysScreen"),
});

export const router = createRouter({
  routeTree: root.addChildren([threads, thread, live, compare, reports, report, sql, audit, keys]),
  defaultErrorComponent: ({ error }) => <Failure error={error} />,
  defaultPreload: "intent",
  search: { strict: true }, // without it, what a reader of an address leaves out would stay in it
  scrollRestoration: false,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
