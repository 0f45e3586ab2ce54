import { useNavigate } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef } from "react";
import { PHONE, useNarrow } from "../../app/narrow";
import type { MatrixColumn } from "../queries";
import { type Line, nextPlace, type Place } from "./cells";
import { MatrixHead } from "./MatrixHead";
import { MatrixLine } from "./MatrixLine";
import styles from "./matrix.module.css";

/** Pixels of a cell, and of the names of columns: as in the style sheet. */
const CELL = 24;
const HEAD = 150;
/** Pixels of the names of runs, on a phone and elsewhere. */
const NAMES = [110, 220] as const;

interface MatrixGridProps {
  readonly columns: readonly MatrixColumn[];
  readonly lines: readonly Line[];
  readonly at: Place;
  readonly onChoose: (run: string | undefined, column: number) => void;
}

/** The runs and their steps; arrow keys go from cell to cell, Enter opens the run there. */
export function MatrixGrid({ columns, lines, at, onChoose }: MatrixGridProps) {
  const id = useId();
  const navigate = useNavigate();
  const scroller = useRef<HTMLDivElement>(null);
  const list = useMatrixWindow(scroller, lines.length, at);
  const names = NAMES[useNarrow(PHONE) ? 0 : 1];
  const choose = ({ line, column }: Place): void => {
    const chosen = lines[line];
    onChoose(chosen && "row" in chosen ? chosen.row.threadId : undefined, column);
  };
  const open = ({ line, column }: Place): void => {
    const chosen = lines[line];
    if (chosen === undefined || !("row" in chosen)) return;
    const { threadId, cells } = chosen.row;
    const version = cells.find((cell) => cell.column === column)?.version;
    void navigate({
      to: "/threads/$threadId",
      params: { threadId },
      search: version === undefined ? {} : { at: version },
    });
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === "Enter") open(at);
    const to = nextPlace(event.key, at, lines, columns.length);
    if (to === null) return;
    event.preventDefault();
    choose(to);
  };
  return (
    <div
      ref={scroller}
      className={styles["scroller"]}
      role="grid"
      aria-label="Runs and steps"
      aria-rowcount={lines.length + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={`${id}-at`}
      tabIndex={0}
      data-own-keys=""
      onKeyDown={press}
    >
      <div
        className={styles["all"]}
        style={{ height: HEAD + list.getTotalSize(), width: names + columns.length * CELL }}
        role="presentation"
      >
        <MatrixHead
          columns={columns}
          chosen={at.column}
          onChoose={(column) => {
            choose({ line: at.line, column });
          }}
        />
        {list.getVirtualItems().map(({ index, start }) => {
          const line = lines[index];
          return (
            line !== undefined && (
              <div
                key={index}
                role="row"
                aria-rowindex={index + 2}
                className={styles[line.verdict === undefined ? "line" : "group"]}
                style={{ transform: `translateY(${HEAD + start}px)` }}
              >
                <MatrixLine
                  {...{ line, columns }}
                  chosen={index === at.line ? at.column : null}
                  chosenId={`${id}-at`}
                  onOpen={(column) => {
                    open({ line: index, column });
                  }}
                />
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

/** The lines in sight; the chosen cell is scrolled into it. */
function useMatrixWindow(scroller: RefObject<HTMLDivElement | null>, count: number, at: Place) {
  const { line, column } = at;
  const names = NAMES[useNarrow(PHONE) ? 0 : 1];
  const list = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => CELL,
    overscan: 10,
    scrollPaddingStart: HEAD,
  });
  useEffect(() => {
    list.scrollToIndex(line);
    const element = scroller.current;
    if (element === null) return;
    const left = column * CELL;
    const room = element.clientWidth - names - CELL;
    if (left < element.scrollLeft) element.scrollLeft = left;
    if (left > element.scrollLeft + room) element.scrollLeft = left - room;
  }, [list, scroller, names, line, column]);
  return list;
}
