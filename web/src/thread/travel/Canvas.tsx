import { useEffect, useRef, useState, useSyncExternalStore } from "react";

/** A context that takes CSS pixels, its size, and the colours of styles.css by name. */
export interface Drawing {
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  readonly colour: (name: string) => string;
}

interface CanvasProps {
  readonly height: number;
  /** Draws. Called again when it is another function, or the width or the theme changes. */
  readonly draw: (drawing: Drawing) => void;
}

/** A canvas as wide as its container; its contents must also be available as text. */
export function Canvas({ height, draw }: CanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const theme = useSyncExternalStore(onThemeChange, themeNow);
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      setWidth(element.clientWidth);
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, []);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (canvas.current === null || !context || width === 0) return;
    canvas.current.width = width * devicePixelRatio;
    canvas.current.height = height * devicePixelRatio;
    context.scale(devicePixelRatio, devicePixelRatio);
    draw({ context, width, height, colour: coloursOf(canvas.current) });
  }, [draw, width, height, theme]);
  return <canvas ref={canvas} aria-hidden="true" style={{ width: "100%", height }} />;
}

/** A canvas takes no CSS variables: each is resolved to its colour. */
function coloursOf(element: HTMLElement): Drawing["colour"] {
  const known = new Map<string, string>();
  return (name) => {
    const value = known.get(name);
    if (value !== undefined) return value;
    element.style.color = `var(--${name})`;
    const { color } = getComputedStyle(element);
    known.set(name, color);
    return color;
  };
}

const dark = matchMedia("(prefers-color-scheme: dark)");

function themeNow(): string {
  return `${document.documentElement.style.colorScheme} ${dark.matches}`;
}

function onThemeChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ["style"] });
  dark.addEventListener("change", listener);
  return () => {
    observer.disconnect();
    dark.removeEventListener("change", listener);
  };
}
