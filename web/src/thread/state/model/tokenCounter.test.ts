import { expect, test } from "vitest";
import { type Counted, type CountingWorker, TokenCounter } from "./tokenCounter";

class FakeWorker implements CountingWorker {
  readonly batches: (readonly string[])[] = [];
  isEnded = false;
  #listeners: { message?: (event: { data: Counted }) => void; error?: () => void } = {};

  postMessage(texts: readonly string[]): void {
    this.batches.push(texts);
  }

  addEventListener(type: "message" | "error", listener: never): void {
    this.#listeners[type] = listener;
  }

  terminate(): void {
    this.isEnded = true;
  }

  report(...counts: number[]): void {
    this.#listeners.message?.({ data: { counts } });
  }

  fail(): void {
    this.#listeners.error?.();
  }
}

function counterAndWorkers(): { counter: TokenCounter; workers: FakeWorker[] } {
  const workers: FakeWorker[] = [];
  const counter = new TokenCounter(() => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker;
  });
  return { counter, workers };
}

test("each text is counted once", () => {
  const { counter, workers } = counterAndWorkers();
  counter.count(["a", "b", "a"]);
  workers[0]?.report(1, 2);
  counter.count(["a", "b", "c"]);
  expect(workers).toHaveLength(1);
  expect(workers[0]?.batches).toEqual([["a", "b"], ["c"]]);
});

test("a sum is known once all of its texts are", () => {
  const { counter, workers } = counterAndWorkers();
  counter.count(["a", "b"]);
  workers[0]?.report(1);
  expect([counter.sum(["a"]), counter.sum(["a", "b"])]).toEqual([1, null]);
  workers[0]?.report(2);
  expect(counter.sum(["a", "b", "a"])).toBe(4);
});

test("new texts stop the worker, and its counts are kept", () => {
  const { counter, workers } = counterAndWorkers();
  counter.count(["a", "b"]);
  workers[0]?.report(1);
  counter.count(["a", "c"]);
  expect(workers[0]?.isEnded).toBe(true);
  expect(workers[1]?.batches).toEqual([["c"]]);
  workers[0]?.report(99);
  expect(counter.sum(["a", "c"])).toBeNull();
});

test("texts that are under way already are not asked for again", () => {
  const { counter, workers } = counterAndWorkers();
  counter.count(["a", "b"]);
  counter.count(["b"]);
  expect(workers.map(({ isEnded, batches }) => [isEnded, batches.length])).toEqual([[false, 1]]);
});

test("listeners are called on reports and when a worker fails", () => {
  const { counter, workers } = counterAndWorkers();
  const heard: number[] = [];
  counter.subscribe(() => heard.push(counter.revision()));
  counter.count(["a", "b"]);
  workers[0]?.report(1);
  workers[0]?.fail();
  expect(heard).toEqual([1, 2]);
  expect(counter.hasFailed).toBe(true);
  counter.count(["b"]);
  expect(counter.hasFailed).toBe(false);
  expect(workers).toHaveLength(2);
});
