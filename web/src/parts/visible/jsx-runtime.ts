/**
 * React's JSX, in which every text is `visible`: children, labels, and HTML that was made.
 *
 * The compiler calls it for each element of the page, so that no place can forget it. Texts that
 * do not pass here: those of canvases, of the window's title, and of components of other packages.
 */
import type { Component, ElementType, Key, ReactElement, ReactNode } from "react";
import * as react from "react/jsx-runtime";
import { visible } from "./visible";

export { Fragment } from "react/jsx-runtime";

type Props = Readonly<Record<string, unknown>>;

const LABEL = /^(?:title|alt|placeholder|label|aria-.*)$/;

export function jsx(type: ElementType, props: Props, key?: Key): ReactElement {
  return react.jsx(type, visibleProps(props), key);
}

export function jsxs(type: ElementType, props: Props, key?: Key): ReactElement {
  return react.jsxs(type, visibleProps(props), key);
}

/** The properties of an element with their texts visible; the same object where none was not. */
export function visibleProps(props: Props): Props {
  const changed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(props)) {
    const drawn =
      name === "children"
        ? visibleChild(value)
        : isHtml(value)
          ? html(value)
          : visibleLabel(name, value);
    if (drawn !== value) changed[name] = drawn;
  }
  return Object.keys(changed).length === 0 ? props : { ...props, ...changed };
}

function visibleLabel(name: string, value: unknown): unknown {
  return typeof value === "string" && LABEL.test(name) ? visible(value) : value;
}

function visibleChild(child: unknown): unknown {
  if (typeof child === "string") return visible(child);
  if (!Array.isArray(child)) return child;
  const drawn = child.map(visibleChild);
  return drawn.every((part, index) => part === child[index]) ? child : drawn;
}

function isHtml(value: unknown): value is { readonly __html: string } {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "__html");
}

function html(value: { readonly __html: string }): { readonly __html: string } {
  const drawn = visible(value.__html);
  return drawn === value.__html ? value : { __html: drawn };
}

/** A component returns elements: a text that it returned by itself would not pass here. */
type Drawing = (props: never) => ReactElement | null | undefined;

// eslint-disable-next-line @typescript-eslint/no-namespace -- where the compiler looks for its types
export declare namespace JSX {
  type ElementType =
    | keyof IntrinsicElements
    | Drawing
    | (new (props: never) => Component)
    | { readonly $$typeof: symbol; (props: never): ReactNode };
  type Element = react.JSX.Element;
  type ElementClass = react.JSX.ElementClass;
  type ElementAttributesProperty = react.JSX.ElementAttributesProperty;
  type ElementChildrenAttribute = react.JSX.ElementChildrenAttribute;
  type LibraryManagedAttributes<C, P> = react.JSX.LibraryManagedAttributes<C, P>;
  type IntrinsicAttributes = react.JSX.IntrinsicAttributes;
  type IntrinsicClassAttributes<T> = react.JSX.IntrinsicClassAttributes<T>;
  type IntrinsicElements = react.JSX.IntrinsicElements;
}
