/** The screens of the bar. */
export const SCREENS = [
  { to: "/", name: "Threads" },
  { to: "/live", name: "Live" },
  { to: "/compare", name: "Compare" },
  { to: "/reports", name: "Reports" },
  { to: "/sql", name: "SQL" },
  { to: "/audit", name: "Audit" },
  { to: "/keys", name: "Keys" },
] as const;
