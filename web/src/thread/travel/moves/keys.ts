import type { Shortcut } from "../../../app/keyboard";
import type { MoveOptions } from "./moves";
import type { Play } from "./usePlay";

const LEAP = 10;
const ZOOM = 2;

/** What a jump looks for, with its keys for the next and the previous. */
export const JUMPS = [
  { mark: "failed", name: "failure", keys: ["e", "E"] },
  { mark: "tool", name: "tool", keys: ["t", "T"] },
  { mark: "approval", name: "approval", keys: ["a", "A"] },
  { mark: "hit", name: "match", keys: ["n", "N"] },
] as const;
export type JumpMark = (typeof JUMPS)[number]["mark"];

/** What the keys of the travel bar do. */
interface Acts {
  readonly at: number;
  readonly last: number;
  readonly go: (version: number, options?: MoveOptions) => void;
  readonly jump: (mark: JumpMark, by: 1 | -1, isHeld?: boolean) => void;
  readonly again: (by: 1 | -1) => void;
  readonly pin: (name: "a" | "b") => void;
  readonly play: Play;
  readonly zoomBy: (factor: number) => void;
  readonly show: (range: null) => void;
  readonly isZoomed: boolean;
  readonly fold: () => void;
}

export function travelKeys(acts: Acts): Shortcut[] {
  const { at, last, go, jump, again, pin, play, zoomBy, show, isZoomed, fold } = acts;
  const step = (key: string, does: string, by: number): Shortcut => ({
    key,
    does,
    run: () => {
      go(at + by, { isStep: true });
    },
  });
  const act = (key: string, does: string, run: () => void): Shortcut => ({ key, does, run });
  const jumps = JUMPS.flatMap(({ mark, name, keys }) =>
    ([1, -1] as const).map((by, index): Shortcut => ({
      key: keys[index] ?? "",
      does: `${by === 1 ? "next" : "previous"} ${name}`,
      run: (isHeld) => {
        jump(mark, by, isHeld);
      },
    })),
  );
  return [
    step("ArrowLeft", "step back", -1),
    step("ArrowRight", "step on", 1),
    step("Shift+ArrowLeft", `${LEAP} steps back`, -LEAP),
    step("Shift+ArrowRight", `${LEAP} steps on`, LEAP),
    act("Home", "first version", () => {
      go(1);
    }),
    act("End", "last version", () => {
      go(last);
    }),
    ...jumps,
    act(".", "next attempt at the same call", () => {
      again(1);
    }),
    act(",", "previous attempt at the same call", () => {
      again(-1);
    }),
    act(" ", "play or pause", play.toggle),
    act("[", "pin A here", () => {
      pin("a");
    }),
    act("]", "pin B here", () => {
      pin("b");
    }),
    act("+", "zoom the timeline in, around the cursor", () => {
      zoomBy(1 / ZOOM);
    }),
    act("-", "zoom the timeline out", () => {
      zoomBy(ZOOM);
    }),
    act("z", "fold the timeline to one line, or open it", fold),
    ...(isZoomed
      ? [
          act("Escape", "show the whole timeline", () => {
            show(null);
          }),
        ]
      : []),
  ];
}
