import { Link, Outlet } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { Help } from "./Help";
import { KeyGate, KeyStanding } from "./KeyGate";
import { useShortcuts } from "./keyboard";
import { SCREENS } from "./screens";
import { applyTheme, currentTheme, setTheme, type Theme } from "./theme";

applyTheme();

const importPalette = async () => import("./palette/Palette");
const Palette = lazy(async () => ({ default: (await importPalette()).Palette }));
const IDLE_MS = 1000;

/** Loads the palette while nothing is asked: what is typed after Ctrl K must not be lost. */
function usePreloadedPalette(): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      importPalette().catch(() => undefined); // without network: Ctrl K tries again
    }, IDLE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, []);
}

/** The frame of every screen: navigation, key, theme, help. */
export function Shell() {
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const openPalette = (): void => {
    setPaletteOpen(true);
  };
  usePreloadedPalette();
  useShortcuts("Everywhere", [
    { key: "Ctrl+k", does: "find a command, a thread or a version", run: openPalette },
    {
      key: "?",
      does: "list the keys",
      run: () => {
        setHelpOpen(true);
      },
    },
  ]);
  return (
    <div className="shell">
      <header className="bar">
        <Link to="/" className="brand">
          agentlog
        </Link>
        <nav aria-label="Screens">
          {SCREENS.map(({ to, name }) => (
            <Link key={to} to={to} activeOptions={{ exact: to === "/", includeSearch: false }}>
              {name}
            </Link>
          ))}
          <a href="/docs">API</a>
        </nav>
        <button
          type="button"
          className="quiet"
          title="Find a command (Ctrl K)"
          onClick={openPalette}
        >
          Go to … <kbd>Ctrl K</kbd>
        </button>
        <KeyStanding />
        <ThemeChoice />
        <button
          type="button"
          className="quiet"
          aria-label="Help"
          title="Keys (?)"
          onClick={() => {
            setHelpOpen(true);
          }}
        >
          ?
        </button>
      </header>
      <KeyGate>
        <Outlet />
      </KeyGate>
      {isPaletteOpen && (
        <Suspense>
          <Palette
            onClose={() => {
              setPaletteOpen(false);
            }}
          />
        </Suspense>
      )}
      {isHelpOpen && (
        <Help
          onClose={() => {
            setHelpOpen(false);
          }}
        />
      )}
    </div>
  );
}

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const SIGN: Record<Theme, string> = { system: "◐", light: "☀", dark: "☾" };

function ThemeChoice() {
  const [theme, choose] = useState(currentTheme);
  const next = NEXT[theme];
  return (
    <button
      type="button"
      className="quiet"
      aria-label={`Theme: ${theme}`}
      title={`Theme: ${theme}; next: ${next}`}
      onClick={() => {
        setTheme(next);
        choose(next);
      }}
    >
      {SIGN[theme]}
    </button>
  );
}
