/** The same for the development server. */
export { Fragment, jsx as jsxDEV, type JSX } from "./jsx-runtime";
