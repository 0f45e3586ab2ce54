import type { ReactNode } from "react";
import { type JumpMark, JUMPS } from "./moves/keys";
import type { MoveOptions } from "./moves/moves";
import { SPEEDS } from "./moves/playback";
import styles from "./Travel.module.css";
import type { Play } from "./moves/usePlay";

/** The pins, with their keys. */
const PINS = [
  ["a", "["],
  ["b", "]"],
] as const;

interface ControlsProps {
  readonly at: number;
  readonly last: number;
  readonly play: Play;
  readonly onMove: (version: number, options?: MoveOptions) => void;
  readonly onJump: (mark: JumpMark, by: 1 | -1) => void;
  /** Why a jump is not possible; null where it is. */
  readonly missing: (mark: JumpMark) => string | null;
  readonly pins: { readonly a: number | undefined; readonly b: number | undefined };
  readonly onPin: (pin: "a" | "b") => void;
}

/** The buttons of the travel bar; each has a key. */
export function Controls(props: ControlsProps) {
  const { at, last, play, onMove, onJump, missing, pins, onPin } = props;
  const step = (by: number) => (): void => {
    onMove(at + by, { isStep: true });
  };
  const to = (version: number) => (): void => {
    onMove(version);
  };
  const [atFirst, atLast] = [at <= 1, at >= last];
  return (
    <>
      <Group label="Step">
        <Icon name="First version" keys="Home" path={FIRST} off={atFirst} run={to(1)} />
        <Icon name="Step back" keys="←" path={BACK} off={atFirst} run={step(-1)} />
        <Icon
          name={play.isPlaying ? "Pause playing" : "Play"}
          keys="Space"
          path={play.isPlaying ? PAUSE : PLAY}
          off={last <= 1}
          run={play.toggle}
        />
        <Icon name="Step on" keys="→" path={ON} off={atLast} run={step(1)} />
        <Icon name="Last version" keys="End" path={LAST} off={atLast} run={to(last)} />
      </Group>
      <Group label="Speed">
        {SPEEDS.map((speed) => (
          <Toggle
            key={speed}
            isOn={play.speed === speed}
            title={`Play ${speed} times as fast; no pause takes more than a second`}
            run={() => {
              play.setSpeed(speed);
            }}
          >
            {speed}×
          </Toggle>
        ))}
      </Group>
      <Group label="Pins">
        {PINS.map(([pin, key]) => (
          <Toggle
            key={pin}
            isOn={pins[pin] === at}
            title={`Pin ${pin.toUpperCase()} here, to see what changed between A and B (${key})`}
            run={() => {
              onPin(pin);
            }}
          >
            Pin {pin.toUpperCase()}
            {pins[pin] !== undefined && <small> {pins[pin]}</small>}
          </Toggle>
        ))}
      </Group>
      {JUMPS.map((jump) => (
        <Jump key={jump.mark} jump={jump} why={missing(jump.mark)} onJump={onJump} />
      ))}
    </>
  );
}

interface JumpProps {
  readonly jump: (typeof JUMPS)[number];
  /** Why it is not possible; null where it is. */
  readonly why: string | null;
  readonly onJump: (mark: JumpMark, by: 1 | -1) => void;
}

/** The buttons of the next and the previous mark. */
function Jump({ jump: { mark, name, keys }, why, onJump }: JumpProps) {
  const [onKey, backKey] = keys;
  const go = (by: 1 | -1) => (): void => {
    onJump(mark, by);
  };
  const off = why !== null;
  return (
    <Group label={`Jump to ${name}`}>
      <Icon name={`Previous ${name}`} keys={backKey} path={UP} off={off} run={go(-1)} />
      <span className={styles["mark"]} data-mark={mark} title={why ?? undefined}>
        {name}
      </span>
      <Icon name={`Next ${name}`} keys={onKey} path={DOWN} off={off} run={go(1)} />
    </Group>
  );
}

interface ToggleProps {
  readonly isOn: boolean;
  readonly title: string;
  readonly run: () => void;
  readonly children: ReactNode;
}

function Toggle({ isOn, title, run, children }: ToggleProps) {
  return (
    <button type="button" className="quiet" aria-pressed={isOn} title={title} onClick={run}>
      {children}
    </button>
  );
}

function Group({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={styles["group"]} role="group" aria-label={label}>
      {children}
    </div>
  );
}

interface IconProps {
  readonly name: string;
  readonly keys: string;
  readonly path: string;
  readonly off: boolean;
  readonly run: () => void;
}

function Icon({ name, keys, path, off, run }: IconProps) {
  return (
    <button
      type="button"
      className={`quiet ${styles["icon"] ?? ""}`}
      aria-label={name}
      title={`${name} (${keys})`}
      aria-disabled={off}
      onClick={() => {
        if (!off) run();
      }}
    >
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path d={path} fill="currentColor" />
      </svg>
    </button>
  );
}

const FIRST = "M3 3h2v10H3zM13 3v10L6 8z";
const BACK = "M12 3v10L4 8z";
const PLAY = "M4 2.5v11L13.5 8z";
const PAUSE = "M4 3h3v10H4zM9 3h3v10H9z";
const ON = "M4 3v10l8-5z";
const LAST = "M11 3h2v10h-2zM3 3v10l7-5z";
const UP = "M10.5 3.5 6 8l4.5 4.5-1.2 1.2L3.6 8l5.7-5.7z";
const DOWN = "M5.5 3.5 10 8l-4.5 4.5 1.2 1.2L12.4 8 6.7 2.3z";
